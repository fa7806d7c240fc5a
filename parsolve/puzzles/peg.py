"""Peg solitaire on any board: jump pegs over pegs until one is left, in as few moves as can be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve.kernel.bits import trailing_zeros
from parsolve.puzzle import Counting, Want, parameter
from parsolve.puzzles.peg_bounds import BITS, CLASS_BOARD, CLASS_TARGET, CLASS_VACANCY, FILLED, Bound, make_bound
from parsolve.puzzles.peg_game import Game, board_of


class Tables(NamedTuple):
    """What the rules look up, by jump in table order unless said otherwise; without jumps that are ruled out."""

    can: np.ndarray[Any, Any]  # uint64[words, bytes, 256]: which jumps can be made, see `by_byte`
    full: np.ndarray[Any, Any]  # uint64[1, bytes, 256]: which sets of the bound are full, see `by_byte`
    holes: np.ndarray[Any, Any]  # uint64[jumps]: the bits of the three holes
    start: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped from
    to: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped to
    move: np.ndarray[Any, Any]  # uint8[jumps], as in the state: the number of the jump on the board
    away: np.ndarray[Any, Any]  # uint64[jumps]: which sets of the bound have neither the hole from nor the one over
    table: np.ndarray[Any, Any]  # uint64[jumps]: where in `packings` the table that holds after the jump begins
    packings: np.ndarray[Any, Any]  # uint64[2 * parts << BITS]: of `Bound`, in one row
    parts: np.int64  # how many parts each of the two tables has
    keep: np.uint64  # the holes of which one must always hold a peg
    first: np.ndarray[Any, Any]  # uint64[words]: which jumps may come first
    goal: np.uint64  # the pegs to end with; 0 where one peg in any hole will do
    any: np.uint64  # 1 where one peg in any hole will do
    size: np.uint64  # how many holes the board has
    # For `PegWide`, by the number of the jump on the board: which symmetries map it onto an earlier one, and itself.
    earlier: np.ndarray[Any, Any]  # uint16[jumps]
    same: np.ndarray[Any, Any]  # uint16[jumps]


WORD = 64
"""How many jumps stand in one word of `can`."""

MOST_HOLES = 58
"""The most holes that fit into a key of one word, with the hole of the peg moved last."""

# Fixed-width constants: compiled code would turn an int64 beside a uint64 into something signed, or a float.
ZERO, ONE = np.uint64(0), np.uint64(1)
BYTE, EIGHT, FILL = np.uint64(255), np.uint64(8), np.uint64(FILLED)
PART, IN_PART, ENTRIES = np.uint64(BITS), np.uint64((1 << BITS) - 1), np.uint64(1 << BITS)
ALL = np.uint64((1 << 64) - 1)


@dataclass(frozen=True)
class Peg(Game):
    """Jump pegs over pegs until one is left. A run of jumps by one peg is one move, in one bracket."""

    bound: Literal["none", "corners", "classes", "triples", "regions"] = parameter(
        "regions",
        "lower bound: corners counts pegs that nothing can jump over, regions full sets of holes that a move must"
        " start in, and what the others know; classes and triples: the page's, for"
        f" {CLASS_BOARD} with {CLASS_VACANCY} to {CLASS_TARGET}",
    )

    # `last` is the hole of the peg moved last, which may go on at no cost; the number of holes at the start.
    state = np.dtype([("pegs", "u8"), ("cost", "u1"), ("bound", "u1"), ("move", "u1"), ("last", "u1")])

    def __new__(cls, *_: Any, board: str = "hoppers", unique: bool = False, **__: Any) -> "Peg":
        if cls is Peg and (unique or board_of(board)[1].holes > MOST_HOLES):
            from parsolve.puzzles.peg_wide import PegWide

            return object.__new__(PegWide)
        return object.__new__(cls)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.bounding

    @property
    def children(self) -> int:
        return len(self.layout.jumps)

    @property
    def default_table(self) -> int:
        # Measured: 4 MB on 21 holes, near enough to the processor; what is larger must hold more.
        return 1 << min(28, self.layout.holes + 1)

    @cached_property
    def bounding(self) -> Bound:
        """The bound."""
        return make_bound(self.bound, self.board, self.layout, self.start_pegs, self.goals_in_class)

    @property
    def obstacle(self) -> str:
        known = super().obstacle
        if known or self.bounding.keep:
            return known
        return "a class of holes has fewer pegs to give than its corners need"

    def counting(self, want: Want) -> Counting | None:
        if self.obstacle:
            return Counting(self, warning=lambda _: f"peg: this cannot be solved: {self.obstacle}")
        return None

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
            earlier=np.zeros(0, np.uint16),
            same=np.zeros(0, np.uint16),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        pegs, last, cost = here.pegs, here.last, here.cost
        full = agreeing(tables.full, pegs, 0)
        for word in range(tables.first.size):
            can = agreeing(tables.can, pegs, word)
            if cost == 0:
                can &= tables.first[word]
            while can != ZERO:
                jump = np.uint64(word * WORD + trailing_zeros(can))
                can &= can - ONE
                # Which sets the jump leaves full, without the peg that it moves: that one may go on at no cost.
                left = full & tables.away[jump]
                at = tables.table[jump]
                entry = tables.packings[at + (left & IN_PART)]
                bound, filled = np.int64(entry & BYTE), np.int64(entry >> FILL)
                for _ in range(1, tables.parts):
                    at += ENTRIES
                    left = (left >> PART) & (entry >> EIGHT)
                    entry = tables.packings[at + (left & IN_PART)]
                    bound += np.int64(entry & BYTE)
                bound = max(bound, filled)
                spent = cost + (tables.start[jump] != last)
                row = rows[top]
                row.pegs = pegs ^ tables.holes[jump]
                row.move = tables.move[jump]
                row.last = tables.to[jump]
                row.cost = spent
                row.bound = bound
                top += (spent + bound <= limit) & (row.pegs & tables.keep != ZERO)
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.pegs & (here.pegs - tables.any) == tables.goal

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.pegs | (np.uint64(here.last) << tables.size)

    def limits(self) -> Iterable[int]:
        least = max(min(1, self.jumps_needed), self.bounding.moves(self.start_pegs))
        return range(least, 1 + (least if self.obstacle else self.jumps_needed))

    def steps(self, limit: int) -> int:
        return self.jumps_needed


def agreeing(table: Any, pegs: Any, word: Any) -> Any:
    """Which patterns of a word agree with the pegs: a bit each, as told by a table of `by_byte`."""
    found = ALL
    for byte in range(table.shape[1]):
        found &= table[word, byte, pegs & BYTE]
        pegs >>= EIGHT
    return found


def by_byte(patterns: Sequence[tuple[int, int]], holes: int) -> np.ndarray[Any, Any]:
    """Which patterns agree with a byte of the pegs: those that agree with every byte agree with the pegs.

    Args:
        patterns: the holes that must hold pegs and those that must not, a bit a hole.
        holes: how many there are on the board.

    Returns:
        uint64[words, bytes, 256]: for a word of 64 patterns, by byte of the pegs and its value, a bit each.
    """
    words, bytes_ = max(1, -(-len(patterns) // WORD)), -(-holes // 8)
    table = np.zeros((words, bytes_, 256), np.uint64)
    values = np.arange(256)
    for number, (pegs, gaps) in enumerate(patterns):
        for byte in range(bytes_):
            must, must_not = pegs >> 8 * byte & 255, gaps >> 8 * byte & 255
            agree = (values & must == must) & (values & must_not == 0)
            table[number // WORD, byte] |= agree.astype(np.uint64) << np.uint64(number % WORD)
    return table


def bits(flags: Sequence[bool]) -> int:
    """Flags as bits, the first lowest."""
    return sum(1 << number for number, flag in enumerate(flags) if flag)
