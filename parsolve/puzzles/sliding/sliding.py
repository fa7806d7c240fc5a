"""Sliding tiles on a board of any shape up to 25 cells: the 8-puzzle, the 15-puzzle, the 24-puzzle and their kin.

This class has no bound or Manhattan distance, on boards of one word. The other bounds, and boards of more than 16
cells, need states of their own, and so classes of their own, which `counting` names.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import Better, Counting, Instance, Want, parameter
from parsolve.puzzles.sliding import INSTANCES
from parsolve.puzzles.sliding.board import BOUND, COST, FOUR, ONE, SHIFT, TILE, TWO, Board
from parsolve.puzzles.sliding.geometry import ONE_WORD, Array, packed
from parsolve.puzzles.sliding.numbering import (
    Numbering,
    blank_of_number,
    board_of_number,
    is_numbered,
    number_of_board,
    numbering_of,
    shift_of_blank,
    size_of,
)
from parsolve.puzzles.sliding.partitions import FEW, group_sizes
from parsolve.puzzles.sliding.turns import LAST

Bound = Literal["none", "manhattan", "patterns", "auto"]

PAYS = 3_000_000
"""Nodes of an iteration by Manhattan distance, about 40 ms, after which `auto` uses pattern databases: the next
iteration would take as long as loading them."""

PAYS_WIDE = 500_000_000
"""The same on boards of more than 16 cells, whose tables take minutes to build."""

PAYS_KEPT = 2_000_000
"""Nodes of an iteration after which pattern databases by rank are used if they are kept: by Manhattan distance the next
iteration would take as long as preparing them, 0.2 s."""

LARGE = "7-8"
"""The best patterns on 4x4 cells: a sixth of the time of 5-5-5 on Korf's hundred, but 577 MB."""

PAYS_LARGE = 10_000_000_000
"""Nodes of an iteration after which these are built: by 5-5-5 they take as long, 370 s of CPU time."""

ANY_BOUND = 128
"""The bound of a state whose board alone is known: no move makes it negative or too large."""


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns."""

    word: Array  # uint8[turns]: 4 * the blank's next cell, + LAST at an arrival's last turn
    pair: Array  # uint64[turns]: a factor that moves a tile from there into the blank's cell
    step: Array  # uint64[turns * 16]: by turn and tile, the change of bound << 24 | move; or NEVER
    goal: np.uint64  # the solved board
    numbering: Numbering


@dataclass(frozen=True)
class Sliding(Board):
    """Slide tiles into the blank until they are in order. A solution prints as the tiles moved.

    none and manhattan need no memory. patterns: additive pattern databases, fewest nodes. auto: manhattan, and patterns
    once the iterations get long. All find the same.
    """

    bound: Bound = parameter("auto", "lower bound on the moves still needed", only_bounds=True)
    patterns: str = parameter(
        "", "how many tiles each pattern has, such as 5-5-5, 6-6-3 or 7-8; by shape if absent", only_bounds=True
    )

    # `cells` holds 4 bits a cell, cell 0 lowest. The order of the last three fields lets the compiler write them as one
    # word. `move` is an arrival: it gives the blank's cell and its previous one.
    state = np.dtype([("cells", "u8"), ("move", "u2"), ("cost", "u1"), ("bound", "u1")])

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patterns and self.bound not in ("patterns", "auto"):
            raise BadInput(
                f"sliding: patterns {self.patterns!r} are for the bounds patterns and auto, not {self.bound}"
            )
        group_sizes(self.patterns, len(self.homes))

    @classmethod
    def instances(cls) -> dict[str, Instance]:
        return INSTANCES

    def counting(self, want: Want) -> Counting | None:
        puzzle: Board = self
        if not self.is_one_word:
            from parsolve.puzzles.sliding.wide import WideManhattan

            puzzle = WideManhattan(self.start, self.shape, self.goal, "none" if self.bound == "none" else "manhattan")
        if self.bound == "patterns":
            return Counting(self.with_patterns(), unbounded=puzzle)
        return Counting(puzzle, unbounded=puzzle, better=self.better if self.bound == "auto" else ())

    @property
    def better(self) -> list[Better]:
        """The bounds that `auto` uses after Manhattan distance."""
        after = PAYS if self.is_one_word else PAYS_WIDE
        better = [Better(self.with_patterns, after, PAYS if self.fit_one_word(self.patterns) else PAYS_KEPT)]
        if self.rows_and_columns == (4, 4) and not self.patterns:
            better.append(Better(lambda: self.with_patterns(LARGE), PAYS_LARGE, PAYS_KEPT))
        return better

    def fit_one_word(self, patterns: str) -> bool:
        """Return whether the cells of all tiles, which give the places of patterns, fit in one word."""
        return self.is_one_word and max(group_sizes(patterns, len(self.homes))) <= FEW

    def with_patterns(self, patterns: str = "") -> Board:
        """Return the same position bounded by pattern databases: of these sizes, or of its own parameter's."""
        patterns = patterns or self.patterns
        if self.fit_one_word(patterns):
            from parsolve.puzzles.sliding.additive import AdditivePatterns

            return AdditivePatterns(self.start, self.shape, self.goal, patterns)
        from parsolve.puzzles.sliding.wide_patterns import WidePatterns

        return WidePatterns(self.start, self.shape, self.goal, patterns)

    def root(self, *distances: Any) -> dict[str, Any]:
        if not self.is_one_word:
            raise BadInput(f"sliding: breadth-first search takes up to {ONE_WORD} cells, not {len(self.homes)}")
        bound = 0 if self.bound == "none" else self.manhattan(self.start_tiles)
        return {**self.position(self.start_tiles), "bound": bound}

    def root_fields(self, tiles: Array, *distances: Any) -> dict[str, Array] | None:
        if not self.is_one_word:
            return None
        cells = np.arange(len(self.homes))
        bound = self.far[cells, tiles].sum(axis=1) * (self.bound != "none")
        return {"cells": (tiles.astype(np.uint64) << 4 * cells.astype(np.uint64)).sum(axis=1), "bound": bound}

    def tables(self, *distances: Any) -> Tables:
        gains = self.gains() * (self.bound != "none")
        step = (gains << 24).astype(np.uint64) + np.repeat(self.ways.steps, 16)
        return Tables(self.ways.words, self.ways.pairs, step, np.uint64(packed(self.goal_tiles)), self.numbering)

    @property
    def numbering(self) -> Numbering:
        """The lookups for numbering boards."""
        arrivals = [self.ways.arrivals[cell, None] for cell in range(len(self.homes))]
        return numbering_of(self.goal_tiles, self.rows_and_columns[1], arrivals)

    @property
    def size(self) -> int | None:
        cells, (_, columns) = len(self.homes), self.rows_and_columns
        return size_of(cells) if is_numbered(cells, columns) else None

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        cells = here.cells
        # bound << 24 | cost << 16 | move as one word, the parent's with one more cost: one addition makes it a
        # child's, one comparison with the limit prunes it, one store writes it.
        base = (np.uint64(here.bound) << BOUND | np.uint64(here.cost) << COST | np.uint64(here.move)) + (ONE << COST)
        beyond = np.uint64(limit - here.cost) << BOUND  # 0 if no move is left
        turn = np.uint64(here.move)
        top = np.uint64(top)
        while True:
            word = tables.word[turn]
            tile = (cells >> (np.uint64(word) & SHIFT)) & TILE
            sum_ = base + tables.step[(turn << FOUR) | tile]
            row = rows[top]
            row.cells = cells ^ (tile * tables.pair[turn])
            row.move = np.uint16(sum_)
            row.cost = np.uint8(sum_ >> COST)
            row.bound = np.uint8(sum_ >> BOUND)
            top += np.uint64(sum_ < beyond)
            turn += ONE
            if word & LAST:
                break
        return np.int64(top)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.cells = key
        row.move = tables.numbering.arrivals[shift_of_blank(key, tables.numbering.ones) >> TWO]
        row.bound = ANY_BOUND

    @staticmethod
    def index(tables: Any, here: Any) -> Any:
        return number_of_board(here.cells, tables.numbering)

    @staticmethod
    def unindex(tables: Any, number: Any, row: Any) -> Any:
        row.cells = board_of_number(number, tables.numbering)
        row.move = tables.numbering.arrivals[blank_of_number(number, tables.numbering)]
        row.bound = ANY_BOUND
