"""Toy puzzles with a plain-Python answer each, that between them use every part of the contract: small enough for the
engine's logic to be tested without a compiler.

Coins has costs, bounds to choose from, a key, numbers, and a better bound that a search may take. Ring can be walked in
both directions, and a place is turned into its image. Lamps has no costs, has a graded graph, and weights.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from worlds.plain import Moves, cheapest, every_path

from parsolve import Puzzle, parameter
from parsolve.puzzle.core import Better, Counting, Want

Path = tuple[int, ...]

PRICES = (1, 2, 2)
"""What the coins of 1, 2 and 3 cost."""


class Prices(NamedTuple):
    prices: Any  # uint8[coins]
    bound: int  # for each unit that is left, in sixths


@dataclass(frozen=True)
class Coins(Puzzle):
    """Pay an amount at the least price, with coins of 1, 2 and 3; their order counts."""

    amount: int = parameter(8, "what to pay")
    bound: Literal["none", "weak", "tight"] = parameter("tight", "of the price of what is left", only_bounds=True)
    after: int = parameter(-1, "nodes after which a search takes the tight bound; -1: never", only_bounds=True)

    state = np.dtype([("left", "u1"), ("cost", "u1"), ("bound", "u1"), ("move", "u1")])
    children = len(PRICES)

    @property
    def size(self):
        return self.amount + 1

    @property
    def sixths(self):
        return {"none": 0, "weak": 2, "tight": 4}[self.bound]

    def root(self):
        return {"left": self.amount, "bound": price_at_least(self.sixths, self.amount)}

    def tables(self):
        return Prices(np.array(PRICES, np.uint8), self.sixths)

    def counting(self, want: Want) -> Counting | None:
        if self.after < 0:
            return None
        return Counting(self, better=[Better(lambda: replace(self, bound="tight", after=-1), self.after, self.after)])

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for coin in range(1, min(here.left, tables.prices.size) + 1):
            row = rows[top]
            row.left = here.left - coin
            row.cost = here.cost + tables.prices[coin - 1]
            row.bound = price_at_least(tables.bound, here.left - coin)
            row.move = coin
            top += row.cost + row.bound <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.left == 0

    @staticmethod
    def key(tables, here):
        return np.uint64(here.left)

    @staticmethod
    def unkey(tables, key, row):
        row.left, row.move = key, 0

    index, unindex = key, unkey  # an amount is its own number

    def answer(self) -> tuple[int, list[Path]]:
        """The least price and all ways to pay it, in order."""

        def moves(left: int) -> list[tuple[int, int, int]]:
            return [(coin, left - coin, price) for coin, price in enumerate(PRICES[:left], 1)]

        return plain(self.amount, moves)


def plain(root: int, moves: Moves[int]) -> tuple[int, list[Path]]:
    """The least cost of a way to 0, and all ways with that cost, in order."""
    answer = cheapest(root, moves, lambda here: here == 0, math.inf)
    assert answer.cost is not None
    return answer.cost, answer.solutions or []


def price_at_least(sixths, left):
    """Return a price that what is left is paid for with at least."""
    return (sixths * left + 5) // 6


class Places(NamedTuple):
    places: int


@dataclass(frozen=True)
class Ring(Puzzle):
    """Walk on a ring from a place to the place 0: one step in either direction, or to the place opposite."""

    places: int = parameter(12, "how many, an even number")
    start: int = parameter(4, "the first place")
    said: Literal["any", "bipartite", "reversible"] = parameter("reversible", "the graph that it declares")

    state = np.dtype([("place", "u2"), ("cost", "u2"), ("move", "u1")])
    children = 3

    @property
    def size(self):
        return self.places

    @property
    def graph(self):
        return self.said

    def root(self):
        return {"place": self.start}

    def tables(self):
        return Places(self.places)

    def goals(self):
        return [{"place": 0}]

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for move in range(3):
            steps = (1, tables.places - 1, tables.places // 2)[move]
            row = rows[top]
            row.place = (here.place + steps) % tables.places
            row.cost = here.cost + 1
            row.move = move
            top += here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.place == 0

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unkey(tables, key, row):
        row.place, row.move = key, 0

    index, unindex = key, unkey  # a place is its own number

    def neighbours(self, place: int) -> list[int]:
        return [(place + steps) % self.places for steps in (1, self.places - 1, self.places // 2)]

    def answer(self) -> tuple[int, list[Path]]:
        """The least number of moves and all ways with as many, in order."""
        return plain(self.start, lambda place: [(move, near, 1) for move, near in enumerate(self.neighbours(place))])


class Rows(NamedTuple):
    lamps: int
    until: int
    ways: Any  # int64[2^lamps]: in how many ways the lamps that are on can be put out


@dataclass(frozen=True)
class Lamps(Puzzle):
    """Put out a row of lamps one by one; each third one, from the second on, only while one alone of those beside it is
    on."""

    lamps: int = parameter(5, "how many")
    until: int = parameter(0, "lamps that are left on, in a count, and put out in as many ways as are known")

    state = np.dtype([("on", "u4"), ("move", "u1")])
    graph = "graded"

    @property
    def children(self):
        return self.lamps

    def root(self):
        return {"on": (1 << self.lamps) - 1}

    def tables(self):
        ways = np.ones(1 << self.lamps, np.int64)
        for on in range(1, 1 << self.lamps):
            ways[on] = sum(ways[on ^ 1 << lamp] for lamp in range(self.lamps) if can_go_out(self.lamps, on, lamp))
        return Rows(self.lamps, self.until, ways)

    def goals(self):
        return [] if self.until else [{"on": 0}]

    def steps(self, limit):
        return self.lamps

    def counting(self, want: Want) -> Counting | None:
        if want == "count" and self.until:
            return Counting(WeighedLamps(self.lamps, self.until))
        return None

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for lamp in range(tables.lamps):
            if can_go_out(tables.lamps, here.on, lamp):
                row = rows[top]
                row.on, row.move = here.on ^ 1 << lamp, lamp
                top += 1
        return top

    @staticmethod
    def solved(tables, here):
        return here.on == 0

    @staticmethod
    def key(tables, here):
        return np.uint64(here.on)

    @staticmethod
    def unkey(tables, key, row):
        row.on, row.move = key, 0

    def answer(self) -> tuple[int, list[Path]]:
        """The cost of nothing, and all orders in which the lamps can go out."""

        def moves(on: int) -> list[tuple[int, int, int]]:
            return [(lamp, on ^ 1 << lamp, 0) for lamp in range(self.lamps) if can_go_out(self.lamps, on, lamp)]

        return 0, every_path((1 << self.lamps) - 1, moves, lambda on: on == 0).solutions or []


def can_go_out(lamps, on, lamp):
    """Return whether a lamp that is on can be put out."""
    if not on >> lamp & 1:
        return False
    return lamp % 3 != 1 or lamp == lamps - 1 or (on >> lamp - 1 & 1) != (on >> lamp + 1 & 1)


@dataclass(frozen=True)
class WeighedLamps(Lamps):
    """The same; a row with `until` lamps on stands for all ways to put them out."""

    @staticmethod
    def solved(tables, here):
        on = 0
        for lamp in range(tables.lamps):
            on += here.on >> lamp & 1
        return on == tables.until

    @staticmethod
    def weight(tables, here):
        return tables.ways[here.on], 1


TOYS: dict[str, Puzzle] = {
    "coins": Coins(),
    "coins without a bound": Coins(bound="none"),
    "ring": Ring(),
    "lamps": Lamps(),
}
"""An instance of each, some with another bound."""


class Side(NamedTuple):
    size: int


@dataclass(frozen=True)
class Grid(Puzzle):
    """Walk on a grid from one corner to the other one, by steps right and down, and diagonal ones."""

    size: int = parameter(6, "steps in each direction")
    diagonal: bool = parameter(False, "whether steps may be diagonal")

    state = np.dtype([("x", "u1"), ("y", "u1"), ("move", "u1")])
    children = 3

    def root(self):
        return {}

    def tables(self):
        return Side(2 * self.size + self.diagonal)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for move in range(2 + tables.size % 2):
            row = rows[top]
            row.x, row.y, row.move = here.x + (move != 1), here.y + (move != 0), move
            top += max(row.x, row.y) <= tables.size // 2
        return top

    @staticmethod
    def solved(tables, here):
        return here.x == tables.size // 2 and here.y == tables.size // 2

    @staticmethod
    def key(tables, here):
        return np.uint64(here.x), np.uint64(here.y)

    @staticmethod
    def unkey(tables, key, row):
        row.x, row.y, row.move = key[0], key[1], 0

    @staticmethod
    def level(tables, here):
        return here.x + here.y


@dataclass(frozen=True)
class Tolls(Puzzle):
    """A binary tree whose last moves cost what is drawn by lot, so that each part goes through limits of its own. Once
    each limit had units of its own: a part had jumped over limits at which it held solutions."""

    jumps = True
    depth: int = 8
    state = np.dtype([("at", "u4"), ("cost", "u4"), ("move", "u1")])
    children = 2

    def root(self):
        return {"at": 1}

    def tables(self):
        last = np.arange(2 << self.depth) >= 1 << self.depth
        return (last * np.random.default_rng(1).integers(1, 999, last.size)).astype(np.uint32), 1 << self.depth

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for move in range(2):
            row = rows[top]
            row.at, row.move = 2 * here.at + move, move
            row.cost = here.cost + tables[0][row.at]
            top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.at >= tables[1]


@dataclass(frozen=True)
class Lopsided(Puzzle):
    """A binary tree without a solution, and beside it a long way, perhaps to a solution."""

    depth: int = 7
    way: int = 0
    state = np.dtype([("on_way", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 3

    def root(self):
        return {}

    def tables(self):
        return (self.depth, self.way)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        depth, way = tables
        for move in range(3):
            row = rows[top]
            row.on_way, row.cost, row.move = move == 2, here.cost + 1, move
            there = (here.cost < way and (here.cost == 0 or here.on_way)) if move == 2 else here.cost < depth
            top += there and (move == 2 or not here.on_way) and here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.on_way and here.cost == tables[1]
