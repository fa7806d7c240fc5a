"""Sliding tiles bounded by pattern databases that are looked up by rank, in the tables as they were built: of more
tiles, or on boards of more cells, than fit a table by cells.

Patterns that are images of one another under a symmetry of the board share one table, if the blank can go around each
as it likes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.board import BOUND, COST, ONE
from parsolve.puzzles.sliding.geometry import reachable, symmetries
from parsolve.puzzles.sliding.partitions import MOST_CELLS, WIDE
from parsolve.puzzles.sliding.patterned import Patterned, rank_of
from parsolve.puzzles.sliding.ranks import BITS, packed_cells, rank
from parsolve.puzzles.sliding.turns import LAST
from parsolve.puzzles.sliding.wide import CELL, TWO, WideBoard

WORDS = 2 * WIDE
"""The words of placed tiles: of each pattern on the board, then of each in its image."""

FAR = 56
"""The bit of such a word from which on it holds the distance."""

DISTANCE, PLACED, IMAGE = np.uint64(FAR), np.uint64((1 << FAR) - 1), np.uint64(32)


class Tables(NamedTuple):
    """What the rules look up; see `Turns` for turns. What is given by tile holds for the board's image from 32 on."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    blank: np.ndarray[Any, Any]  # uint8[turns]: the cell that the tile goes to
    number: np.ndarray[Any, Any]  # uint8[64]: by tile, which word holds its pattern
    shift: np.ndarray[Any, Any]  # uint64[64]: by tile, where its cell begins there
    onward: np.ndarray[Any, Any]  # uint64[WORDS, turns]: the cell that a tile leaves, changed by exclusive or
    size: np.ndarray[Any, Any]  # uint64[WORDS]: how many tiles the pattern has
    table: np.ndarray[Any, Any]  # uint8[WORDS]: which of the distances are its
    first: np.ndarray[Any, Any]  # uint8[placements]: distances by rank
    second: np.ndarray[Any, Any]  # and so on; empty where there are fewer
    third: np.ndarray[Any, Any]
    fourth: np.ndarray[Any, Any]
    cells: np.uint64  # how many the board has
    symmetric: np.uint8  # whether there is an image
    goal: np.ndarray[Any, Any]  # uint8[MOST_CELLS]: the solved board


class Placing(NamedTuple):
    """How a pattern is looked up."""

    table: int
    """The number of its abstraction."""

    image: tuple[int, ...]
    """The image of each cell under the symmetry that makes it that abstraction's."""


@dataclass(frozen=True)
class RankedPatterns(WideBoard, Patterned):
    """Slide tiles into the blank until they are in order, bounded by pattern databases of many tiles each."""

    # `placed` holds the cells of each pattern's tiles, 5 bits each, and from bit FAR on their distance: first of the
    # board, then of its image. `direct` and `other` are the sums of the distances.
    state = np.dtype(
        [
            ("placed", "u8", (WORDS,)),
            ("tiles", "u1", (MOST_CELLS,)),
            ("move", "u2"),
            ("cost", "u1"),
            ("bound", "u1"),
            ("direct", "u1"),
            ("other", "u1"),
        ]
    )

    @cached_property
    def shared(self) -> tuple[list[Pattern], list[Placing]]:
        """The abstractions, and how each pattern is looked up in one."""
        rows, columns = self.rows_and_columns
        cells = range(rows * columns)
        kinds: list[tuple[tuple[int, ...], int]] = []
        placings = []
        for group in self.groups:
            free = [cell for cell in cells if cell not in group]
            anywhere = len(reachable(free[0], free, rows, columns)) == len(free)
            images = [tuple(cells), *symmetries(rows, columns)]
            homes = [tuple(sorted(image[home] for home in group)) for image in images]
            blanks = [
                min(set(cells) - set(each)) if anywhere else image[self.homes[0]]
                for each, image in zip(homes, images, strict=True)
            ]
            kind, blank, image = min(zip(homes, blanks, images, strict=True))
            if (kind, blank) not in kinds:
                kinds.append((kind, blank))
            placings.append(Placing(kinds.index((kind, blank)), image))
        shape = f"{rows}x{columns}"
        return [Pattern(shape, " ".join(map(str, homes)), blank) for homes, blank in kinds], placings

    def abstractions(self) -> list[Pattern]:
        return self.shared[0]

    @cached_property
    def words(self) -> list[tuple[int, Placing, tuple[int, ...]]]:
        """What each word holds: its number, how its pattern is looked up, and the image of each cell there."""
        _, placings = self.shared
        return [
            (first + number, placing, tuple(placing.image[cell] for cell in image))
            for first, image in zip((0, WIDE), self.images, strict=False)
            for number, placing in enumerate(placings)
        ]

    def order(self, number: int, placing: Placing) -> dict[int, int]:
        """Return the place of each home, as the abstraction has it, in a pattern's word."""
        homes = self.groups[number % WIDE]
        return {home: place for place, home in enumerate(sorted(placing.image[home] for home in homes))}

    def cells_in(self, tiles: Sequence[int]) -> dict[int, list[int]]:
        """Return the cells of the pattern's tiles in each word."""
        cells = {}
        for number, placing, image in self.words:
            at = {image[self.homes[tile]]: image[cell] for cell, tile in enumerate(tiles) if tile}
            cells[number] = [at[home] for home in self.order(number, placing)]
        return cells

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        cells = self.cells_in(tiles)
        return {**super().position(tiles), "placed": [packed_cells(cells.get(word, ())) for word in range(WORDS)]}

    def root(self, *distances: Any) -> dict[str, Any]:
        cells, fields = self.cells_in(self.start_tiles), self.position(self.start_tiles)
        sums = [0, 0]
        for number, placing, _ in self.words:
            far = int(distances[placing.table][rank_of(cells[number], len(self.homes))])
            fields["placed"][number] |= far << FAR
            sums[number // WIDE] += far
        return {**fields, "direct": sums[0], "other": sums[1], "bound": max(sums)}

    def tables(self, *distances: Any) -> Tables:
        enters, leaves = self.ways.ends
        number, shift = np.zeros(64, np.uint8), np.zeros(64, np.uint64)
        onward = np.zeros((WORDS, enters.size), np.uint64)
        size, table = np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint8)
        for word, placing, image in self.words:
            order, cells = self.order(word, placing), np.array(image, np.uint64)
            size[word], table[word] = len(order), placing.table
            onward[word] = cells[enters] ^ cells[leaves]
            for tile, home in enumerate(self.homes):
                if tile and image[home] in order:
                    number[word // WIDE * 32 + tile] = word
                    shift[word // WIDE * 32 + tile] = order[image[home]] * int(BITS)
        every = [*distances, *[np.zeros(0, np.uint8)] * (WIDE - len(distances))]
        return Tables(
            self.ways.taken_words,
            self.ways.steps,
            enters.astype(np.uint8),
            number,
            shift,
            onward,
            size,
            table,
            every[0],
            every[1],
            every[2],
            every[3],
            np.uint64(len(self.homes)),
            np.uint8(self.symmetry is not None),
            self.goal_cells,
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        base = (np.uint64(here.cost) + ONE) << COST | np.uint64(here.move)
        beyond = np.uint64(limit - here.cost) << BOUND
        turn = np.uint64(here.move)
        while True:
            word = tables.word[turn]
            near = (np.uint64(word) >> TWO) & CELL
            tile = np.uint64(here.tiles[near])
            sum_ = base + tables.step[turn]
            if sum_ < beyond:
                number, placed, direct = moved(tables, here, turn, tile, np.uint64(here.direct))
                if sum_ + (direct << BOUND) < beyond:
                    image, placed_image, other = number, placed, np.uint64(here.other)
                    if tables.symmetric:
                        image, placed_image, other = moved(tables, here, turn, tile | IMAGE, other)
                    sum_ += max(direct, other) << BOUND
                    if sum_ < beyond:
                        row = rows[top]
                        for each in range(WORDS):
                            row.placed[each] = here.placed[each]
                        row.placed[number] = placed
                        row.placed[image] = placed_image
                        for cell in range(MOST_CELLS):
                            row.tiles[cell] = here.tiles[cell]
                        row.tiles[tables.blank[turn]] = tile
                        row.tiles[near] = 0
                        row.move = np.uint16(sum_)
                        row.cost = np.uint8(sum_ >> COST)
                        row.bound = np.uint8(sum_ >> BOUND)
                        row.direct = np.uint8(direct)
                        row.other = np.uint8(other)
                        top += 1
            turn += ONE
            if word & LAST:
                break
        return top


def moved(tables: Any, here: Any, turn: Any, tile: Any, sum_: Any) -> Any:
    """Return the number of a tile's word, the word after its move, and the sum of the distances then: uint64 each.

    `tile` is 32 more in the image; `sum_` is the sum of the distances before.
    """
    number = np.uint64(tables.number[tile])
    before = here.placed[number]
    after = (before & PLACED) ^ (tables.onward[number, turn] << tables.shift[tile])
    place = rank(after, tables.size[number], tables.cells)
    table = tables.table[number]
    if table == 0:
        far = np.uint64(tables.first[place])
    elif table == 1:
        far = np.uint64(tables.second[place])
    elif table == 2:
        far = np.uint64(tables.third[place])
    else:
        far = np.uint64(tables.fourth[place])
    return number, after | far << DISTANCE, sum_ + far - (before >> DISTANCE)
