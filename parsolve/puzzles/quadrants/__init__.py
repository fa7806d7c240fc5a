"""N queens, counted by halves of the board that meet in the middle.

Each quarter's placements are listed once. Two quarters make an east or a west half: a mask of the diagonals on which it
attacks the other half. The rows that the east holds leave the others to the west, so that the solutions are the pairs
of an east and a west half without a common diagonal, row set by row set. The row sets are independent: the search is
over ranges of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.kernel.specialise import cached
from parsolve.puzzle import Puzzle, parameter
from parsolve.puzzles.quadrants.halves import count
from parsolve.puzzles.quadrants.quarters import list_quarters, queen_bits
from parsolve.puzzles.quadrants.row_sets import row_sets
from parsolve.puzzles.quadrants.symmetric import half_turn, quarter_turn
from parsolve.puzzles.queens_counts import MOST, days_needed

STORED = 20
"""Up to this size all quarters are listed in advance, 124 MB at 20; beyond it each row set lists its own."""

PARTS = 64
"""Into how many ranges a range of row sets is divided."""

cached_row_sets, cached_list_quarters = cached(row_sets), cached(list_quarters)
cached_half_turn, cached_quarter_turn = cached(half_turn), cached(quarter_turn)


class Tables(NamedTuple):
    """What the rules look up."""

    n: np.int64
    sets: np.ndarray[Any, Any]  # uint64[sets]: the rows that the east holds, a bit a row
    weights: np.ndarray[Any, Any]  # uint64[sets]: how many classes under symmetry each stands for
    bits: np.ndarray[Any, Any]  # uint64[2, n, columns], see `queen_bits`
    where: np.ndarray[Any, Any]  # int64[4, row sets], starts: int64[...], words: uint64[...], see `list_quarters`
    starts: np.ndarray[Any, Any]
    words: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Quadrants(Puzzle):
    """Count the placements of n queens by halves of the board. Nodes are halves, not queens."""

    n: int = parameter(8, "the size of the board, from 1 up to 27")
    unique: bool = parameter(False, "count solutions that are turns or reflections of one another once")

    state = np.dtype([("first", "u4"), ("end", "u4"), ("cost", "u1"), ("bound", "u1"), ("move", "u1")])
    children = PARTS
    has_cost = False

    def __post_init__(self) -> None:
        if self.n not in range(1, MOST + 1):
            raise BadInput(f"quadrants: n is 1 to {MOST}, not {self.n}")

    @cached_property
    def row_sets(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The rows that the east holds, one set of each class under symmetry, and their weights."""
        sets, weights = cached_row_sets(self.n)
        return sets, weights

    def root(self) -> dict[str, Any]:
        return {"end": self.row_sets[0].size}

    def tables(self) -> Tables:
        bits = queen_bits(self.n)
        high = self.n - self.n // 2
        wanted = np.full((4, 1 << high), self.n <= STORED)
        return Tables(np.int64(self.n), *self.row_sets, bits, *cached_list_quarters(self.n, bits, wanted))

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        parts: Any
        first, size = np.int64(here.first), np.int64(here.end) - np.int64(here.first)
        parts = min(size, PARTS)
        for part in range(parts):
            row = rows[top]
            row.first = first + size * part // parts
            row.end = first + size * (part + 1) // parts
            row.cost, row.bound, row.move = 0, 0, part
            top += 1
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.end == here.first + 1

    @staticmethod
    def worth(tables: Any, here: Any) -> Any:
        at = here.first
        found, halves = count(tables.n, tables.sets[at], tables.bits, tables.where, tables.starts, tables.words)
        return tables.weights[at] * found, halves

    def steps(self, limit: int) -> int:
        return 6  # 64^6 row sets and more

    def show(self, moves: Sequence[int]) -> str:
        return f"row set {' '.join(map(str, moves))}"

    def caution(self, workers: int) -> str:
        return days_needed(self.n, "quadrants", workers)

    def total(self, found: int) -> int:
        if not self.unique or self.n == 1:
            return found
        return (found + int(cached_half_turn(self.n)) + 2 * int(cached_quarter_turn(self.n))) // 8
