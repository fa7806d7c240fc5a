"""Peg solitaire by whole moves: positions by number, for boards of which all positions of a class are searched."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.peg.game import Game
from parsolve.puzzles.peg.jumps import BYTE, EIGHT
from parsolve.puzzles.peg.position_classes import Numbering

MOST_MOVES = 1 << 11
"""Moves from a position, at most: a peg that can go several ways makes many."""


class Tables(NamedTuple):
    """What the rules look up; jumps are in the order of the holes that they start from."""

    begin: np.ndarray[Any, Any]  # int64[holes + 1]: the first jump from each hole
    pegs: np.ndarray[Any, Any]  # uint64[jumps]: the holes jumped from and over
    holes: np.ndarray[Any, Any]  # uint64[jumps]: these and the one jumped to
    to: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped to
    numbers: np.ndarray[Any, Any]  # uint64[jumps]: what a jump changes of a position's number
    positions: np.ndarray[Any, Any]  # uint64[bytes, 256]: the holes that differ from the start, by byte of a number
    start: np.uint64
    goal: np.uint64  # the pegs to end with; 0 where one peg in any hole will do
    any: np.uint64  # 1 where one peg in any hole will do


@dataclass(frozen=True)
class PegChains(Game):
    """Peg solitaire whose moves are whole runs of jumps by one peg.

    The peg moved last is no part of a state: in a solution of the fewest moves no peg moves twice in a row, because the
    two moves would be one. So there are as many solutions as there are in jumps.
    """

    state = np.dtype([("pegs", "u8"), ("number", "u8"), ("move", "u2"), ("cost", "u1"), ("last", "u1")])
    children = MOST_MOVES

    @cached_property
    def numbering(self) -> Numbering:
        """The numbers of the positions in the start's class."""
        return Numbering(self.layout)

    @property
    def size(self) -> int:
        return 1 << self.numbering.bits

    def root(self) -> dict[str, Any]:
        return {"pegs": self.start_pegs}

    def tables(self) -> Tables:
        jumps = sorted(self.layout.jumps)
        starts = [start for start, _, _ in jumps]
        holes = [1 << start | 1 << over | 1 << to for start, over, to in jumps]
        return Tables(
            begin=np.searchsorted(starts, np.arange(self.layout.holes + 1)),
            pegs=np.array([1 << start | 1 << over for start, over, _ in jumps], np.uint64),
            holes=np.array(holes, np.uint64),
            to=np.array([to for _, _, to in jumps], np.uint8),
            numbers=np.array([self.numbering.number(each) for each in holes], np.uint64),
            positions=self.numbering.positions(),
            start=np.uint64(self.start_pegs),
            goal=np.uint64(0 if len(self.goal_pegs) > 1 else self.goal_pegs[0]),
            any=np.uint64(len(self.goal_pegs) > 1),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.cost >= limit:
            return top
        first = top
        pegs, number, spent = here.pegs, here.number, here.cost + 1
        for jump in range(tables.to.size):
            if pegs & tables.holes[jump] == tables.pegs[jump]:
                top = jump_to(tables, pegs, number, spent, jump, rows, top)
        # The peg that has moved may go on.
        reached = first
        while reached < top <= first + MOST_MOVES:
            pegs, number, last = rows[reached].pegs, rows[reached].number, np.int64(rows[reached].last)
            reached += 1
            if pegs & (pegs - tables.any) == tables.goal:
                continue
            for jump in range(tables.begin[last], tables.begin[last + 1]):
                if pegs & tables.holes[jump] == tables.pegs[jump]:
                    top = jump_to(tables, pegs, number, spent, jump, rows, top)
        for row in range(first, top):
            rows[row].move = row - first
        return top

    @staticmethod
    def index(tables: Any, here: Any) -> Any:
        return here.number

    @staticmethod
    def unindex(tables: Any, number: Any, row: Any) -> Any:
        pegs, left = tables.start, number
        for byte in range(tables.positions.shape[0]):
            pegs ^= tables.positions[byte, left & BYTE]
            left >>= EIGHT
        row.pegs = pegs
        row.number = number
        row.last = 0
        row.move = 0

    def limits(self) -> Iterable[int]:
        return range(min(1, self.jumps_needed), self.jumps_needed + 1)


def jump_to(tables: Any, pegs: Any, number: Any, spent: Any, jump: Any, rows: Any, top: Any) -> Any:
    """Write the position after a jump, and return the next row."""
    row = rows[top]
    row.pegs = pegs ^ tables.holes[jump]
    row.number = number ^ tables.numbers[jump]
    row.last = tables.to[jump]
    row.cost = spent
    return top + 1
