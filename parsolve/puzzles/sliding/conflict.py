"""Sliding tiles bounded by linear conflict.

Two tiles in their home line, in the wrong order, cannot pass each other within it: one of them must leave the line and
come back, two moves more than Manhattan distance. All tiles outside a longest rising sequence must leave. O. Hansson,
A. Mayer and M. Yung, Criticizing solutions to relaxed models yields powerful admissible heuristics, Information
Sciences 63 (1992) 207–227.
"""

import bisect
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding.board import FOUR, Board, write_siblings
from parsolve.puzzles.sliding.geometry import packed

LONGEST = 7
"""Maximum length of lines in which conflicts are looked for: three bits hold a tile's place in its line."""


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns. The contents of a line hold 3 bits a cell: for a tile in its
    home line the place of its home, from 1; otherwise 0."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    vertical: np.ndarray[Any, Any]  # uint8[turns]: 1 if a tile moves from one row into another
    left: np.ndarray[Any, Any]  # uint64[turns]: the beginning of the contents of the line that the tile leaves
    entered: np.ndarray[Any, Any]  # uint64[turns]: of the line that it enters
    line: np.ndarray[Any, Any]  # uint64[turns]: the mask of such a line
    gain: np.ndarray[Any, Any]  # int64[turns * 16]: the change of Manhattan distance
    across: np.ndarray[Any, Any]  # uint64[turns * 16]: the change of the contents of all rows, by exclusive or
    down: np.ndarray[Any, Any]  # uint64[turns * 16]: of all columns
    more: np.ndarray[Any, Any]  # int64[contents]: by a line's contents, the moves beyond Manhattan distance
    goal: np.uint64


@dataclass(frozen=True)
class LinearConflict(Board):
    """Slide tiles into the blank until they are in order, bounded by Manhattan distance and linear conflicts."""

    state = np.dtype(
        [("cells", "u8"), ("across", "u8"), ("down", "u8"), ("move", "u2"), ("cost", "u1"), ("bound", "u1")]
    )

    @cached_property
    def contents(self) -> np.ndarray[Any, Any]:
        """The contribution of each tile in each cell to the contents of all rows and of all columns: uint64[2, cells,
        16]."""
        rows, columns = self.rows_and_columns
        contents = np.zeros((2, len(self.homes), 16), np.uint64)
        for cell, tile in itertools.product(range(len(self.homes)), range(1, len(self.homes))):
            (row, column), (home_row, home_column) = divmod(cell, columns), divmod(self.homes[tile], columns)
            if row == home_row and columns <= LONGEST:
                contents[0, cell, tile] = (home_column + 1) << 3 * cell
            if column == home_column and rows <= LONGEST:
                contents[1, cell, tile] = (home_row + 1) << 3 * (column * rows + row)
        return contents

    @cached_property
    def more(self) -> np.ndarray[Any, Any]:
        """The moves in addition to Manhattan distance by the contents of a line; see `conflicts`."""
        return conflicts(min(LONGEST, max(self.rows_and_columns)))

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        across, down = (sum(int(each[cell, tile]) for cell, tile in enumerate(tiles)) for each in self.contents)
        return {**super().position(tiles), "across": across, "down": down}

    def root(self, *distances: Any) -> dict[str, Any]:
        fields = self.position(self.start_tiles)
        rows, columns = self.rows_and_columns
        bound = sum(self.manhattan_by_axis(self.start_tiles))
        for word, lines, length in ((fields["across"], rows, columns), (fields["down"], columns, rows)):
            if length <= LONGEST:
                mask = (1 << 3 * length) - 1
                bound += sum(int(self.more[word >> 3 * length * line & mask]) for line in range(lines))
        return {**fields, "bound": bound}

    def tables(self, *distances: Any) -> Tables:
        rows, columns = self.rows_and_columns
        cells, nears = self.ways.ends
        across, down = (each[cells] ^ each[nears] for each in self.contents)
        lengths = np.where(self.ways.vertical, columns, rows)

        def begins(ends: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            """Return the beginnings of the contents of the cells' rows, or of their columns; 0 if these are empty."""
            begins = np.where(self.ways.vertical, 3 * (ends // columns * columns), 3 * (ends % columns * rows))
            return np.where(lengths <= LONGEST, begins, 0).astype(np.uint64)

        return Tables(
            self.ways.words,
            self.ways.pairs,
            self.ways.steps,
            self.ways.vertical.astype(np.uint8),
            begins(nears),
            begins(cells),
            np.array([(1 << 3 * length) - 1 if length <= LONGEST else 0 for length in lengths.tolist()], np.uint64),
            self.gains(),
            across.ravel(),
            down.ravel(),
            self.more,
            np.uint64(packed(self.goal_tiles)),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return write_siblings(tables, here, limit, rows, top, passed)


def passed(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the contents of a child's lines, and return its bound; see `write_siblings`."""
    return np.uint64(np.int64(here.bound) + change(tables, here, row, turn, tile))


def change(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the contents of a child's lines, and return the change of its bound from its parent's: int64."""
    place = (turn << FOUR) | tile
    across, down = here.across, here.down
    after_across, after_down = across ^ tables.across[place], down ^ tables.down[place]
    row.across, row.down = after_across, after_down
    # Only the two lines change between which the tile moves: along its own line it passes no tile.
    before, after = (across, after_across) if tables.vertical[turn] else (down, after_down)
    left, entered, line = tables.left[turn], tables.entered[turn], tables.line[turn]
    more = tables.more
    return (
        tables.gain[place]
        - more[(before >> left) & line]
        - more[(before >> entered) & line]
        + more[(after >> left) & line]
        + more[(after >> entered) & line]
    )


@cache
def conflicts(length: int) -> np.ndarray[Any, Any]:
    """Return int64[8^length]: by the contents of a line, twice the number of tiles that must leave it."""
    more = np.zeros(1 << 3 * length, np.int64)
    fill(more, length, 0, 0, ())
    return more


def fill(more: np.ndarray[Any, Any], length: int, cell: int, contents: int, places: tuple[int, ...]) -> None:
    """Fill in `more` for all contents that begin with the same cells.

    Args:
        more: see `conflicts`.
        length: length of the line.
        cell: the first open cell.
        contents: contents of the cells before.
        places: the places, from 1, of the tiles in the cells before that belong to the line.
    """
    if cell == length:
        more[contents] = 2 * (len(places) - longest_rising(places))
        return
    for place in range(length + 1):
        if place not in places:
            fill(more, length, cell + 1, contents | place << 3 * cell, (*places, place) if place else places)


def longest_rising(numbers: Sequence[int]) -> int:
    """Return the length of the longest rising subsequence (C. Schensted, Canad. J. Math. 13, 1961)."""
    ends: list[int] = []
    for number in numbers:
        at = bisect.bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)
