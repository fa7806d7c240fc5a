"""True puzzles of every form, small ones, whose declarations `attack_declarations.py` replaces one by one.

Swaps: numbered, keyed, bipartite, with goals and a bound. Keyed: the same without numbers. Plain: without a way back
from keys. Guided: with a bound from the distances of an abstraction. Words: with `weight`. The graded ones are in
`hops.py`.
"""

PUZZLES = '''
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parsolve import Counting, Puzzle, parameter

TILES = 5


class Tables(NamedTuple):
    tiles: int
    distances: np.ndarray = np.zeros(1, np.uint8)


def swapped(word, place):
    """Return a word of tiles, 4 bits each, with two neighbours exchanged."""
    both = (word >> 4 * place ^ word >> 4 * place + 4) & 15
    return word ^ (both << 4 * place | both << 4 * place + 4)


def inversions(word, tiles):
    count = 0
    for place in range(tiles):
        for later in range(place + 1, tiles):
            count += (word >> 4 * later & 15) < (word >> 4 * place & 15)
    return count


def rank(word, tiles):
    number = 0
    for place in range(tiles):
        fewer = 0
        for later in range(place + 1, tiles):
            fewer += (word >> 4 * later & 15) < (word >> 4 * place & 15)
        number = number * (tiles - place) + fewer
    return number


def unranked(number, tiles):
    ranks = 0
    for place in range(tiles - 1, -1, -1):
        ranks |= number % (tiles - place) << 4 * place
        number //= tiles - place
    word, left = 0, 0x76543210
    for place in range(tiles):
        at = 4 * (ranks >> 4 * place & 15)
        word |= (left >> at & 15) << 4 * place
        left = left & (1 << at) - 1 | left >> at + 4 << at
    return word


def sorted_word(tiles):
    return sum(tile << 4 * tile for tile in range(tiles))


@dataclass(frozen=True)
class Swaps(Puzzle):
    """Sort tiles by exchanging neighbours."""

    tiles: int = parameter(TILES, "how many")
    state = np.dtype([("word", "u4"), ("cost", "u1"), ("bound", "u1"), ("move", "u1")])
    children = 5
    graph = "bipartite"

    @property
    def size(self):
        return math.factorial(self.tiles)

    def root(self, *distances):
        word = sum(self.tiles - 1 - place << 4 * place for place in range(self.tiles))
        return {"word": word, "bound": inversions(word, self.tiles) // 2}

    def goals(self):
        return [{"word": sorted_word(self.tiles)}]

    def tables(self, *distances):
        return Tables(self.tiles, *distances)

    def limits(self):
        return range(0, 100)

    def steps(self, limit):
        return limit

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for place in range(tables.tiles - 1):
            if place + 1 == here.move:
                continue
            row = rows[top]
            row.word = swapped(np.int64(here.word), place)
            row.cost, row.move = here.cost + 1, place + 1
            row.bound = inversions(np.int64(row.word), tables.tiles) // 2
            top += row.cost + row.bound <= limit
        return top

    @staticmethod
    def solved(tables, here):
        for place in range(tables.tiles):
            if here.word >> 4 * place & 15 != place:
                return False
        return True

    @staticmethod
    def key(tables, here):
        return np.uint64(here.word)

    @staticmethod
    def unkey(tables, key, row):
        row.word = key
        row.move = 0

    @staticmethod
    def index(tables, here):
        return np.uint64(rank(np.int64(here.word), tables.tiles))

    @staticmethod
    def unindex(tables, number, row):
        row.word = unranked(np.int64(number), tables.tiles)
        row.move = 0


@dataclass(frozen=True)
class Keyed(Swaps):
    """The same without numbers."""

    index = unindex = size = None


@dataclass(frozen=True)
class Plain(Keyed):
    """The same without a way back from keys."""

    unkey = None


@dataclass(frozen=True)
class Pair(Puzzle):
    """Where the two smallest tiles are, and how far from their places."""

    tiles: int = parameter(TILES, "how many")
    state = np.dtype([("first", "u1"), ("second", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 5
    graph = "reversible"

    @property
    def size(self):
        return self.tiles**2

    @property
    def entries(self):
        return 2 * self.tiles**2

    def root(self):
        return {"first": self.tiles - 1, "second": self.tiles - 2}

    def goals(self):
        return [{"first": 0, "second": 1}]

    def tables(self):
        return Tables(self.tiles)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for place in range(tables.tiles - 1):
            row = rows[top]
            row.first, row.second = here.first, here.second
            row.first += (here.first == place) - (here.first == place + 1)
            row.second += (here.second == place) - (here.second == place + 1)
            row.cost, row.move = here.cost + 1, place
            moved = row.first != here.first or row.second != here.second
            top += moved and row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.first == 0 and here.second == 1

    @staticmethod
    def key(tables, here):
        return np.uint64(here.first) << np.uint64(8) | np.uint64(here.second)

    @staticmethod
    def index(tables, here):
        return np.uint64(here.first * tables.tiles + here.second)

    @staticmethod
    def unindex(tables, number, row):
        row.first, row.second = number // np.uint64(tables.tiles), number % np.uint64(tables.tiles)
        row.move = 0

    @staticmethod
    def entry(tables, number):
        return np.uint64(2 * tables.tiles**2 - 1) - np.uint64(number)


def place_of(word, tile, tiles):
    for place in range(tiles):
        if word >> 4 * place & 15 == tile:
            return place
    return 0


@dataclass(frozen=True)
class Guided(Swaps):
    """Sort tiles; the bound is how far the two smallest are."""

    def abstractions(self):
        return [Pair(self.tiles)]

    def root(self, *distances):
        word = sum(self.tiles - 1 - place << 4 * place for place in range(self.tiles))
        number = (self.tiles - 1) * self.tiles + self.tiles - 2
        return {"word": word, "bound": int(distances[0][2 * self.tiles**2 - 1 - number])}

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for place in range(tables.tiles - 1):
            if place + 1 == here.move:
                continue
            row = rows[top]
            row.word = swapped(np.int64(here.word), place)
            row.cost, row.move = here.cost + 1, place + 1
            word, tiles = np.int64(row.word), tables.tiles
            number = place_of(word, 0, tiles) * tiles + place_of(word, 1, tiles)
            row.bound = tables.distances[2 * tiles**2 - 1 - number]
            top += row.cost + row.bound <= limit
        return top


class Ways(NamedTuple):
    half: int
    choose: np.ndarray  # int64[half + 1]: in how many ways the other half has so many ones less


@dataclass(frozen=True)
class Words(Puzzle):
    """Count words of zeros and ones, as many of each, by their first halves."""

    half: int = parameter(6, "half of their length")
    state = np.dtype([("ones", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 2

    def root(self):
        return {}

    def tables(self):
        return Ways(self.half, np.array([math.comb(self.half, ones) for ones in range(self.half + 1)]))

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for bit in range(2):
            row = rows[top]
            row.ones, row.cost, row.move = here.ones + bit, here.cost + 1, bit
            top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.cost == tables.half

    @staticmethod
    def weight(tables, here):
        return tables.choose[here.ones], np.int64(1)
'''
