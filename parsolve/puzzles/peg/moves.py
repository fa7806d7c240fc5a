"""The rules of peg solitaire that count moves: a run of jumps by one peg is one move."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.puzzle.core import Shape, State, parameter
from parsolve.puzzles.peg.bounds import BITS, FILLED, Bound, make_bound
from parsolve.puzzles.peg.drawings import peg_picture
from parsolve.puzzles.peg.game import BYTE, EIGHT, ONE, WORD, ZERO, Game, agreeing, by_byte

Array = np.ndarray[Any, Any]


class Tables(NamedTuple):
    """The lookups of the rules, by jump in table order unless stated otherwise; without jumps that are ruled out."""

    can: Array  # uint64[words, bytes, 256]: the possible jumps, see `by_byte`
    full: Array  # uint64[1, bytes, 256]: the full sets of the bound, see `by_byte`
    holes: Array  # uint64[jumps]: the bits of the three holes
    start: Array  # uint8[jumps]: the hole jumped from
    to: Array  # uint8[jumps]: the hole jumped to
    move: Array  # uint8[jumps], as in the state: the number of the jump on the board
    away: Array  # uint64[jumps]: the sets of the bound without the holes jumped from and over
    table: Array  # uint64[jumps]: where the table for after the jump begins in `packings`
    packings: Array  # uint64[2 * parts << BITS]: those of `Bound`, in one row
    parts: np.int64  # number of parts of each of the two tables
    keep: np.uint64  # holes, one of which must always hold a peg
    first: Array  # uint64[words]: the possible first jumps
    goal: np.uint64  # the pegs at the end; 0 if one peg in any hole will do
    any: np.uint64  # 1 if one peg in any hole will do
    size: np.uint64  # number of holes of the board
    # For `PegWide`, by the number of the jump on the board: the symmetries that map it onto an earlier one, or itself.
    earlier: Array | int = 0  # uint16[jumps]
    same: Array | int = 0  # uint16[jumps]
    # For `PegLarge`: pagoda functions, at most two words of them.
    sums: Array | int = 0  # uint64[words, bytes, 256]: by byte of the pegs, see `sums_of`
    losses: Array | int = 0  # uint64[words, jumps]: the amount by which a jump lowers each sum
    # For `PegFeasible`.
    sieve: Array | int = 0  # uint64[2^k]: the feasible boards, see `in_sieve`
    shift: np.uint64 = np.uint64(0)  # 64 - k
    boards: Array | int = 0  # uint64[rows, symmetries]: images of the boards, see `images_of`
    images: Array | int = 0  # the same for the puzzle: a first jump leaves fewer


# Fixed-width constants: compiled code would mix an int64 and a uint64 into a signed value, or a float.
FILL = np.uint64(FILLED)
PART, IN_PART, ENTRIES = np.uint64(BITS), np.uint64((1 << BITS) - 1), np.uint64(1 << BITS)


@dataclass(frozen=True)
class PegMoves(Game):
    """Base class of the puzzles whose states hold the peg moved last, with a key of one word."""

    bound: str = parameter("auto", "lower bound")

    # `last` is the hole of the peg moved last, which may go on at no cost; the number of holes at the start.
    state = np.dtype([("pegs", "u8"), ("cost", "u1"), ("bound", "u1"), ("move", "u1"), ("last", "u1")])

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.bounding

    @property
    def default_transposition(self) -> int:
        # Measured: 4 MB on 21 holes, close enough to the processor; a larger table must hold more.
        return 1 << min(28, self.layout.holes + 1)

    @cached_property
    def bounding(self) -> Bound:
        """The bound."""
        kind = "regions" if self.bound == "auto" else self.bound
        return make_bound(kind, self.board, self.layout, self.start_pegs, self.goals_in_class)

    @property
    def obstacle(self) -> str:
        known = super().obstacle
        if known or self.bounding.keep:
            return known
        return "a class of holes has fewer pegs to give than its corners need"

    def root(self) -> dict[str, Any]:
        return {"pegs": self.start_pegs, "bound": self.bounding.moves(self.start_pegs), "last": self.layout.holes}

    def tables(self) -> Tables:
        bound = self.bounding
        jumps = [self.layout.jumps[number] for number in bound.jumps]
        here = [1 << a | 1 << b for a, b, _ in jumps]
        first = [self.first_jump in (-1, number) for number in bound.jumps]
        return Tables(
            can=by_byte([(pegs, 1 << c) for pegs, (_, _, c) in zip(here, jumps, strict=True)], self.layout.holes),
            full=by_byte([(holes, 0) for holes in bound.sets], self.layout.holes),
            holes=np.array([1 << a | 1 << b | 1 << c for a, b, c in jumps], np.uint64),
            start=np.array([a for a, _, _ in jumps], np.uint8),
            to=np.array([c for _, _, c in jumps], np.uint8),
            move=np.array(bound.jumps, self.state["move"]),
            away=np.array([bound.without(pegs) for pegs in here], np.uint64),
            table=np.array([0 if c in bound.near else bound.packings[0].size for _, _, c in jumps], np.uint64),
            packings=bound.packings.ravel(),
            parts=np.int64(bound.packings.shape[1]),
            keep=np.uint64(bound.keep),
            first=np.array([bits(first[at : at + WORD]) for at in range(0, len(jumps), WORD)], np.uint64),
            goal=np.uint64(0 if len(self.goal_pegs) > 1 else self.goal_pegs[0]),
            any=np.uint64(len(self.goal_pegs) > 1),
            size=np.uint64(self.layout.holes),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return write_jumps(tables, here, limit, rows, top, ZERO, keep_all)

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.pegs | (np.uint64(here.last) << tables.size)

    def limits(self) -> Iterable[int]:
        least = max(min(1, self.jumps_needed), self.bounding.moves(self.start_pegs))
        return range(least, 1 + (least if self.obstacle else self.jumps_needed))

    def steps(self, limit: int) -> int:
        return self.jumps_needed

    def show(self, solution: Any) -> str:
        runs: list[list[int]] = []
        for jump in solution.moves:
            start, _, to = self.layout.jumps[jump]
            if runs and runs[-1][-1] == start:
                runs[-1].append(to)
            else:
                runs.append([start, to])
        return "".join(f"[{','.join(map(str, holes))}]" for holes in runs)

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        return peg_picture(self.layout, self.start_pegs if moves else state["pegs"], moves)

    def images_of(self, moves: Sequence[int]) -> list[list[int]]:
        return [[symmetry.jumps[jump] for jump in moves] for symmetry in self.symmetries]


def write_jumps(tables: Any, here: Any, limit: Any, rows: Any, top: Any, sums: Any, keep: Any) -> Any:
    """Write the states after the jumps that meet the limit and that `keep`, given the sums, accepts."""
    full = agreeing(tables.full, here.pegs, np.int64(0))
    for word in range(tables.first.size):
        can = agreeing(tables.can, here.pegs, word)
        if here.last == tables.size:
            can &= tables.first[word]
        while can != ZERO:
            jump = np.uint64(word * WORD + trailing_zeros(can))
            can &= can - ONE
            is_kept = keep(tables, sums, jump)
            top += write_jump(tables, here, limit, rows[top], jump, full) & is_kept
    return top


def keep_all(tables: Any, sums: Any, jump: Any) -> Any:
    """Accept a jump."""
    return True


def write_jump(tables: Any, here: Any, limit: Any, row: Any, jump: Any, full: Any) -> Any:
    """Write the state after a jump, by its number in the tables; return whether it meets the limit.

    `full`: the full sets of the bound before it, a bit each.
    """
    # The sets that remain full after the jump, without the peg that it moves: that one may go on at no cost.
    left = full & tables.away[jump]
    at = tables.table[jump]
    entry = tables.packings[at + (left & IN_PART)]
    bound, filled = np.int64(entry & BYTE), np.int64(entry >> FILL)
    for _ in range(1, tables.parts):
        at += ENTRIES
        left = (left >> PART) & (entry >> EIGHT)
        entry = tables.packings[at + (left & IN_PART)]
        bound += np.int64(entry & BYTE)
    bound = filled if filled > bound else bound  # `max` would be one more function to compile
    spent = here.cost + (tables.start[jump] != here.last)
    row.pegs = here.pegs ^ tables.holes[jump]
    row.move = tables.move[jump]
    row.last = tables.to[jump]
    row.cost = spent
    row.bound = bound
    return (spent + bound <= limit) & (row.pegs & tables.keep != ZERO)


def bits(flags: Sequence[bool]) -> int:
    """Flags as bits, the first lowest."""
    return sum(1 << number for number, flag in enumerate(flags) if flag)
