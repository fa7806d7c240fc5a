"""Sliding tiles on boards of more than 16 cells, up to 5x5, which do not fit in one word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve.puzzle.core import State, parameter
from parsolve.puzzles.sliding.board import BOUND, COST, ONE, TWO, Board
from parsolve.puzzles.sliding.geometry import Array
from parsolve.puzzles.sliding.turns import LAST

FIVE, CELL = np.uint64(5), np.uint64(31)

HALF = 12
"""The cells in each word of a key, 5 bits each; a 25th cell's tile follows from the others."""


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns."""

    word: Array  # uint8[turns]
    step: Array  # uint64[turns * 32]: by turn and tile, the change of bound << 24 | move; or NEVER
    blank: Array  # uint8[turns]: the tile's next cell
    goal: Array  # uint8[cells]: the solved board


@dataclass(frozen=True)
class WideBoard(Board):
    """A start and a goal on a board of any size."""

    @property
    def state(self) -> np.dtype[Any]:
        # `tiles`: the tile in each cell.
        return np.dtype([("tiles", "u1", (len(self.homes),)), ("move", "u2"), ("cost", "u1"), ("bound", "u1")])

    @property
    def tile_places(self) -> int:
        return 32

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        return {"tiles": [*tiles], "move": self.ways.arrivals[tiles.index(0), None]}

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        different = 0
        for cell in range(len(here.tiles)):
            different |= here.tiles[cell] ^ tables.goal[cell]
        return different == 0

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        first, second = np.uint64(0), np.uint64(0)
        for cell in range(min(HALF, len(here.tiles))):
            first = first << FIVE | np.uint64(here.tiles[cell])
        for cell in range(HALF, min(2 * HALF, len(here.tiles))):
            second = second << FIVE | np.uint64(here.tiles[cell])
        return first, second

    def tiles_of(self, state: State) -> list[int]:
        return list(state["tiles"])


@dataclass(frozen=True)
class WideManhattan(WideBoard):
    """Slide tiles into the blank until they are in order, on a board of any size, by Manhattan distance or none."""

    bound: Literal["none", "manhattan"] = parameter("manhattan", "lower bound on the moves still needed")

    def root(self, *distances: Any) -> dict[str, Any]:
        bound = 0 if self.bound == "none" else self.manhattan(self.start_tiles)
        return {**self.position(self.start_tiles), "bound": bound}

    def tables(self, *distances: Any) -> Tables:
        gains = self.gains() * (self.bound != "none")
        step = (gains << 24).astype(np.uint64) + np.repeat(self.ways.steps, self.tile_places)
        blank, goal = self.ways.ends[0].astype(np.uint8), np.array(self.goal_tiles, np.uint8)
        return Tables(self.ways.taken_words, step, blank, goal)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        base = (np.uint64(here.bound) << BOUND | np.uint64(here.cost) << COST | np.uint64(here.move)) + (ONE << COST)
        beyond = np.uint64(limit - here.cost) << BOUND
        turn = np.uint64(here.move)
        while True:
            word = tables.word[turn]
            near = (np.uint64(word) >> TWO) & CELL
            tile = here.tiles[near]
            sum_ = base + tables.step[(turn << FIVE) | np.uint64(tile)]
            if sum_ < beyond:
                row = rows[top]
                for cell in range(len(here.tiles)):
                    row.tiles[cell] = here.tiles[cell]
                row.tiles[tables.blank[turn]] = tile
                row.tiles[near] = 0
                row.move = np.uint16(sum_)
                row.cost = np.uint8(sum_ >> COST)
                row.bound = np.uint8(sum_ >> BOUND)
                top += 1
            turn += ONE
            if word & LAST:
                break
        return top
