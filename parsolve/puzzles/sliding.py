"""Sliding tiles on a board of any shape up to 16 cells: the 8-puzzle, the 15-puzzle and their kin."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.parameters import whole_numbers
from parsolve.puzzle import Puzzle, State, parameter

if TYPE_CHECKING:
    from parsolve.replay import Solution


class Tables(NamedTuple):
    """What the rules look up. A turn is a way for the blank to leave a cell, not back to where it came from.

    The turns of one arrival (the blank's cell and the one it came from) stand together, cells ascending. Every arrival
    has as many, the last of them never taken where there are fewer ways: so the processor foresees how often the
    rules loop, and what it would lose by a wrong guess is more than two turns.
    """

    word: np.ndarray[Any, Any]  # uint8[turns]: 4 * the cell that the blank goes to, + LAST at an arrival's last
    pair: np.ndarray[Any, Any]  # uint64[turns]: a tile times this moves it from there into the blank's cell
    step: np.ndarray[Any, Any]  # uint64[turns * 16]: by turn and tile, the change of bound << 24 | move; or NEVER
    goal: np.uint64  # the solved board


LAST = 64
NEVER = 1 << 62  # beyond any limit, and so is its sum with a bound and a cost

# Fixed-width constants: compiled code would turn an int64 beside a uint64 into something signed, or a float.
ONE = np.uint64(1)
SHIFT = np.uint64(63)
TILE = np.uint64(15)
FOUR = np.uint64(4)
COST = np.uint64(16)
BOUND = np.uint64(24)


@dataclass(frozen=True)
class Sliding(Puzzle):
    """Slide tiles into the blank until they stand in order. A solution prints as the tiles moved."""

    start: str = parameter("8 6 7 2 5 4 3 0 1", "the tiles row by row, 0 the blank")
    shape: str = parameter("", "rows x columns, such as 3x4; the squarest if absent, rows <= columns")
    goal: str = parameter("blank-last", "blank-last, blank-first, or a list of tiles")
    bound: Literal["none", "manhattan"] = parameter("manhattan", "lower bound on the moves still needed")

    # `cells` holds 4 bits a cell, cell 0 lowest. The order of the last three fields lets the compiler write
    # them as one word. `move` is an arrival: it tells the blank's cell and the one it came from.
    state = np.dtype([("cells", "u8"), ("move", "u2"), ("cost", "u1"), ("bound", "u1")])
    children = 4

    def __post_init__(self) -> None:
        start, goal = self.start_tiles, self.goal_tiles
        rows, columns = self.rows_and_columns
        if not solvable(start, goal, rows, columns):
            raise BadInput(f"sliding: the goal cannot be reached from start {self.start!r} (wrong parity)")

    @cached_property
    def start_tiles(self) -> list[int]:
        """The tiles at the start, by cell."""
        tiles = whole_numbers(self.start, "sliding: start")
        if not 2 <= len(tiles) <= 16:
            raise BadInput(f"sliding: start has {len(tiles)} cells; 2 to 16 are possible")
        check_tiles(tiles, "start")
        return tiles

    @cached_property
    def goal_tiles(self) -> list[int]:
        """The tiles at the goal, by cell."""
        cells = len(self.start_tiles)
        if self.goal == "blank-last":
            return [*range(1, cells), 0]
        if self.goal == "blank-first":
            return list(range(cells))
        if not any(letter.isdigit() for letter in self.goal):
            raise BadInput(f"sliding: goal is blank-last, blank-first or a list of tiles, not {self.goal!r}")
        tiles = whole_numbers(self.goal, "sliding: goal")
        if len(tiles) != cells:
            raise BadInput(f"sliding: goal has {len(tiles)} cells, start has {cells}")
        check_tiles(tiles, "goal")
        return tiles

    @cached_property
    def rows_and_columns(self) -> tuple[int, int]:
        """The shape of the board."""
        cells = len(self.start_tiles)
        if not self.shape:
            rows = max(r for r in range(1, math.isqrt(cells) + 1) if cells % r == 0)
            return rows, cells // rows
        try:
            rows, columns = (int(word) for word in self.shape.lower().split("x"))
        except ValueError:
            raise BadInput(f"sliding: shape is rows x columns, such as 3x4, not {self.shape!r}") from None
        if rows < 1 or columns < 1 or rows * columns != cells:
            raise BadInput(f"sliding: shape {self.shape} does not fit the {cells} cells of start")
        return rows, columns

    @cached_property
    def arrivals(self) -> dict[tuple[int, int | None], int]:
        """The first turn of each arrival, by the blank's cell and the cell it came from (None: the start)."""
        first, turns = {}, 0
        for cell in range(len(self.start_tiles)):
            around = neighbours(cell, *self.rows_and_columns)
            for came in (None, *around):
                first[cell, came] = turns
                turns += self.turns(cell, came)
        return first

    def turns(self, cell: int, came: int | None) -> int:
        """The turns of an arrival: as many for all but the start's, whose blank did not come from anywhere."""
        shape = self.rows_and_columns
        if came is None:
            return max(1, len(neighbours(cell, *shape)))
        return max(1, *(len(neighbours(each, *shape)) - 1 for each in range(len(self.start_tiles))))

    def distance(self, tile: int, cell: int) -> int:
        """The Manhattan distance of a tile's cell from its place in the goal; 0 if there is no bound."""
        if self.bound == "none" or tile == 0 or tile not in self.goal_tiles:
            return 0
        _, columns = self.rows_and_columns
        home = self.goal_tiles.index(tile)
        return abs(home // columns - cell // columns) + abs(home % columns - cell % columns)

    def root(self) -> dict[str, Any]:
        return {
            "cells": packed(self.start_tiles),
            "bound": sum(self.distance(tile, cell) for cell, tile in enumerate(self.start_tiles)),
            "move": self.arrivals[self.start_tiles.index(0), None],
        }

    def tables(self) -> Tables:
        word: list[int] = []
        pair: list[int] = []
        step: list[int] = []
        for cell, came in self.arrivals:
            ways = [near for near in neighbours(cell, *self.rows_and_columns) if near != came]
            for near in ways:
                gains = [self.distance(tile, cell) - self.distance(tile, near) for tile in range(16)]
                word.append(4 * near)
                pair.append(1 << 4 * cell | 1 << 4 * near)
                turned = self.arrivals[near, cell] - self.arrivals[cell, came]
                step.extend(((gain << 24) + turned) % (1 << 64) for gain in gains)
            never = self.turns(cell, came) - len(ways)
            word.extend([4 * cell] * never)
            pair.extend([0] * never)
            step.extend([NEVER] * 16 * never)
            word[-1] |= LAST
        return Tables(
            np.array(word, np.uint8),
            np.array(pair, np.uint64),
            np.array(step, np.uint64),
            np.uint64(packed(self.goal_tiles)),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        cells = here.cells
        # bound << 24 | cost << 16 | move as one word, the parent's with one more cost: one addition makes it a
        # child's, one comparison holds it against the limit, one store writes it.
        base = (np.uint64(here.bound) << BOUND | np.uint64(here.cost) << COST | np.uint64(here.move)) + (ONE << COST)
        beyond = np.uint64(limit - here.cost) << BOUND  # 0 where no move is left
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
    def solved(tables: Any, here: Any) -> Any:
        return here.cells == tables.goal

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.cells

    def goals(self) -> list[dict[str, Any]]:
        return [
            {"cells": packed(self.goal_tiles), "move": self.arrivals[self.goal_tiles.index(0), None]},
        ]

    def tiles_of(self, state: State) -> list[int]:
        """Return the tiles of a state, by cell."""
        return [state["cells"] >> 4 * cell & 15 for cell in range(len(self.start_tiles))]

    def show_state(self, state: State) -> str:
        return " ".join(map(str, self.tiles_of(state)))

    def limits(self) -> Iterable[int]:
        # Every move changes the parity of the blank's cell, so that only every other limit can be met.
        _, columns = self.rows_and_columns
        ends = (tiles.index(0) for tiles in (self.start_tiles, self.goal_tiles))
        parity = sum(cell // columns + cell % columns for cell in ends) % 2
        first = self.root()["bound"]
        return range(first + (first - parity) % 2, np.iinfo(np.uint8).max, 2)

    def show(self, solution: "Solution") -> str:
        boards = [self.tiles_of(state) for state in solution.states]
        return " ".join(str(board[after.index(0)]) for board, after in itertools.pairwise(boards))

    def render(self, state: State, moves: Sequence[int]) -> str:
        _, columns = self.rows_and_columns
        width = len(str(len(self.start_tiles) - 1))
        cells = [(str(tile) if tile else "·").rjust(width) for tile in self.tiles_of(state)]
        return "\n".join(" ".join(cells[at : at + columns]) for at in range(0, len(cells), columns))


def packed(tiles: Sequence[int]) -> int:
    """The tiles as 4 bits a cell, cell 0 lowest."""
    return sum(tile << 4 * cell for cell, tile in enumerate(tiles))


def neighbours(cell: int, rows: int, columns: int) -> list[int]:
    """The cells beside a cell, ascending."""
    row, column = divmod(cell, columns)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns]


def check_tiles(tiles: Sequence[int], what: str) -> None:
    """Refuse a list of tiles that is not 0 … n - 1 in some order.

    Raises:
        BadInput: says which tiles are out of range, doubled or missing.
    """
    every = range(len(tiles))
    wrong = {
        "out of range": sorted({tile for tile in tiles if tile not in every}),
        "doubled": sorted({tile for tile in tiles if tiles.count(tile) > 1}),
        "missing": [tile for tile in every if tile not in tiles],
    }
    if any(wrong.values()):
        faults = (f"{fault}: {' '.join(map(str, which))}" for fault, which in wrong.items() if which)
        raise BadInput(f"sliding: {what} has tiles {', '.join(faults)}")


def solvable(start: Sequence[int], goal: Sequence[int], rows: int, columns: int) -> bool:
    """Whether the goal can be reached: the permutation's parity is that of the blank's distance.

    On a single row the tiles can never pass each other.
    (Wm. W. Johnson and W. E. Story, Notes on the "15" Puzzle, Amer. J. Math. 2, 1879.)
    """
    if rows == 1 or columns == 1:
        return [tile for tile in start if tile] == [tile for tile in goal if tile]
    places = [goal.index(tile) for tile in start]
    swaps = sum(a > b for i, a in enumerate(places) for b in places[i + 1 :])
    blank, home = start.index(0), goal.index(0)
    return (swaps + abs(blank // columns - home // columns) + abs(blank % columns - home % columns)) % 2 == 0
