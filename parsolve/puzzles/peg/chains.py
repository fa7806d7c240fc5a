"""Peg solitaire by whole moves: for boards with too many feasible positions."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import values_of
from parsolve.puzzles.peg.abstraction import PegBoards, PegBoardsBack, images_of
from parsolve.puzzles.peg.large import keep_unrefuted, sums_and_losses, sums_of
from parsolve.puzzles.peg.pagodas import MOST_PAGODAS, Pagoda, pagodas

MOST_MOVES = 1 << 11
"""Maximum number of moves from a position: a peg that can go several ways makes many."""


class Tables(NamedTuple):
    """The lookups of the rules, by jump in the order of the holes from which the peg starts."""

    begin: np.ndarray[Any, Any]  # int64[holes + 1]: the first jump from each hole
    pegs: np.ndarray[Any, Any]  # uint64[jumps]: the pegs in the three holes before it
    holes: np.ndarray[Any, Any]  # uint64[jumps]: the three holes
    to: np.ndarray[Any, Any]  # uint8[jumps]: the hole of the peg after it
    sums: np.ndarray[Any, Any]  # uint64[words, bytes, 256]: see `sums_and_losses`
    losses: np.ndarray[Any, Any]  # uint64[words, jumps]
    images: np.ndarray[Any, Any]  # uint64[rows, symmetries]: see `images_of`
    goal: np.uint64  # the pegs to end with; 0 if one peg in any hole will do
    any: np.uint64  # 1 if one peg in any hole will do


@dataclass(frozen=True)
class PegChains(PegBoards):
    """Peg solitaire whose moves are whole runs of jumps by one peg.

    A state does not hold the peg moved last: in a solution with the fewest moves no peg moves twice in a row, because
    the two moves would be one. So there are as many solutions as in the search by jumps.
    """

    state = np.dtype([("pegs", "u8"), ("move", "u2"), ("cost", "u1"), ("last", "u1")])
    children = MOST_MOVES
    graph = "any"  # type: ignore[assignment]  # a move may take several pegs

    @property
    def closed_pagodas(self) -> list[Pagoda]:
        """The pagoda functions that are closed under images, so that they refute all images of a position or none."""
        found: dict[Pagoda, None] = {}
        for each in self.pagodas:
            images = dict.fromkeys(each.image(symmetry.holes) for symmetry in self.symmetries)
            if len(found | images) <= MOST_PAGODAS:
                found |= images
        return [*found]

    def inverse_puzzle(self) -> Puzzle:
        return PegChainsBack(**values_of(self))

    def tables(self, *tables: Any) -> Any:
        jumps = self.layout.jumps
        sums, losses = sums_and_losses(self.layout, self.closed_pagodas, range(len(jumps)))
        return Tables(
            begin=np.searchsorted([start for start, _, _ in jumps], np.arange(self.layout.holes + 1)),
            pegs=np.array([1 << start | 1 << over for start, over, _ in jumps], np.uint64),
            holes=np.array([1 << start | 1 << over | 1 << to for start, over, to in jumps], np.uint64),
            to=np.array([to for _, _, to in jumps], np.uint8),
            sums=sums,
            losses=losses,
            images=images_of(self.symmetries, self.layout.holes),
            goal=np.uint64(0 if len(self.goal_pegs) > 1 else self.goal_pegs[0]),
            any=np.uint64(len(self.goal_pegs) > 1),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.cost >= limit:
            return top
        first, spent = top, here.cost + 1
        top = add_jumps(tables, here.pegs, spent, 0, tables.to.size, rows, top)
        # The moved peg may go on.
        reached = first
        while reached < top <= first + MOST_MOVES:
            pegs, last = rows[reached].pegs, np.int64(rows[reached].last)
            reached += 1
            if pegs & (pegs - tables.any) != tables.goal:
                top = add_jumps(tables, pegs, spent, tables.begin[last], tables.begin[last + 1], rows, top)
        for row in range(first, top):
            rows[row].move = row - first
        return top

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.pegs = key
        row.last = 0
        row.move = 0

    def limits(self) -> Iterable[int]:
        return range(min(1, self.jumps_needed), self.jumps_needed + 1)


@dataclass(frozen=True)
class PegChainsBack(PegChains, PegBoardsBack):
    """The same with all moves taken back: from the pegs at the end to the pegs at the start.

    Taking back a jump is a jump of the holes. The last jump of a run is taken back first, and the next one taken back
    ends where that one started.
    """

    @cached_property
    def pagodas(self) -> tuple[Pagoda, ...]:
        """Functions of the holes that refute unreachable positions."""
        board = (1 << self.layout.holes) - 1
        goals = self.goals_in_class
        return pagodas(self.layout, board ^ goals[0], board ^ self.start_pegs) if goals else ()

    def inverse_puzzle(self) -> Puzzle:
        return PegChains(**values_of(self))

    def tables(self, *tables: Any) -> Any:
        jumps = self.layout.jumps
        order = sorted(range(len(jumps)), key=lambda jump: jumps[jump][2])
        ends = [jumps[jump][2] for jump in order]
        sums, losses = sums_and_losses(self.layout, self.closed_pagodas, order)
        return (
            super()
            .tables()
            ._replace(
                begin=np.searchsorted(ends, np.arange(self.layout.holes + 1)),
                pegs=np.array([1 << end for end in ends], np.uint64),
                holes=np.array([sum(1 << hole for hole in jumps[jump]) for jump in order], np.uint64),
                to=np.array([jumps[jump][0] for jump in order], np.uint8),
                sums=np.ascontiguousarray(sums[:, :, ::-1]),  # by byte of the pegs instead of the holes
                losses=losses,
                goal=np.uint64(self.start_pegs),
                any=np.uint64(0),
            )
        )


def add_jumps(tables: Any, pegs: Any, spent: Any, begin: Any, end: Any, rows: Any, top: Any) -> Any:
    """Write the positions after some jumps, except refuted ones, and return the next row."""
    sums = sums_of(tables.sums, pegs)
    for jump in range(begin, end):
        if pegs & tables.holes[jump] == tables.pegs[jump]:
            row = rows[top]
            row.pegs = pegs ^ tables.holes[jump]
            row.last = tables.to[jump]
            row.cost = spent
            top += keep_unrefuted(tables, sums, jump)
    return top
