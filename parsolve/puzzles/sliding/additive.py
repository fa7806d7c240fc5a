"""Sliding tiles bounded by pattern databases of few tiles each, on boards of one word.

A pattern's place in its table is given by the cells of its tiles, 4 bits each: a move changes it by one exclusive or.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzle.core import parameter
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.board import BOUND, COST, ONE, SHIFT, TILE, Board
from parsolve.puzzles.sliding.geometry import Array, packed, symmetries
from parsolve.puzzles.sliding.partitions import group_sizes, partition
from parsolve.puzzles.sliding.ranks import numbered
from parsolve.puzzles.sliding.turns import LAST

SIX, TWELVE, SIXTEEN, EIGHTEEN = (np.uint64(number) for number in (6, 12, 16, 18))


@dataclass(frozen=True)
class Patterned(Board):
    """A board whose tiles are divided into patterns.

    Each pattern counts only the moves of its own tiles, so the patterns' distances add up. If a symmetry of the board
    leaves the goal's blank in place, the board's image is equally far from the goal: the greater of both sums is the
    bound. R. E. Korf and A. Felner, Disjoint pattern database heuristics, Artificial Intelligence 134 (2002) 9-22.
    """

    patterns: str = parameter("", "how many tiles each pattern has, such as 5-5-5; by shape if absent")

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """The homes of each pattern's tiles."""
        sizes = group_sizes(self.patterns, len(self.homes))
        return partition(*self.rows_and_columns, self.homes[0], sizes)

    def abstractions(self) -> list[Pattern]:
        rows, columns = self.rows_and_columns
        shape = f"{rows}x{columns}"
        return [Pattern(shape, " ".join(map(str, group)), self.homes[0]) for group in self.groups]

    @cached_property
    def images(self) -> list[tuple[int, ...]]:
        """The image of each cell under the identity, and, if there is one, under a symmetry that leaves the goal's
        blank in place, but not every pattern."""
        blank, groups = self.homes[0], {frozenset(group) for group in self.groups}
        others = (
            image
            for image in symmetries(*self.rows_and_columns)
            if image[blank] == blank and {frozenset(image[cell] for cell in group) for group in groups} != groups
        )
        return [tuple(range(len(self.homes))), *itertools.islice(others, 1)]


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns. Values by tile are for the board's image from 16 on."""

    word: Array  # uint8[turns]
    pair: Array  # uint64[turns]
    step: Array  # uint64[turns]
    onward: Array  # uint64[turns]: the change of the tile's cell, for an exclusive or
    mirrored: Array  # uint64[turns]: the same in the image
    where: Array  # uint64[32]: by tile, the place of its distances, see `place_in`
    distances: Array  # uint8[entries]: of all patterns, one after another
    symmetric: np.uint8  # whether there is an image
    goal: np.uint64


@dataclass(frozen=True)
class AdditivePatterns(Patterned):
    """Slide tiles into the blank until they are in order, bounded by pattern databases of few tiles each."""

    # `placed` holds the cell of each tile, 4 bits each, pattern by pattern; `image` the same for the board's image.
    # `direct` and `other` are the sums of their distances.
    state = np.dtype(
        [
            ("cells", "u8"),
            ("placed", "u8"),
            ("image", "u8"),
            ("move", "u2"),
            ("cost", "u1"),
            ("bound", "u1"),
            ("direct", "u1"),
            ("other", "u1"),
        ]
    )

    def cells_in(self, tiles: Sequence[int]) -> list[list[int]]:
        """Return the cells of the tiles in each image of the board, pattern by pattern."""
        order = [home for group in self.groups for home in group]
        every = []
        for image in self.images:
            cells = {image[self.homes[tile]]: image[cell] for cell, tile in enumerate(tiles) if tile}
            every.append([cells[home] for home in order])
        return every

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        words = map(packed, self.cells_in(tiles))
        return {**super().position(tiles), **dict(zip(("placed", "image"), words, strict=False))}

    def root(self, *distances: Any) -> dict[str, Any]:
        sums = []
        for cells in self.cells_in(self.start_tiles):
            ends = itertools.accumulate(map(len, self.groups))
            parts = [np.array(cells[end - len(group) : end]) for end, group in zip(ends, self.groups, strict=True)]
            places = [numbered(part, len(self.homes)) for part in parts]
            sums.append(sum(int(each[place]) for each, place in zip(distances, places, strict=True)))
        known = dict(zip(("direct", "other"), sums, strict=False))
        return {**self.position(self.start_tiles), **known, "bound": max(sums)}

    def tables(self, *distances: Any) -> Tables:
        cells, nears = self.ways.ends
        first, last = (np.array(image, np.uint64) for image in (self.images[0], self.images[-1]))
        return Tables(
            self.ways.taken_words,
            self.ways.pairs,
            self.ways.steps,
            first[cells] ^ first[nears],
            last[cells] ^ last[nears],
            self.where,
            np.concatenate(distances),
            np.uint8(len(self.images) > 1),
            np.uint64(packed(self.goal_tiles)),
        )

    @property
    def where(self) -> Array:
        """The place of the distances of each tile's pattern, see `place_in`: uint64[32], for the image from 16 on."""
        where = np.zeros(32, np.uint64)
        begin = base = 0
        for group in self.groups:
            for number, home in enumerate(group):
                words = begin + 4 * number, 64 - begin - 4 * len(group), 64 - 4 * len(group), base
                for first, image in ((0, self.images[0]), (16, self.images[-1])):
                    tile = [image[home] for home in self.homes].index(home)
                    where[first + tile] = sum(word << 6 * place for place, word in enumerate(words))
            begin += 4 * len(group)
            base += 16 ** len(group)
        return where

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        cells = here.cells
        base = (np.uint64(here.cost) + ONE) << COST | np.uint64(here.move)
        beyond = np.uint64(limit - here.cost) << BOUND
        turn = np.uint64(here.move)
        top = np.uint64(top)
        while True:
            word = tables.word[turn]
            tile = (cells >> (np.uint64(word) & SHIFT)) & TILE
            row = rows[top]
            sum_ = base + tables.step[turn] + (placed_bound(tables, here, row, turn, tile) << BOUND)
            row.cells = cells ^ (tile * tables.pair[turn])
            row.move = np.uint16(sum_)
            row.cost = np.uint8(sum_ >> COST)
            row.bound = np.uint8(sum_ >> BOUND)
            top += np.uint64(sum_ < beyond)
            turn += ONE
            if word & LAST:
                break
        return np.int64(top)


def placed_bound(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the cells of a child's patterns and the sums of their distances, and return its bound: uint64."""
    where = tables.where[tile]
    row.placed = here.placed ^ (tables.onward[turn] << (where & SHIFT))
    direct = np.uint64(here.direct) + np.uint64(tables.distances[place_in(where, row.placed)])
    direct -= np.uint64(tables.distances[place_in(where, here.placed)])
    row.direct = np.uint8(direct)
    if not tables.symmetric:
        row.image, row.other = here.image, here.other
        return direct
    # The image's distances are read before any comparison: the processor would predict a branch wrongly too often.
    where = tables.where[tile | SIXTEEN]
    row.image = here.image ^ (tables.mirrored[turn] << (where & SHIFT))
    other = np.uint64(here.other) + np.uint64(tables.distances[place_in(where, row.image)])
    other -= np.uint64(tables.distances[place_in(where, here.image)])
    row.other = np.uint8(other)
    return max(direct, other)


def place_in(where: Any, placed: Any) -> Any:
    """Return the place in `distances` of a tile's pattern: uint64.

    Args:
        where: four numbers, 6 bits each except the last: the beginning of the tile's cell in `placed`; the shifts of
            `placed` to the left, and then to the right, that leave the pattern's cells; and the beginning of its
            distances.
        placed: the cells of all tiles.
    """
    return ((placed << ((where >> SIX) & SHIFT)) >> ((where >> TWELVE) & SHIFT)) + (where >> EIGHTEEN)
