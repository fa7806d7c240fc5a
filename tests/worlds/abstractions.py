"""Random graphs whose lower bound, or whose moves, are looked up in the table of a smaller puzzle."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parsolve import Puzzle
from parsolve.puzzle.core import Better, Counting, Want
from worlds.graphs import ONE, Data, Edges, Numbered, OneWord, Tables, Walk, WayBack


@dataclass(frozen=True)
class Quotient(Walk):
    """A graph whose places are groups of places of `Bounded`: its moves go both ways, and cost 1 at most."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        data = Bounded(self.number).data
        number = 1 + max(data.groups)
        ways: list[dict[tuple[int, int], None]] = [{} for _ in range(number)]
        for start, edges in enumerate(data.edges):
            for to, cost in edges:
                one, other = data.groups[start % data.classes], data.groups[to % data.classes]
                if one != other:
                    ways[one][other, min(1, cost)] = ways[other][one, min(1, cost)] = None
        return data._replace(
            kind="reversible",
            edges=[list(each) for each in ways],
            codes=[list(range(len(each))) for each in ways],
            classes=number,
            solved=frozenset(data.groups[place % data.classes] for place in data.solved),
            root=0,
            bounds=[0] * number,
            weights=[0] * number,
            goals_given=True,
        )

    @property
    def size(self) -> int:
        return self.data.classes * self.data.stride + 1

    @property
    def entries(self) -> int:
        return -(-self.data.classes // self.data.share)

    index = staticmethod(Numbered.index)
    unindex = staticmethod(Numbered.unindex)
    key = staticmethod(OneWord.key)

    @staticmethod
    def entry(tables: Any, number: Any) -> Any:
        return (number - ONE) // tables.stride // tables.share


@dataclass(frozen=True)
class Bounded(OneWord):
    """The lower bound is the distance in a smaller graph."""

    def abstractions(self) -> Sequence[Puzzle]:
        return [Quotient(self.number)]

    def bounds_by(self, *distances: Any) -> list[int]:
        (table,) = distances
        data = self.data
        return [int(table[data.groups[place % data.classes] // data.share]) for place in range(len(data.edges))]


ROADS = Path("roads.txt")
"""In the working folder: the number of a graph, which may change between two searches."""


@dataclass(frozen=True)
class Roads(Bounded):
    """A graph from the file, bounded by the distance in a smaller one."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        return Bounded(int(ROADS.read_text())).data

    def abstractions(self) -> Sequence[Puzzle]:
        return [SmallRoads(self.number)]


@dataclass(frozen=True)
class SmallRoads(Quotient):
    """The smaller graph."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        return Quotient(int(ROADS.read_text())).data


@dataclass(frozen=True)
class Improving(OneWord):
    """Searched without a bound at first, and with one once an iteration has had a few nodes."""

    def bounds_by(self, *distances: Any) -> list[int]:
        return [0] * len(self.data.edges)

    def counting(self, want: Want) -> Counting:
        return Counting(self, better=[Better(lambda: Bounded(self.number), self.number % 50, self.number % 30)])


@dataclass(frozen=True)
class Reach(WayBack):
    """A graded graph; its table tells from which places a solved one can be reached."""

    kinds = ("graded",)
    costs = "one"
    twins = False


@dataclass(frozen=True)
class Pruned(WayBack):
    """The same graph without the moves that lead nowhere."""

    kinds = ("graded",)
    costs = "one"
    twins = False

    def abstractions(self) -> Sequence[Puzzle]:
        return [Reach(self.number)]

    def tables(self, *distances: Any) -> Tables:
        tables = super().tables()
        known = {int(key) ^ self.data.mask for key in distances[0]}
        open_ = np.array([[place in known for place in row] for row in tables.to.tolist()], np.bool_)
        return tables._replace(costs=np.where(open_, tables.costs, -1))


@dataclass(frozen=True)
class Layered(Reach):
    """A graded graph whose solved places are in its last level, searched from both ends."""

    @cached_property
    def data(self) -> Data:
        """The graph: levels of equal width."""
        random_ = random.Random(self.number)
        levels, width = random_.randint(2, 8), random_.randint(1, 5)
        places = levels * width
        edges: Edges = [[] for _ in range(places)]
        for _ in range(places * random_.randint(1, 2)):
            start = random_.randrange(places - width)
            edges[start].append((width * (start // width + 1) + random_.randrange(width), 1))
        return Walk(self.number).data._replace(
            kind="graded",
            edges=edges,
            codes=[sorted(random_.sample(range(1 << 16), len(each))) for each in edges],
            classes=places,
            solved=frozenset(random_.sample(range(places - width, places), random_.randint(1, width))),
            root=random_.randrange(width),
            bounds=[0] * places,
            limits=range(levels - 1, levels),
            goals_given=True,
            weights=[0] * places,
        )

    def inverse_puzzle(self) -> Puzzle:
        return LayeredBack(self.number)


@dataclass(frozen=True)
class LayeredBack(Layered):
    """The same with moves taken back."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        data = Layered(self.number).data
        edges: Edges = [[] for _ in data.edges]
        for start, each in enumerate(data.edges):
            for end, cost in each:
                edges[end].append((start, cost))
        codes = [list(range(len(each))) for each in edges]
        return data._replace(edges=edges, codes=codes, root=min(data.solved), solved=frozenset([data.root]))

    def inverse_puzzle(self) -> Puzzle:
        return Layered(self.number)


@dataclass(frozen=True)
class LayeredPruned(Pruned):
    """A graph without the moves that lead nowhere, which are looked for from both ends."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        return Layered(self.number).data

    def goals(self) -> list[dict[str, Any]]:
        return []

    def abstractions(self) -> Sequence[Puzzle]:
        return [Layered(self.number)]
