"""Abstractions of sliding tiles: small puzzles whose distances are lower bounds for the board."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import bit_count, trailing_zeros
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle, State, Text, parameter
from parsolve.puzzle.parameters import whole_numbers
from parsolve.puzzles.sliding.geometry import MOST, Array, neighbours, reachable
from parsolve.puzzles.sliding.partitions import largest
from parsolve.puzzles.sliding.ranks import (
    BITS,
    CELL,
    ONE,
    ZERO,
    base_of,
    number_by_cells,
    numbers_of,
    packed_cells,
    placements,
    rank,
)


class PatternTables(NamedTuple):
    """The lookups of `Pattern`."""

    tiles: np.uint64  # number of distinguished tiles
    cells: np.uint64  # number of cells of the board
    columns: np.uint64
    blanks: np.uint64  # number of cells that these tiles leave free
    board: np.uint64  # the mask of all cells
    not_first: np.uint64  # the mask of the cells that are not in the first column
    not_last: np.uint64  # not in the last
    near: Array  # uint64[cells]: the mask of the cells beside a cell
    heads: Array  # uint64[placements]: the cells of the first half of the tiles
    rests: Array  # uint8[placements * others]: the cells left over by these, ascending
    others: np.uint64  # number of such cells
    tails: Array  # uint64[placements]: the places there of the second half and of the blank
    half: np.uint64  # BITS * number of tiles in the first half
    base: np.uint64  # base of the places in the table, see `ranks`; 0 if they are ranks
    goal_placed: np.uint64
    goal_blank: np.uint64


@dataclass(frozen=True)
class Pattern(Puzzle):
    """Bring some distinguished tiles home; the others look the same, and their moves cost nothing.

    So the blank is represented by the lowest cell that it can reach without moving a distinguished tile: only such
    tiles move, and each move costs 1. J. C. Culberson and J. Schaeffer, Pattern databases, Computational Intelligence
    14 (1998); R. E. Korf and A. Felner, Disjoint pattern database heuristics, Artificial Intelligence 134 (2002).
    """

    shape: str = parameter("4x4", "rows x columns")
    homes: Text = parameter("1 4 5 8 9", "the cells of these tiles at the goal, from 0")
    blank: int = parameter(0, "the cell of the blank at the goal", least=0, most=MOST - 1)
    start: Text = parameter("", "the cells of the tiles and of the blank at the start; at the goal if absent")

    # `placed` holds the cell of each tile, 5 bits each, the first lowest.
    state = np.dtype([("placed", "u8"), ("blank", "u1"), ("move", "u1"), ("cost", "u1")])
    graph = "reversible"

    def __post_init__(self) -> None:
        rows, columns = self.rows_and_columns
        tiles = len(self.home_cells)
        if not 1 <= tiles <= (most := largest(rows * columns)):
            raise BadInput(f"pattern: homes are 1 to {most} cells, not {tiles}")
        for name, cells in (("homes and blank", [*self.home_cells, self.blank]), ("start", self.start_cells)):
            if len(set(cells)) != tiles + 1 or not set(cells) <= set(range(rows * columns)):
                raise BadInput(f"pattern: {name} must be {tiles + 1} different cells below {rows * columns}")

    @cached_property
    def rows_and_columns(self) -> tuple[int, int]:
        """The shape of the board."""
        numbers = whole_numbers(self.shape.replace("x", " "), "pattern: shape")
        if len(numbers) != 2 or min(numbers) < 1 or not 2 <= math.prod(numbers) <= MOST:
            raise BadInput(f"pattern: shape is rows x columns of 2 to {MOST} cells, not {self.shape!r}")
        return numbers[0], numbers[1]

    @cached_property
    def home_cells(self) -> list[int]:
        """The homes."""
        return whole_numbers(self.homes, "pattern: homes")

    @cached_property
    def start_cells(self) -> list[int]:
        """The cells at the start, the blank's last."""
        return whole_numbers(self.start, "pattern: start") if self.start else [*self.home_cells, self.blank]

    @property
    def children(self) -> int:
        return 4 * len(self.home_cells)

    @property
    def size(self) -> int:
        return math.perm(math.prod(self.rows_and_columns), len(self.home_cells) + 1)

    @property
    def entries(self) -> int:
        return numbers_of(len(self.home_cells), math.prod(self.rows_and_columns))

    def position(self, cells: Sequence[int]) -> dict[str, Any]:
        """Return the state with given cells of the tiles and of the blank."""
        *placed, blank = cells
        rows, columns = self.rows_and_columns
        reached = reachable(blank, set(range(rows * columns)) - set(placed), rows, columns)
        return {"placed": packed_cells(placed), "blank": min(reached)}

    def root(self, *distances: Any) -> dict[str, Any]:
        return self.position(self.start_cells)

    def goals(self) -> list[dict[str, Any]]:
        return [self.position([*self.home_cells, self.blank])]

    def tables(self, *distances: Any) -> PatternTables:
        rows, columns = self.rows_and_columns
        cells, tiles = rows * columns, len(self.home_cells)
        half = (tiles + 1) // 2
        heads = placements(half, cells)
        goal = self.goals()[0]
        return PatternTables(
            np.uint64(tiles),
            np.uint64(cells),
            np.uint64(columns),
            np.uint64(cells - tiles),
            np.uint64((1 << cells) - 1),
            np.uint64(sum(1 << cell for cell in range(cells) if cell % columns)),
            np.uint64(sum(1 << cell for cell in range(cells) if cell % columns < columns - 1)),
            np.array([sum(1 << near for near in neighbours(cell, rows, columns)) for cell in range(cells)], np.uint64),
            heads,
            left_over(half, cells),
            np.uint64(cells - half),
            placements(tiles - half + 1, cells - half),
            np.uint64(half) * BITS,
            np.uint64(base_of(tiles, cells)),
            np.uint64(goal["placed"]),
            np.uint64(goal["blank"]),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.cost >= limit:
            return top
        taken = cells_taken(tables, here.placed)
        reached = reach(tables, ONE << np.uint64(here.blank), tables.board & ~taken)
        for tile in range(np.int64(tables.tiles)):
            shift = np.uint64(tile) * BITS
            cell = (here.placed >> shift) & CELL
            ways = tables.near[cell] & reached
            while ways != ZERO:
                to = np.uint64(trailing_zeros(ways))
                ways &= ways - ONE
                free = tables.board & ~(taken ^ (ONE << cell) ^ (ONE << to))
                row = rows[top]
                row.placed = here.placed ^ ((cell ^ to) << shift)
                row.blank = trailing_zeros(reach(tables, ONE << cell, free))
                row.move = np.uint64(tile) << BITS | to
                row.cost = here.cost + 1
                top += 1
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.placed == tables.goal_placed and here.blank == tables.goal_blank

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.placed << BITS | np.uint64(here.blank)

    @staticmethod
    def index(tables: Any, here: Any) -> Any:
        taken, bit = cells_taken(tables, here.placed), ONE << np.uint64(here.blank)
        place = np.uint64(here.blank) - np.uint64(bit_count(taken & (bit - ONE)))
        return rank(here.placed, tables.tiles, tables.cells) * tables.blanks + place

    @staticmethod
    def unindex(tables: Any, number: Any, row: Any) -> Any:
        row.placed, row.blank = placed_and_blank(tables, number)
        row.move = 0

    @staticmethod
    def entry(tables: Any, number: Any) -> Any:
        if tables.base == ZERO:
            return number // tables.blanks
        placed, _ = placed_and_blank(tables, number)
        return number_by_cells(placed, tables.tiles, tables.base)

    def show_state(self, state: State) -> str:
        cells = [state["placed"] >> int(BITS) * tile & int(CELL) for tile in range(len(self.home_cells))]
        return f"{' '.join(map(str, cells))}, blank {state['blank']}"


def placed_and_blank(tables: Any, number: Any) -> Any:
    """Return the cells of the tiles, as in a state, and of the blank, from the state's number: uint64, uint8."""
    head = number // np.uint64(tables.tails.size)
    tail = tables.tails[number - head * np.uint64(tables.tails.size)]
    placed, rest = tables.heads[head], head * tables.others
    shift = tables.half
    while shift < tables.tiles * BITS:
        placed |= np.uint64(tables.rests[rest + (tail & CELL)]) << shift
        tail >>= BITS
        shift += BITS
    return placed, tables.rests[rest + (tail & CELL)]


def cells_taken(tables: Any, placed: Any) -> Any:
    """Return the mask of the cells of the distinguished tiles: uint64."""
    taken, shift = ZERO, ZERO
    while shift < tables.tiles * BITS:
        taken |= ONE << ((placed >> shift) & CELL)
        shift += BITS
    return taken


def reach(tables: Any, cells: Any, free: Any) -> Any:
    """Return the mask of the free cells that can be reached from given cells: uint64."""
    while True:
        more = (
            cells
            | ((cells << ONE) & tables.not_first)
            | ((cells >> ONE) & tables.not_last)
            | (cells << tables.columns)
            | (cells >> tables.columns)
        ) & free
        if more == cells:
            return cells
        cells = more


@cache
def left_over(tiles: int, cells: int) -> Array:
    """Return the cells left over by each placement of some tiles, ascending: uint8[placements * (cells - tiles)]."""
    heads = placements(tiles, cells)
    taken = np.zeros((len(heads), cells), np.bool_)
    for tile in range(tiles):
        taken[np.arange(len(heads)), heads >> np.uint64(tile) * BITS & CELL] = True
    return np.nonzero(~taken)[1].astype(np.uint8)
