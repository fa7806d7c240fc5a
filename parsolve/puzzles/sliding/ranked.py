"""Sliding tiles bounded by two pattern databases of many tiles, looked up by rank in the tables as they were built."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding.additive import SIXTEEN, Patterned, rank_of
from parsolve.puzzles.sliding.board import BOUND, COST, ONE, SHIFT, TILE
from parsolve.puzzles.sliding.geometry import packed
from parsolve.puzzles.sliding.ranks import TWO, rank
from parsolve.puzzles.sliding.turns import LAST


class Tables(NamedTuple):
    """What the rules look up; see `Turns` for turns. What is given by tile holds for the board's image from 16 on."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    onward: np.ndarray[Any, Any]  # uint64[turns]: the cell that a tile leaves, changed by exclusive or
    mirrored: np.ndarray[Any, Any]  # uint64[turns]: the same in the image
    place: np.ndarray[Any, Any]  # uint64[32]: by tile, 4 * its place among the tiles of the patterns
    first: np.ndarray[Any, Any]  # uint64[placements]: the distances of the first pattern
    second: np.ndarray[Any, Any]  # and of the second: uint8
    tiles: np.uint64  # how many the first pattern has
    others: np.uint64  # and the second
    board: np.uint64  # how many cells there are
    symmetric: np.uint8  # whether there is an image
    goal: np.uint64


@dataclass(frozen=True)
class RankedPatterns(Patterned):
    """Slide tiles into the blank until they stand in order, bounded by two pattern databases of many tiles each."""

    # `placed` holds the cell of each tile, 4 bits each, pattern by pattern; `image` the same of the board's image.
    # Then the distances of the first and second pattern, and of both in the image.
    state = np.dtype(
        [
            ("cells", "u8"),
            ("placed", "u8"),
            ("image", "u8"),
            ("move", "u2"),
            ("cost", "u1"),
            ("bound", "u1"),
            ("first", "u1"),
            ("second", "u1"),
            ("first_image", "u1"),
            ("second_image", "u1"),
        ]
    )

    def root(self, *distances: Any) -> dict[str, Any]:
        many, board = len(self.groups[0]), len(self.homes)
        known = [
            int(distances[number][rank_of(part, board)])
            for cells in self.cells_in(self.start_tiles)
            for number, part in enumerate((cells[:many], cells[many:]))
        ]
        names = ("first", "second", "first_image", "second_image")
        bound = max(sum(known[:2]), sum(known[2:]))
        return {**self.position(self.start_tiles), **dict(zip(names, known, strict=False)), "bound": bound}

    def tables(self, *distances: Any) -> Tables:
        order = [home for group in self.groups for home in group]
        place = np.zeros(32, np.uint64)
        for begin, image in ((0, self.images[0]), (16, self.images[-1])):
            for tile in range(1, len(self.homes)):
                place[begin + tile] = 4 * order.index(image[self.homes[tile]])
        return Tables(
            self.ways.taken_words,
            self.ways.pairs,
            self.ways.steps,
            *self.cells_changed,
            place,
            distances[0],
            distances[1],
            np.uint64(len(self.groups[0])),
            np.uint64(len(self.groups[1])),
            np.uint64(len(self.homes)),
            np.uint8(self.symmetry is not None),
            np.uint64(packed(self.goal_tiles)),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        cells, placed, image = here.cells, here.placed, here.image
        base = (np.uint64(here.cost) + ONE) << COST | np.uint64(here.move)
        beyond = np.uint64(limit - here.cost) << BOUND
        turn = np.uint64(here.move)
        top = np.uint64(top)
        while True:
            word = tables.word[turn]
            sum_ = base + tables.step[turn]
            if sum_ < beyond:
                tile = (cells >> (np.uint64(word) & SHIFT)) & TILE
                place = tables.place[tile]
                after = placed ^ (tables.onward[turn] << place)
                first, second = distances_after(tables, place, after, np.uint64(here.first), np.uint64(here.second))
                if sum_ + ((first + second) << BOUND) < beyond:
                    after_image, first_image, second_image = image, np.uint64(0), np.uint64(0)
                    if tables.symmetric:
                        place = tables.place[tile | SIXTEEN]
                        after_image = image ^ (tables.mirrored[turn] << place)
                        first_image, second_image = distances_after(
                            tables, place, after_image, np.uint64(here.first_image), np.uint64(here.second_image)
                        )
                    sum_ += max(first + second, first_image + second_image) << BOUND
                    row = rows[top]
                    row.cells = cells ^ (tile * tables.pair[turn])
                    row.placed = after
                    row.image = after_image
                    row.move = np.uint16(sum_)
                    row.cost = np.uint8(sum_ >> COST)
                    row.bound = np.uint8(sum_ >> BOUND)
                    row.first = np.uint8(first)
                    row.second = np.uint8(second)
                    row.first_image = np.uint8(first_image)
                    row.second_image = np.uint8(second_image)
                    top += np.uint64(sum_ < beyond)
            turn += ONE
            if word & LAST:
                break
        return np.int64(top)


def distances_after(tables: Any, place: Any, placed: Any, first: Any, second: Any) -> Any:
    """Return the distances of both patterns after the tile at a place has moved: uint64, uint64.

    Args:
        tables: the puzzle's.
        place: 4 * its place.
        placed: the cells of all tiles after the move.
        first, second: the distances before.
    """
    many = tables.tiles << TWO
    if place < many:
        return np.uint64(tables.first[rank(placed, tables.tiles, tables.board)]), second
    return first, np.uint64(tables.second[rank(placed >> many, tables.others, tables.board)])
