"""N queens, counted by halves of the board that meet in the middle.

Each quarter's placements are listed once. Two quarters make an east or a west half: a mask of the diagonals on which it
attacks the other half. The rows held by the east leave the others to the west, so the solutions are the pairs of an
east and a west half without a common diagonal, row set by row set. The row sets are independent: the search is over
ranges of them, and on large boards over parts of each, so that none takes long.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.cache import cached
from parsolve.puzzle.core import Counting, Puzzle, Want, parameter
from parsolve.puzzles.queens.quadrants.halves import count
from parsolve.puzzles.queens.quadrants.parts import (
    BITS_OF_LEVEL,
    CHILDREN,
    LEVELS,
    estimate_work,
    most_work,
    row_sets,
    weight_of,
    work_of_child,
)
from parsolve.puzzles.queens.quadrants.quarters import list_all_quarters, queen_bits, ranks_of_sets
from parsolve.puzzles.queens.quadrants.symmetric import count_turned

STORED = 20
"""Largest size at which all quarters are listed in advance, 124 MB at 20; beyond it each row set lists its own."""

WHOLE = 23
"""Largest size at which a row set is counted as a whole, in less than 0.3 s; beyond it, by parts."""

RANGES = 64
"""Number of ranges into which a range of row sets is divided."""

cached_row_sets, cached_list_all_quarters = cached(row_sets), cached(list_all_quarters)
cached_count_turned = cached(count_turned)


class Tables(NamedTuple):
    """The lookups of the rules."""

    n: np.int64
    most_work: np.int64  # see `parts.most_work`; 0 where row sets are not divided
    sets: np.ndarray[Any, Any]  # uint32[sets]: the rows held by the east, a bit a row
    bits: np.ndarray[Any, Any]  # uint64[2, n, columns], see `queen_bits`
    ranks: np.ndarray[Any, Any]  # int64[column sets], see `ranks_of_sets`
    where: np.ndarray[Any, Any]  # int64[4, row sets], starts: int64[...], words: uint64[...], see `list_all_quarters`
    starts: np.ndarray[Any, Any]
    words: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Quadrants(Puzzle):
    """Count the placements of n queens by halves of the board. Nodes are halves, not queens."""

    n: int = parameter(8, "the size of the board", least=1)
    unique: bool = parameter(False, "count solutions that are turns or reflections of one another once")

    # A range of row sets; of a single one a part, see `parts`, and its pairs of halves, 0 if not estimated yet.
    state = np.dtype([("first", "u4"), ("end", "u4"), ("part", "u4"), ("work", "u8"), ("level", "u1"), ("move", "u1")])
    children = RANGES

    @cached_property
    def row_sets(self) -> np.ndarray[Any, Any]:
        """The rows held by the east, one set of each class under symmetry."""
        sets: np.ndarray[Any, Any] = cached_row_sets(self.n)
        return sets

    def root(self) -> dict[str, Any]:
        return {"end": self.row_sets.size}

    def tables(self) -> Tables:
        bits = queen_bits(self.n)
        ranks = ranks_of_sets(self.n - self.n // 2)
        quarters = no_quarters() if self.n > STORED else cached_list_all_quarters(self.n, bits, ranks)
        return Tables(
            np.int64(self.n),
            np.int64(most_work(self.n) if self.n > WHOLE else 0),
            self.row_sets,
            bits,
            ranks,
            *quarters,
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.end == here.first + 1:
            return expand_part(tables, here, rows, top)
        parts: Any
        first, size = np.int64(here.first), np.int64(here.end) - np.int64(here.first)
        parts = min(size, RANGES)
        for part in range(parts):
            row = rows[top]
            row.first = first + size * part // parts
            row.end = first + size * (part + 1) // parts
            row.part, row.work, row.level = 0, 0, 0
            row.move = part
            top += 1
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        if here.end != here.first + 1:
            return False
        if tables.most_work == 0 or here.level == LEVELS:
            return True
        return here.level > 0 and np.int64(here.work) <= tables.most_work

    @staticmethod
    def weight(tables: Any, here: Any) -> Any:
        rows = tables.sets[here.first]
        found, halves = count(
            tables.n,
            rows,
            tables.bits,
            tables.ranks,
            tables.where,
            tables.starts,
            tables.words,
            here.part,
            np.int64(here.level),
        )
        return weight_of(tables.n, rows) * found, halves

    def steps(self, limit: int) -> int:
        return 6 + LEVELS  # 64^6 row sets and more

    def show(self, solution: Any) -> str:
        return f"row set {' '.join(map(str, solution.moves))}"

    def counting(self, want: Want) -> Counting:
        return Counting(self, self.total)

    def total(self, weights: int) -> int:
        """Return the number of solutions, from the weights of all row sets."""
        if not self.unique or self.n == 1:
            return weights
        return (weights + int(cached_count_turned(self.n, False)) + 2 * int(cached_count_turned(self.n, True))) // 8


def no_quarters() -> tuple[np.ndarray[Any, Any], ...]:
    """Return where, starts and words of `list_all_quarters` if nothing is listed in advance."""
    return np.zeros((4, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64)


def expand_part(tables: Any, here: Any, rows: Any, top: Any) -> Any:
    """`expand` for a single row set or a part of it: which side holds the next two diagonals?"""
    work = np.int64(here.work)
    if work == 0:
        work = estimate_work(tables.n, tables.bits, tables.ranks, tables.sets[here.first])
    for held in range(CHILDREN):
        row = rows[top]
        row.first, row.end = here.first, here.end
        row.part = np.int64(here.part) << BITS_OF_LEVEL | held
        row.work = work_of_child(work, held)
        row.level = here.level + 1
        row.move = held
        top += 1
    return top
