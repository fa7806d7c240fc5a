"""A position of sliding tiles as a puzzle without a bound: the base of all classes of this family."""

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle, Roots, Shape, State, Text, parameter
from parsolve.puzzle.parameters import values_of
from parsolve.puzzles.sliding.geometry import MOST, ONE_WORD, Array, check_tiles, packed, solvable, starts_of, tiles_in
from parsolve.puzzles.sliding.turns import Turns, turns_of_shape
from parsolve.text import whole

EIGHT = "8 6 7 2 5 4 3 0 1"
"""One of the two hardest 8-puzzles: 31 moves. A. Reinefeld, Complete solution of the eight-puzzle, IJCAI 1993."""

# Fixed-width constants: compiled code would mix an int64 and a uint64 into a signed value, or a float.
ONE, TWO, FOUR = np.uint64(1), np.uint64(2), np.uint64(4)
TILE, SHIFT = np.uint64(15), np.uint64(63)
COST, BOUND = np.uint64(16), np.uint64(24)


@dataclass(frozen=True)
class Board(Puzzle):
    """A start and a goal on a board."""

    start: Text = parameter(
        "any", "the tiles row by row, 0 the blank; any: the shape's goal, or without one an 8-puzzle"
    )
    shape: str = parameter("", "rows x columns, such as 3x4; the squarest if absent, rows <= columns")
    goal: Text = parameter("blank-last", "blank-last, blank-first, or a list of tiles")

    children = 4
    graph = "bipartite"

    def __post_init__(self) -> None:
        self.goal_tiles, self.rows_and_columns  # noqa: B018 (they refuse what is wrong)

    def unsolvable(self) -> str:
        if solvable(self.start_tiles, self.goal_tiles, *self.rows_and_columns):
            return ""
        is_row = 1 in self.rows_and_columns
        why = "in one row tiles keep their order" if is_row else "the start has the wrong parity"
        return f"the goal cannot be reached: {why}"

    @cached_property
    def start_tiles(self) -> list[int]:
        """The tiles at the start, by cell."""
        if self.start == "any" and self.shape:
            rows, columns = self.rows_and_columns
            return self.tiles_of_goal(rows * columns)
        tiles = tiles_in(EIGHT if self.start == "any" else self.start, "start")
        if not 2 <= len(tiles) <= MOST:
            raise BadInput(f"sliding: start has {len(tiles)} cells; 2 to {MOST} are possible")
        check_tiles(tiles, "start")
        return tiles

    @cached_property
    def goal_tiles(self) -> list[int]:
        """The tiles at the goal, by cell."""
        return self.tiles_of_goal(len(self.start_tiles))

    def tiles_of_goal(self, cells: int) -> list[int]:
        """Return the tiles at the goal of a board with this number of cells."""
        if self.goal == "blank-last":
            return [*range(1, cells), 0]
        if self.goal == "blank-first":
            return list(range(cells))
        if not any(letter.isdigit() for letter in self.goal):
            raise BadInput(f"sliding: goal is blank-last, blank-first or a list of tiles, not {self.goal!r}")
        tiles = tiles_in(self.goal, "goal")
        if len(tiles) != cells:
            raise BadInput(
                f"sliding: goal has {len(tiles)} cells, {'shape' if self.start == 'any' else 'start'} has {cells}"
            )
        check_tiles(tiles, "goal")
        return tiles

    @cached_property
    def homes(self) -> list[int]:
        """The cell of each tile at the goal, by tile."""
        return [self.goal_tiles.index(tile) for tile in range(len(self.goal_tiles))]

    @cached_property
    def rows_and_columns(self) -> tuple[int, int]:
        """The shape of the board."""
        if not self.shape:
            cells = len(self.start_tiles)
            rows = max(r for r in range(1, math.isqrt(cells) + 1) if cells % r == 0)
            return rows, cells // rows
        try:
            rows, columns = (whole(word) for word in self.shape.lower().split("x"))
        except ValueError:
            raise BadInput(f"sliding: shape is rows x columns, such as 3x4, not {self.shape!r}") from None
        if rows < 1 or columns < 1 or not 2 <= rows * columns <= MOST:
            raise BadInput(f"sliding: shape {self.shape} has not 2 to {MOST} cells")
        if self.start != "any" and rows * columns != (cells := len(self.start_tiles)):
            raise BadInput(f"sliding: shape {self.shape} does not fit the {cells} cells of start")
        return rows, columns

    @property
    def is_one_word(self) -> bool:
        """Whether the board fits in one word, 4 bits a cell."""
        return len(self.homes) <= ONE_WORD

    @property
    def tile_places(self) -> int:
        """The length of a table by tile: a power of 2."""
        return 16 if self.is_one_word else 32

    @property
    def ways(self) -> Turns:
        """The turns of this shape."""
        return turns_of_shape(*self.rows_and_columns)

    @cached_property
    def far(self) -> Array:
        """The Manhattan distance between each tile's home and each cell: int64[cells, tile_places]; 0 for the blank,
        and beyond the last tile."""
        _, columns = self.rows_and_columns
        far = np.zeros((len(self.homes), self.tile_places), np.int64)
        cells, homes = np.arange(len(self.homes))[:, None], np.array(self.homes)[None, 1:]
        rows_apart, columns_apart = cells // columns - homes // columns, cells % columns - homes % columns
        far[:, 1 : len(self.homes)] = abs(rows_apart) + abs(columns_apart)
        return far

    def manhattan(self, tiles: Sequence[int]) -> int:
        """Return the Manhattan distance of all tiles."""
        return sum(int(self.far[cell, tile]) for cell, tile in enumerate(tiles))

    def gains(self) -> Array:
        """Return the change of Manhattan distance by turn and tile: int64[turns * tile_places]."""
        cells, nears = self.ways.ends
        gains: Array = (self.far[cells] - self.far[nears]).ravel()
        return gains

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        """Return a state without a history, with all its fields except those of bounds."""
        return {"cells": packed(tiles), "move": self.ways.arrivals[tiles.index(0), None]}

    def batch_key(self) -> Hashable:
        # An absent shape depends on the number of tiles.
        others = (value for name, value in values_of(self).items() if name not in ("start", "shape", "goal"))
        return self.rows_and_columns, *self.goal_tiles, *others

    root_parameters = ("start",)

    def roots(self, texts: Mapping[str, Sequence[str]], state: Any, *distances: Any) -> Roots | None:
        rows, columns = self.rows_and_columns
        tiles, read = starts_of(texts["start"], self.goal_tiles, rows, columns)
        fields = self.root_fields(tiles, *distances)
        if fields is None:
            return None
        states, blanks = np.zeros(len(tiles), state), np.argmin(tiles, axis=1)
        states["move"] = np.array([self.ways.arrivals[cell, None] for cell in range(rows * columns)])[blanks]
        for name, values in fields.items():
            states[name] = values
        odd = (blanks // columns + blanks % columns + self.homes[0] // columns + self.homes[0] % columns) % 2
        return Roots(states, read, [self.limits_of(parity) for parity in (0, 1)], odd)

    def root_fields(self, tiles: Array, *distances: Any) -> dict[str, Array] | None:
        """Return the fields of many roots, without `move`: n values of each; None if each must be made by itself.

        Args:
            tiles: int64[n, cells]: the tiles of each start, by cell.
            distances: see `root`.
        """
        return None

    def goals(self) -> list[dict[str, Any]]:
        return [self.position(self.goal_tiles)]

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.cells == tables.goal

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.cells

    def limits(self) -> Iterable[int]:
        # Every move changes the parity of the blank's cell, so only every second limit can be met.
        _, columns = self.rows_and_columns
        ends = (tiles.index(0) for tiles in (self.start_tiles, self.goal_tiles))
        return self.limits_of(sum(cell // columns + cell % columns for cell in ends) % 2)

    @staticmethod
    def limits_of(parity: int) -> range:
        """Return the limits of starts whose blank is at an even or odd distance from its home: parity 0 or 1."""
        return range(parity, np.iinfo(np.uint8).max, 2)

    def tiles_of(self, state: State) -> list[int]:
        """Return the tiles of a state, by cell."""
        return [state["cells"] >> 4 * cell & 15 for cell in range(len(self.start_tiles))]

    def show_state(self, state: State) -> str:
        return " ".join(map(str, self.tiles_of(state)))

    def show(self, solution: Any) -> str:
        boards = [self.tiles_of(state) for state in solution.states]
        return " ".join(str(board[after.index(0)]) for board, after in itertools.pairwise(boards))

    def render(self, state: State, moves: Sequence[int]) -> str:
        return self.drawn(self.tiles_of(state))

    def drawn(self, tiles: Sequence[int]) -> str:
        """Return tiles as text, row by row."""
        _, columns = self.rows_and_columns
        width = len(str(len(tiles) - 1))
        cells = [(str(tile) if tile else "·").rjust(width) for tile in tiles]
        return "\n".join(" ".join(cells[at : at + columns]) for at in range(0, len(cells), columns))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        rows, columns = self.rows_and_columns
        board = Shape("box", (columns - 1) / 2, (rows - 1) / 2, "board", columns + 0.2, rows + 0.2)
        places = ((tile, *divmod(cell, columns)) for cell, tile in enumerate(self.tiles_of(state)) if tile)
        tiles = (Shape("box", x, y, "piece", 0.94, 0.94, str(tile), f"tile {tile}") for tile, y, x in places)
        return [board, *tiles]

    def overview(self) -> str:
        return f"start:\n{self.drawn(self.start_tiles)}\n\ngoal:\n{self.drawn(self.goal_tiles)}"
