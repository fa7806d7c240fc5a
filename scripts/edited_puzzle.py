"""The source of a puzzle whose rules read all kinds of things, each of which is 0 or 1: the digits of a number."""

BESIDE = "VALUE = 0\n"
"""A module that the puzzle's imports."""

SOURCE = '''
from dataclasses import dataclass
from typing import NamedTuple

import beside
import numba
import numpy as np

from parsolve import Counting, Puzzle, parameter

ONE = 0
ARRAY = np.zeros(3, np.int64)
FACTOR = 0


class Pair(NamedTuple):
    first: int
    second: int


PAIR = Pair(7, 0)


def helper():
    return 0


def other_helper():
    return 1


def jitted_reads():
    return JITTED


JITTED = 0
jitted = numba.njit(jitted_reads)


def default(value=0):
    return value


def change(writes):
    """Set what a text says: `ONE 1`."""
    if writes:
        name, value = writes.split()
        if name == "ARRAY":
            ARRAY[1] = int(value)
        else:
            globals()[name] = int(value)


@dataclass(frozen=True)
class Edited(Puzzle):
    """Two moves, each one of as many as a number says."""

    constructor: str = parameter("", "what the constructor writes")
    first: str = parameter("", "what `root` writes")
    lookups: str = parameter("", "what `tables` writes")
    state = np.dtype([("depth", "u1"), ("move", "u1")])
    children = 128
    graph = "graded"

    def __post_init__(self):
        change(self.constructor)

    def root(self):
        change(self.first)
        return {}

    def steps(self, limit):
        return 2

    def tables(self):
        change(self.lookups)
        return super().tables()

    @staticmethod
    def expand(tables, here, limit, rows, top):
        number = ONE + 2 * ARRAY[1] + 4 * helper() + 8 * PAIR.second
        number += 16 * beside.VALUE + 32 * jitted() + 64 * default()
        if here.depth < 2:
            for move in range(number + 1):
                rows[top].depth = here.depth + 1
                rows[top].move = move
                top += 1
        return top

    @staticmethod
    def solved(tables, here):
        return here.depth == 2

    @staticmethod
    def key(tables, here):
        return here.depth

    @staticmethod
    def unkey(tables, key, row):
        row.depth = key
        row.move = 0


@dataclass(frozen=True)
class Flagged(Edited):
    """The same, with a parameter whose constructor writes."""

    flag: bool = parameter(False, "what the constructor writes")

    def __post_init__(self):
        change(f"ONE {int(self.flag)}")


@numba.vectorize(["int64(int64)"])
def plus_one(value):
    return value + ONE


@dataclass(frozen=True)
class Kept(Edited):
    """The same, by a function that numba keeps."""

    @staticmethod
    def expand(tables, here, limit, rows, top):
        if here.depth < 2:
            for move in range(plus_one(1)):
                rows[top].depth = here.depth + 1
                rows[top].move = move
                top += 1
        return top


def times(solutions):
    return solutions * (1 + FACTOR)


@dataclass(frozen=True)
class Counted(Edited):
    """The same, each solution counted once or twice."""

    def counting(self, want):
        searched = Edited(self.constructor, self.first, self.lookups)
        return Counting(searched, total=times) if want == "count" else None


@dataclass(frozen=True)
class Shared(Edited):
    """The same, of which the engine `sharing` finds each solution once or twice."""

    def sharing(self):
        return Multiple(self.constructor, self.first, self.lookups)


@dataclass(frozen=True)
class Multiple(Edited):
    """The same, each solution found as often as there are moves."""

    @property
    def multiplicity(self):
        return 1 + FACTOR
'''
