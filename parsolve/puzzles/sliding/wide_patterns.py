"""Sliding tiles bounded by pattern databases with more tiles, or on boards with more cells, than fit in one word.

Patterns that are images of one another under a symmetry of the board share one table, if the blank can go around each
freely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.atomics import item_in
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.additive import Patterned
from parsolve.puzzles.sliding.board import BOUND, COST, ONE, TWO
from parsolve.puzzles.sliding.geometry import Array, reachable, symmetries
from parsolve.puzzles.sliding.ranks import base_of, numbered, values_of
from parsolve.puzzles.sliding.turns import LAST
from parsolve.puzzles.sliding.wide import CELL, FIVE, WideBoard

IMAGE = 32
"""In values by tile, the beginning of those for the board's image."""

ZERO, ALL = np.uint64(0), ~np.uint64(0)


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns. A pattern counts once on the board, and once in its image."""

    word: Array  # uint8[turns]
    step: Array  # uint64[turns]
    blank: Array  # uint8[turns]: the tile's next cell
    pattern: Array  # uint8[IMAGE * images]: by tile, the number of its pattern
    change: Array  # uint64[turns, IMAGE * images]: by tile, what its move adds to the place
    # Only if places are ranks:
    over: Array  # uint32[IMAGE * images, cells]: the increment by a tile for each tile that it passes
    between: Array  # uint8[patterns, turns, columns - 1]: the cells that the tile of a turn passes
    passes: Array  # uint64[patterns, turns]: whether the tile passes these, as a mask
    falls: Array  # uint64[patterns, turns]: whether it moves to a lower cell, as a mask
    table: Array  # uint64[patterns]: which of the distances are the pattern's
    distances: tuple[Array, ...]  # uint8[places] of each abstraction
    goal: Array  # uint8[cells]: the solved board


class Placing(NamedTuple):
    """The look-up of a pattern."""

    table: int
    """The number of its abstraction."""

    image: tuple[int, ...]
    """The image of each cell under the symmetry that maps the pattern to that abstraction's."""


@dataclass(frozen=True)
class WidePatterns(WideBoard, Patterned):
    """Slide tiles into the blank until they are in order, bounded by pattern databases of many tiles each."""

    @property
    def state(self) -> np.dtype[Any]:
        # By pattern: `place` in the table, and `far`, the distance there. By image of the board: `sums` of distances.
        images = len(self.images)
        patterns = images * len(self.groups)
        return np.dtype(
            [
                ("place", "u4", (patterns,)),
                ("move", "u2"),
                ("cost", "u1"),
                ("bound", "u1"),
                ("far", "u1", (patterns,)),
                ("sums", "u1", (images,)),
                ("tiles", "u1", (len(self.homes),)),
            ]
        )

    @cached_property
    def shared(self) -> tuple[list[Pattern], list[Placing]]:
        """The abstractions, and the look-up of each pattern in one of them."""
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
    def in_images(self) -> list[tuple[Placing, tuple[int, ...]]]:
        """The look-up of each pattern, and the image of each cell there: first for the board, then for its image."""
        _, placings = self.shared
        return [
            (placing, tuple(placing.image[cell] for cell in image)) for image in self.images for placing in placings
        ]

    def order(self, number: int) -> list[int]:
        """Return the homes of a pattern's tiles in the abstraction, in their order there."""
        placing, _ = self.in_images[number]
        return sorted(placing.image[home] for home in self.groups[number % len(self.groups)])

    def places(self, tiles: Array) -> Array:
        """Return the place of each pattern's distance: int64[n, patterns].

        Args:
            tiles: int64[n, cells]: by cell.
        """
        cells = np.argsort(tiles, axis=1)  # by tile
        places = []
        for number, (_, image) in enumerate(self.in_images):
            tile_of = {image[home]: tile for tile, home in enumerate(self.homes)}
            placed = np.array(image)[cells[:, [tile_of[home] for home in self.order(number)]]]
            places.append(numbered(placed, len(self.homes)))
        return np.stack(places, axis=1)

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        return {**super().position(tiles), "place": self.places(np.array([tiles]))[0].tolist()}

    def root(self, *distances: Any) -> dict[str, Any]:
        fields = self.root_fields(np.array([self.start_tiles]), *distances)
        return {**self.position(self.start_tiles), **{name: values[0].tolist() for name, values in fields.items()}}

    def root_fields(self, tiles: Array, *distances: Any) -> dict[str, Array]:
        places = self.places(tiles)
        tables = [distances[placing.table] for placing, _ in self.in_images]
        far = np.stack([table[place] for table, place in zip(tables, places.T, strict=True)], axis=1).astype(np.int64)
        sums = far.reshape(len(tiles), len(self.images), -1).sum(axis=2)
        return {"tiles": tiles, "place": places, "far": far, "sums": sums, "bound": sums.max(axis=1)}

    @property
    def by_tile(self) -> tuple[Array, Array, Array]:
        """The number of each tile's pattern; the change of that pattern's place by the tile's move; and the change of a
        rank when it passes each tile: see `Tables`."""
        (enters, leaves), cells = self.ways.ends, len(self.homes)
        size = IMAGE * len(self.images)
        pattern, over = np.zeros(size, np.uint8), np.zeros((size, cells), np.uint32)
        change = np.zeros((enters.size, size), np.int64)
        for number, (_, image) in enumerate(self.in_images):
            order, image_of = self.order(number), np.array(image)
            is_rank, values = not base_of(len(order), cells), values_of(len(order), cells)
            steps = image_of[enters] - image_of[leaves]
            places = [order.index(image[home]) if image[home] in order else None for home in self.homes]
            for tile, place in enumerate(places, number // len(self.groups) * IMAGE):
                if place is not None:
                    pattern[tile] = number
                    # The digit of a rank counts the cells left over by earlier tiles.
                    change[:, tile] = values[place] * (np.sign(steps) if is_rank else steps)
                    for other, its in enumerate(places if is_rank else ()):
                        if its is None:
                            over[tile, other] = values[place]
                        elif its > place:
                            over[tile, other] = values[place] + values[its]
        return pattern, change.astype(np.uint64), over

    @property
    def by_turn(self) -> tuple[Array, Array, Array]:
        """The effect of each turn on each pattern: `between`, `passes` and `falls` of `Tables`."""
        (enters, leaves), (_, columns) = self.ways.ends, self.rows_and_columns
        by_rank = any(not base_of(len(group), len(self.homes)) for group in self.groups)
        between = np.zeros((len(self.in_images), enters.size, (columns - 1) * by_rank), np.uint8)
        passes, falls = np.zeros((2, len(self.in_images), enters.size), np.uint64)
        for number, (_, image) in enumerate(self.in_images if by_rank else ()):
            cell_at = np.argsort(image)
            for turn in range(enters.size):
                enter, leave = image[enters[turn]], image[leaves[turn]]
                passed = range(min(enter, leave) + 1, max(enter, leave))
                between[number, turn, : len(passed)] = cell_at[passed]
                passes[number, turn] = ALL if passed else 0
                falls[number, turn] = ALL if enter < leave else 0
        return between, passes, falls

    def tables(self, *distances: Any) -> Tables:
        return Tables(
            self.ways.taken_words,
            self.ways.steps,
            self.ways.ends[0].astype(np.uint8),
            *self.by_tile,
            *self.by_turn,
            np.array([placing.table for placing, _ in self.in_images], np.uint64),
            distances,
            np.array(self.goal_tiles, np.uint8),
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
                rows[top] = here
                row = rows[top]
                bound = 0
                for image in range(len(here.sums)):
                    which = tile | np.uint64(image) << FIVE
                    pattern = np.uint64(tables.pattern[which])
                    place = place_after(tables, here, turn, which, pattern)
                    far = np.int64(item_in(tables.distances, tables.table[pattern], place))
                    whole = here.sums[image] + far - here.far[pattern]
                    row.place[pattern] = place
                    row.far[pattern] = far
                    row.sums[image] = whole
                    bound = max(bound, whole)
                row.tiles[tables.blank[turn]] = tile
                row.tiles[near] = 0
                row.move = np.uint16(sum_)
                row.cost = np.uint8(sum_ >> COST)
                row.bound = bound
                top += row.cost + bound <= limit
            turn += ONE
            if word & LAST:
                break
        return top


def place_after(tables: Any, here: Any, turn: Any, which: Any, pattern: Any) -> Any:
    """Return the place of a pattern's distance after its tile has moved: uint64.

    More changes in a rank. In the order of cells the tile passes no other, or those of a row between. Its own digit
    changes by 1 more for each passed cell without an earlier tile; the digits of later tiles change too.
    """
    place = np.uint64(here.place[pattern]) + tables.change[turn, which]
    if tables.between.shape[2] == 0:
        return place
    passed = ZERO
    for cell in range(tables.between.shape[2]):
        passed += np.uint64(tables.over[which, here.tiles[tables.between[pattern, turn, cell]]])
    falls = tables.falls[pattern, turn]
    return place + ((passed & tables.passes[pattern, turn]) ^ falls) - falls
