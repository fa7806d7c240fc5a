"""Sliding tiles bounded by additive pattern databases.

Each pattern counts only the moves of its own tiles, so that the patterns' distances add up. Where a symmetry of the
board leaves the goal's blank where it is, the board's image under it is as far from the goal: the greater of both sums
is the bound. R. E. Korf and A. Felner, Disjoint pattern database heuristics, Artificial Intelligence 134 (2002) 9-22.

A pattern's place in the tables is the cells of its tiles as digits: a move adds one product to it, and needs no rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzle import parameter
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.board import BOUND, COST, ONE, SHIFT, TILE, Board
from parsolve.puzzles.sliding.geometry import packed, symmetries
from parsolve.puzzles.sliding.partitions import DIRECT, group_sizes, partition
from parsolve.puzzles.sliding.ranks import spread_by_radix
from parsolve.puzzles.sliding.turns import LAST

SIXTEEN = np.uint64(16)


@dataclass(frozen=True)
class Patterned(Board):
    """A board whose tiles are divided into patterns."""

    patterns: str = parameter("", "how many tiles each pattern has, such as 5-5-5; by shape if absent")

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """The homes of each pattern's tiles."""
        sizes = group_sizes(self.patterns, len(self.homes) - 1)
        return partition(*self.rows_and_columns, self.homes[0], sizes)

    @cached_property
    def symmetry(self) -> tuple[int, ...] | None:
        """The image of each cell under a symmetry that leaves the goal's blank where it is, and not every pattern;
        None if there is none."""
        blank, groups = self.homes[0], {frozenset(group) for group in self.groups}
        for image in symmetries(*self.rows_and_columns):
            if image[blank] == blank and {frozenset(image[cell] for cell in group) for group in groups} != groups:
                return image
        return None

    def abstractions(self) -> list[Pattern]:
        rows, columns = self.rows_and_columns
        shape = f"{rows}x{columns}"
        return [Pattern(shape, " ".join(map(str, group)), self.homes[0]) for group in self.groups]

    @cached_property
    def images(self) -> list[tuple[int, ...]]:
        """The image of each cell under the identity and, where there is one, under the symmetry."""
        return [tuple(range(len(self.homes))), *([self.symmetry] if self.symmetry else [])]

    def placed(self, tiles: Sequence[int], image: Sequence[int]) -> dict[int, int]:
        """Return the cell of each tile by its home, both in an image of the board."""
        return {image[self.homes[tile]]: image[cell] for cell, tile in enumerate(tiles) if tile}


class Tables(NamedTuple):
    """What the rules look up; see `Turns` for turns. What is given by tile holds for the board's image from 16 on."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    onward: np.ndarray[Any, Any]  # uint64[turns]: the number of the cell that a tile enters, less that it leaves
    mirrored: np.ndarray[Any, Any]  # uint64[turns]: the same in the image
    weight: np.ndarray[Any, Any]  # uint64[32]: by tile, what one cell is in the word of the patterns' digits
    begin: np.ndarray[Any, Any]  # uint64[32]: by tile, where the digits of its pattern begin in the word
    mask: np.ndarray[Any, Any]  # uint64[32]: and how many bits they have
    base: np.ndarray[Any, Any]  # uint64[32]: and where its distances begin
    distances: np.ndarray[Any, Any]  # uint8[patterns * digits]
    symmetric: np.uint8  # whether there is an image
    goal: np.uint64


@dataclass(frozen=True)
class AdditivePatterns(Patterned):
    """Slide tiles into the blank until they stand in order, bounded by pattern databases of few tiles each."""

    # `digits` of the board, `image` of its image; `direct` and `other` are the sums of their distances.
    state = np.dtype(
        [
            ("cells", "u8"),
            ("digits", "u8"),
            ("image", "u8"),
            ("move", "u2"),
            ("cost", "u1"),
            ("bound", "u1"),
            ("direct", "u1"),
            ("other", "u1"),
        ]
    )

    @cached_property
    def begins(self) -> list[int]:
        """Where the digits of each pattern begin in the word; the word's length last."""
        begins = [0]
        for group in self.groups:
            begins.append(begins[-1] + (len(self.homes) ** len(group) - 1).bit_length())
        return begins

    @cached_property
    def weights(self) -> dict[int, int]:
        """By home: what one cell of that tile is in the word."""
        cells = len(self.homes)
        return {
            home: cells**number << begin
            for group, begin in zip(self.groups, self.begins, strict=False)
            for number, home in enumerate(group)
        }

    def words_of(self, tiles: Sequence[int]) -> list[int]:
        """Return the patterns' digits of the board, and of its image where there is one."""
        weights = self.weights
        return [sum(cell * weights[home] for home, cell in self.placed(tiles, image).items()) for image in self.images]

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        return {**super().position(tiles), **dict(zip(("digits", "image"), self.words_of(tiles), strict=False))}

    def root(self, *distances: Any) -> dict[str, Any]:
        sums = []
        for image in self.images:
            placed = self.placed(self.start_tiles, image)
            cells = [[placed[home] for home in group] for group in self.groups]
            sums.append(
                sum(int(each[rank_of(group, len(self.homes))]) for each, group in zip(distances, cells, strict=True))
            )
        known = dict(zip(("direct", "other"), sums, strict=False))
        return {**self.position(self.start_tiles), **known, "bound": max(sums)}

    def tables(self, *distances: Any) -> Tables:
        cells = len(self.homes)
        identity, image = self.images[0], self.images[-1]
        weight, begin, mask, base = (np.zeros(32, np.uint64) for _ in range(4))
        group_of = {home: number for number, group in enumerate(self.groups) for home in group}
        for first, to in ((0, identity), (16, image)):
            for tile in range(1, cells):
                home = to[self.homes[tile]]
                group = group_of[home]
                weight[first + tile] = self.weights[home]
                begin[first + tile] = self.begins[group]
                mask[first + tile] = (1 << self.begins[group + 1] - self.begins[group]) - 1
                base[first + tile] = sum(cells ** len(each) for each in self.groups[:group])

        enters, leaves = self.ways.ends
        onward, mirrored = (np.array(to)[enters] - np.array(to)[leaves] for to in (identity, image))
        return Tables(
            self.ways.words,
            self.ways.pairs,
            self.ways.steps,
            onward.astype(np.uint64),
            mirrored.astype(np.uint64),
            weight,
            begin,
            mask,
            base,
            spread_all(Identical(distances), tuple(map(len, self.groups)), cells),
            np.uint8(self.symmetry is not None),
            np.uint64(packed(self.goal_tiles)),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        cells, digits, image = here.cells, here.digits, here.image
        base = (np.uint64(here.cost) + ONE) << COST | np.uint64(here.move)
        beyond = np.uint64(limit - here.cost) << BOUND
        turn = np.uint64(here.move)
        top = np.uint64(top)
        while True:
            word = tables.word[turn]
            tile = (cells >> (np.uint64(word) & SHIFT)) & TILE
            after = digits + tables.onward[turn] * tables.weight[tile]
            direct = np.uint64(here.direct) + change(tables, tile, digits, after)
            sum_ = base + tables.step[turn]
            if sum_ + (direct << BOUND) < beyond:
                after_image, other = image, np.uint64(0)
                if tables.symmetric:
                    tile |= SIXTEEN
                    after_image = image + tables.mirrored[turn] * tables.weight[tile]
                    other = np.uint64(here.other) + change(tables, tile, image, after_image)
                    tile &= TILE
                sum_ += max(direct, other) << BOUND
                row = rows[top]
                row.cells = cells ^ (tile * tables.pair[turn])
                row.digits = after
                row.image = after_image
                row.move = np.uint16(sum_)
                row.cost = np.uint8(sum_ >> COST)
                row.bound = np.uint8(sum_ >> BOUND)
                row.direct = np.uint8(direct)
                row.other = np.uint8(other)
                top += np.uint64(sum_ < beyond)
            turn += ONE
            if word & LAST:
                break
        return np.int64(top)


class Identical:
    """Arrays that are equal only if they are the same objects, so that what is made of them can be kept.

    Args:
        arrays: not written to any more.
    """

    def __init__(self, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        self.arrays = tuple(arrays)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identical) and [*map(id, self.arrays)] == [*map(id, other.arrays)]

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.arrays)))


@lru_cache(maxsize=1)
def spread_all(distances: Identical, sizes: tuple[int, ...], cells: int) -> np.ndarray[Any, Any]:
    """Return the distances of all patterns by the cells as digits, one after the other; kept for the next position.

    Args:
        distances: uint8[placements] of each pattern.
        sizes: how many tiles each pattern has.
        cells: how many the board has.
    """
    spread = [spread_by_radix(each, size, cells) for each, size in zip(distances.arrays, sizes, strict=True)]
    return np.concatenate(spread)


def change(tables: Any, tile: Any, before: Any, after: Any) -> Any:
    """Return how much farther a tile's pattern gets by its move: uint64, wrapped around if it gets nearer."""
    begin, mask, base = tables.begin[tile], tables.mask[tile], tables.base[tile]
    was = np.uint64(tables.distances[base + ((before >> begin) & mask)])
    return np.uint64(tables.distances[base + ((after >> begin) & mask)]) - was


def rank_of(placed: Sequence[int], cells: int) -> int:
    """Return the rank of a placement, see `ranks`."""
    rank = 0
    for number, cell in enumerate(placed):
        rank = rank * (cells - number) + cell - sum(other < cell for other in placed[:number])
    return rank


def pattern_puzzle(start: str, shape: str, goal: str, patterns: str) -> Patterned:
    """Return the puzzle of a position with pattern databases, from the parameters of `Patterned`."""
    puzzle = AdditivePatterns(start, shape, goal, patterns)
    if max(map(len, puzzle.groups)) <= DIRECT:
        return puzzle
    from parsolve.puzzles.sliding.ranked import RankedPatterns

    return RankedPatterns(start, shape, goal, patterns)
