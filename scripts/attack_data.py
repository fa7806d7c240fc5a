"""Random graphs that are read from a file: what is kept of one must not be used for another."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from worlds.abstractions import Bounded, Quotient
from worlds.graphs import Data

from parsolve import Puzzle

FILE = Path("roads.txt")
"""In the working folder: holds the seed of a graph."""


def read_seed() -> int:
    """Return the seed that the file holds."""
    return int(FILE.read_text())


@dataclass(frozen=True)
class Roads(Bounded):
    """A graph from the file, bounded by the distance in a smaller one."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        return Bounded(read_seed()).data

    def abstractions(self) -> Sequence[Puzzle]:
        return [SmallRoads(self.number)]


@dataclass(frozen=True)
class SmallRoads(Quotient):
    """The smaller graph."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        return Quotient(read_seed()).data
