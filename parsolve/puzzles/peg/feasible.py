"""Peg solitaire on feasible boards only: those from which the goal can be reached, by any number of moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.compiler.cache import cached
from parsolve.errors import BadInput
from parsolve.puzzle.core import EngineName, Puzzle
from parsolve.puzzles.peg.abstraction import HOLE, PegBoards, images_of, least_image
from parsolve.puzzles.peg.bounds import Bound, make_bound
from parsolve.puzzles.peg.game import ONE, WORD, ZERO, agreeing
from parsolve.puzzles.peg.moves import PegMoves, Tables, write_jump

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: D. E. Knuth, TAOCP 3, 6.4
MARKS, SIX, TWELVE, EIGHTEEN, LOW = (np.uint64(number) for number in (16, 6, 12, 18, 63))

SPARSE = 4
"""The sieve has 2^4 to 2^5 bits for each feasible board."""


LAST_BITS = 6
"""Bits of a key for the hole of the peg moved last."""


@dataclass(frozen=True)
class PegFeasible(PegMoves):
    """Peg solitaire on feasible boards. Only `regions` gives a bound: breadth-first search has no use for one."""

    graph = "graded"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layout.holes + LAST_BITS + (len(self.symmetries) - 1 if self.unique else 0) > 64:
            holes = f"{self.layout.holes} holes{' and symmetries' if self.unique else ''}"
            raise BadInput(f"peg: {holes} are too many for the keys of bound feasible: take bound regions")

    @property
    def default_engine(self) -> EngineName:
        return "breadth"

    @cached_property
    def boards(self) -> PegBoards:
        """The abstraction."""
        return PegBoards(self.board, self.vacancy, self.target, position=self.position, goal=self.goal)

    @cached_property
    def bounding(self) -> Bound:
        kind = "regions" if self.bound == "regions" else "none"
        return make_bound(kind, self.board, self.layout, self.start_pegs, self.goals_in_class)

    def abstractions(self) -> Sequence[Puzzle]:
        return [] if self.obstacle else [self.boards]

    def root(self, *feasible: Any) -> dict[str, Any]:
        return super().root()

    def tables(self, *feasible: Any) -> Tables:
        keys = feasible[0] if feasible else np.zeros(0, np.uint64)
        words = max(1, len(keys).bit_length() + SPARSE - 6)
        sieve = np.zeros(1 << words, np.uint64)
        cached_fill_sieve(sieve, np.uint64(64 - words), keys)
        holes = self.layout.holes
        return (
            super()
            .tables()
            ._replace(
                sieve=sieve,
                shift=np.uint64(64 - words),
                boards=images_of(self.boards.symmetries, holes),
                images=images_of(self.symmetries, holes),
            )
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        pegs, last = here.pegs, here.last
        end = top
        for word in range(tables.first.size):
            can = agreeing(tables.can, pegs, word)
            if last == tables.size:
                can &= tables.first[word]
            while can != ZERO:
                jump = np.uint64(word * WORD + trailing_zeros(can))
                can &= can - ONE
                after = pegs ^ tables.holes[jump]
                row = rows[end]
                row.pegs = after
                row.move = jump
                # Without a branch, and without reading the row, so that the look-ups overlap.
                end += in_sieve(tables.sieve, tables.shift, least_image(tables.boards, after, 0))
        full = agreeing(tables.full, pegs, np.int64(0))
        for number in range(top, end):
            top += write_jump(tables, here, limit, rows[top], np.uint64(rows[number].move), full)
        return top

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return least_image(tables.images, here.pegs, HOLE + np.uint64(here.last))

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.pegs = key & ((ONE << tables.size) - ONE)
        row.last = key >> tables.size
        row.move = 0


def in_sieve(sieve: Any, shift: Any, board: Any) -> Any:
    """Return whether a board may be feasible: true for all feasible boards, and for less than one in a hundred others.

    The highest bits of the board's hash give its word; the next ones give four bits of the word.
    """
    hash_ = board * MIX
    marks = marks_of(hash_)
    return sieve[hash_ >> shift] & marks == marks


def marks_of(hash_: Any) -> Any:
    """Return the four bits of a board in its word of the sieve."""
    bits = hash_ >> MARKS
    return (
        ONE << (bits & LOW)
        | ONE << (bits >> SIX & LOW)
        | ONE << (bits >> TWELVE & LOW)
        | ONE << (bits >> EIGHTEEN & LOW)
    )


def fill_sieve(sieve: Any, shift: Any, boards: Any) -> None:
    """Set the bits of boards, uint64[n]; see `in_sieve`."""
    for board in boards:
        hash_ = board * MIX
        sieve[hash_ >> shift] |= marks_of(hash_)


cached_fill_sieve = cached(fill_sieve)
