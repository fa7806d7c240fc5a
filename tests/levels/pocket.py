"""Puzzles whose whole spaces are known: importable by workers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve import Puzzle, parameter

CORNERS = 7
"""Those that move: the one at the back, below and to the left stays where it is."""

TURNS = (((0, 1, 2, 3), (0, 0, 0, 0)), ((0, 3, 5, 4), (1, 2, 1, 2)), ((0, 4, 6, 1), (2, 1, 2, 1)))
"""Quarter turns of the sides above, to the right and in front: a cycle of places, and how much each corner that comes
to one of them twists."""


class Tables(NamedTuple):
    places: Any  # uint8[turns, 7]: which place's corner comes to each place
    twists: Any  # uint8[turns, 7]: and how much it twists


def quarter(cycle, twist):
    """Return a quarter turn: what comes to each place, and how much it twists."""
    places, twists = list(range(CORNERS)), [0] * CORNERS
    for at, to, more in zip(cycle, (*cycle[1:], cycle[0]), twist, strict=True):
        places[to], twists[to] = at, more
    return places, twists


def after(first, second):
    """Return what two turns do, one after the other."""
    (places, twists), (then, more) = first, second
    return [places[at] for at in then], [(twists[at] + each) % 3 for at, each in zip(then, more, strict=True)]


@dataclass(frozen=True)
class Pocket(Puzzle):
    """Turn the sides of a cube of 2x2x2 until each is of one colour."""

    scramble: Literal["", "U"] = parameter("", "what is turned first")
    given: bool = parameter(True, "whether the goal is given")

    state = np.dtype([("corners", "u4"), ("twists", "u4"), ("cost", "u1"), ("move", "u1")])
    children = 9
    graph = "reversible"
    size = 5040 * 729

    @cached_property
    def turns(self):
        quarters = [quarter(*turn) for turn in TURNS]
        return [turn for one in quarters for turn in (one, after(one, one), after(one, after(one, one)))]

    def root(self):
        places, twists = self.turns[0] if self.scramble else (range(CORNERS), [0] * CORNERS)
        return {
            "corners": sum(corner << 4 * place for place, corner in enumerate(places)),
            "twists": sum(twist << 4 * place for place, twist in enumerate(twists)),
        }

    def goals(self):
        return [{"corners": 0x6543210}] if self.given else []

    def tables(self):
        return Tables(*(np.array(each, np.uint8) for each in zip(*self.turns, strict=True)))

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for turn in range(9):
            corners, twists = np.int64(0), np.int64(0)
            for place in range(CORNERS):
                at = 4 * np.int64(tables.places[turn, place])
                corners |= (np.int64(here.corners) >> at & 15) << 4 * place
                twists |= ((np.int64(here.twists) >> at & 15) + tables.twists[turn, place]) % 3 << 4 * place
            row = rows[top]
            row.corners, row.twists, row.cost, row.move = corners, twists, here.cost + 1, turn
            top += here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.corners == 0x6543210 and here.twists == 0

    @staticmethod
    def key(tables, here):
        return np.uint64(here.corners) << np.uint64(32) | np.uint64(here.twists)

    @staticmethod
    def index(tables, here):
        number = 0
        for place in range(CORNERS):
            corner = np.int64(here.corners) >> 4 * place & 15
            fewer = 0
            for later in range(place + 1, CORNERS):
                fewer += (np.int64(here.corners) >> 4 * later & 15) < corner
            number = number * (CORNERS - place) + fewer
        for place in range(CORNERS - 1):  # the last twist follows from the others
            number = number * 3 + (np.int64(here.twists) >> 4 * place & 15)
        return np.uint64(number)

    @staticmethod
    def unindex(tables, number, row):
        rest = np.int64(number)
        twists, total = 0, 0
        for place in range(CORNERS - 2, -1, -1):
            twists |= rest % 3 << 4 * place
            total += rest % 3
            rest //= 3
        twists |= -total % 3 << 4 * (CORNERS - 1)
        corners, ranks = 0, np.int64(0)
        for place in range(CORNERS - 1, -1, -1):
            ranks |= rest % (CORNERS - place) << 4 * place
            rest //= CORNERS - place
        left = 0x6543210
        for place in range(CORNERS):
            at = 4 * (ranks >> 4 * place & 15)
            corners |= (left >> at & 15) << 4 * place
            left = left & (1 << at) - 1 | left >> at + 4 << at
        row.corners, row.twists, row.move = corners, twists, 0


@dataclass(frozen=True)
class Line(Puzzle):
    """Walk on a line of fields, from its middle to the fields that are marked."""

    length: int = parameter(11, "fields")
    marked: str = parameter("3 7", "fields that are solved")
    way: Literal["reversible", "any"] = parameter("reversible", "what is said of the graph")

    state = np.dtype([("place", "u4"), ("cost", "u2"), ("move", "u1")])
    children = 2

    @property
    def graph(self):
        return self.way

    def root(self):
        return {"place": self.length // 2}

    def tables(self):
        marks = np.zeros(self.length, np.bool_)
        marks[[int(place) for place in self.marked.split()]] = True
        return Marks(marks)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for way in range(2):
            place = np.int64(here.place) + 2 * way - 1
            row = rows[top]
            row.place, row.cost, row.move = place, here.cost + 1, way
            top += 0 <= place < tables.marks.size and here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return tables.marks[here.place]

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)


class Marks(NamedTuple):
    marks: Any  # bool[fields]


@dataclass(frozen=True)
class LineByKey(Line):
    """The same with a way back from its keys."""

    @staticmethod
    def unkey(tables, key, row):
        row.place, row.move = key, 0


@dataclass(frozen=True)
class LineByNumber(LineByKey):
    """The same with numbers."""

    @property
    def size(self):
        return self.length

    @staticmethod
    def index(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unindex(tables, number, row):
        row.place, row.move = number, 0
