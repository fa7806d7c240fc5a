"""Sources of small puzzles that tests write to files, and plain-Python searches to hold answers against."""

from collections.abc import Sequence

from parsolve import Puzzle, Result
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution

WALK = '''
"""Walk on a ring of `size` places to the opposite one, in steps of 1 and 2."""
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from parsolve import Puzzle, parameter

class Tables(NamedTuple):
    size: int

@dataclass(frozen=True)
class Walk(Puzzle):
    size: int = parameter(8, "places")
    state = np.dtype([("place", "u4"), ("cost", "u2"), ("bound", "u2"), ("move", "u1")])
    children = 2

    def root(self):
        return {"place": 0}

    def tables(self):
        return Tables(self.size)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for step in range(1, 3):
            row = rows[top]
            row.place = (here.place + step) % tables.size
            row.cost = here.cost + 1
            row.bound = 0
            row.move = step
            top += here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.place * 2 == tables.size
'''

KEY = """
    @staticmethod
    def key(tables, here):
        return here.place
"""
"""The rule `key` of a walk, to be added at its end."""

INDEX = """
    @staticmethod
    def index(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unindex(tables, number, row):
        row.place = number
        row.move = 0
"""
"""The numbers of a walk's states, likewise."""


def texts(result: Result) -> list[str]:
    """Return a search's solutions as a person reads them."""
    return [solution.text for solution in result.solutions]


def pictures(puzzle: Puzzle, moves: Sequence[int] = ()) -> list[str]:
    """Return the states along a solution as a person sees them."""
    return Solution(moves, Problem(puzzle)).boards


def counted(puzzle: Puzzle) -> Puzzle:
    """Return what is searched where solutions are counted."""
    return Problem(puzzle, "count").puzzle


def edited(old: str, new: str, source: str = WALK) -> str:
    """A sample with one place changed."""
    assert old in source
    return source.replace(old, new)


DOUBLING = edited(
    "here.place * 2 == tables.size",
    "here.place == tables.size",
    edited("here.place + step) % tables.size", "here.place + 1)"),
)
"""A walk with two moves to the same place, `size` times in a row: 2 to the power of `size` solutions."""


TUNED = edited("    size: int\n\n", "    size: int\n    steps: int\n    bound: int\n    hole: int\n\n")
TUNED = edited("    children = 2\n", "    children = 2\n    tuned = 2, 0, -1\n", TUNED)
TUNED = edited("Tables(self.size)", "Tables(self.size, *self.tuned)", TUNED)
TUNED = edited("range(1, 3)", "range(1, tables.steps + 1)", edited('"u2"', '"u1"', TUNED))
TUNED = edited("row.bound = 0", "row.bound = tables.bound + 0 // (here.place - tables.hole)", TUNED)
TUNED = edited("here.cost + 1 <= limit", "here.cost + 1 + row.bound <= limit", TUNED)
"""The walk with its steps, its bound and a place where it divides by 0 in its tables: one kernel for all mistakes."""


def tuned(values: str, size: int = 8) -> str:
    """That walk with its steps, its bound and that place: `tuned("2, 0, -1")`."""
    return edited("2, 0, -1", values, edited("parameter(8", f"parameter({size}", TUNED))


TOWERS = '''
"""Towers of Hanoi on four pegs; the bound is the distance of the largest disks alone."""
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from parsolve import Puzzle, parameter

class Tables(NamedTuple):
    disks: int
    hidden: int
    distances: np.ndarray

NOTHING = np.zeros(1, np.uint8)

def smallest(pegs, peg, disks):
    for disk in range(disks):
        if pegs >> 2 * disk & 3 == peg:
            return disk
    return disks

def expand_disks(disks, here, limit, rows, top, hidden, distances):
    pegs = np.int64(here.pegs)
    for start in range(4):
        disk = smallest(pegs, start, disks)
        for end in range(4):
            if disk < smallest(pegs, end, disks):
                after = pegs + (end - start << 2 * disk)
                bound = np.int64(distances[distances.size - 1 - (after >> 2 * hidden)])
                row = rows[top]
                row.pegs = after
                row.cost = here.cost + 1
                row.bound = bound
                row.move = 4 * start + end
                top += here.cost + 1 + bound <= limit
    return top

@dataclass(frozen=True)
class Disks(Puzzle):
    """The way to the last peg from wherever each disk is."""
    disks: int = parameter(3, "how many")
    state = np.dtype([("pegs", "u4"), ("cost", "u2"), ("bound", "u1"), ("move", "u1")])
    children = 12
    graph = "reversible"

    @property
    def size(self):
        return 4**self.disks

    def root(self):
        return {"pegs": 0}

    def goals(self):
        return [{"pegs": 4**self.disks - 1}]

    def tables(self):
        return Tables(self.disks, self.disks, NOTHING)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        return expand_disks(tables.disks, here, limit, rows, top, tables.hidden, tables.distances)

    @staticmethod
    def solved(tables, here):
        return here.pegs == (1 << 2 * tables.disks) - 1

    @staticmethod
    def key(tables, here):
        return np.uint64(here.pegs)

    index = key

    @staticmethod
    def unindex(tables, number, row):
        row.pegs = number
        row.move = 0

    @staticmethod
    def entry(tables, number):
        return np.uint64((1 << 2 * tables.disks) - 1) - np.uint64(number)

@dataclass(frozen=True)
class Towers(Puzzle):
    """Move all disks from the first peg to the last."""
    disks: int = parameter(5, "how many")
    known: int = parameter(3, "how many of the largest the bound knows, 0 for no bound", only_bounds=True)
    state = Disks.state
    children = 12
    expand, solved, key = (staticmethod(rule) for rule in (Disks.expand, Disks.solved, Disks.key))

    def abstractions(self):
        return [Disks(self.known)] if self.known else []

    def root(self, *distances):
        return {"pegs": 0, "bound": int(distances[0][-1]) if distances else 0}

    def tables(self, *distances):
        return Tables(self.disks, self.disks - self.known, *distances or [np.zeros(4**self.disks, np.uint8)])
'''
"""Towers whose lower bound is the table of an abstraction, the greatest place first."""
