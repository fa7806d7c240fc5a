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
class Improved(Bounded):
    """The same for a search that has begun without a bound."""

    bounds_only = True


@dataclass(frozen=True)
class Improving(OneWord):
    """Searched without a bound at first, and with one once an iteration has had a few nodes."""

    def bounds_by(self, *distances: Any) -> list[int]:
        return [0] * len(self.data.edges)

    def counting(self, want: Want) -> Counting:
        return Counting(self, better=[Better(lambda: Improved(self.number), self.number % 50, self.number % 30)])


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
class Turned(Reach):
    """A graded graph that looks the same from its end, searched from both ends."""

    @cached_property
    def data(self) -> Data:
        """The graph: levels of equal width, and a map that exchanges the first and the last."""
        random_ = random.Random(self.number)
        levels, width = random_.randint(2, 8), random_.randint(1, 5)
        places = levels * width
        images = turned(random_, levels, width)
        edges: Edges = [[] for _ in range(places)]
        for _ in range(places * random_.randint(1, 2)):
            start = random_.randrange(places - width)
            end = width * (start // width + 1) + random_.randrange(width)
            for one, other in {(start, end), (images[end], images[start])}:
                edges[one].append((other, 1))
        root = random_.randrange(width)
        ends = random_.sample(range(places - width, places), random_.randint(1, width))
        solved = frozenset([images[root]] if random_.random() < 0.3 else ends)
        return Walk(self.number).data._replace(
            kind="graded",
            edges=edges,
            codes=[sorted(random_.sample(range(1 << 16), len(each))) for each in edges],
            classes=places,
            solved=solved,
            root=root,
            bounds=[0] * places,
            limits=range(levels - 1, levels),
            goals_given=True,
            weights=[0] * places,
            images=images,
        )

    @staticmethod
    def reverse(tables: Any, here: Any, row: Any) -> Any:
        row.place = tables.images[here.place]
        row.move = 0


@dataclass(frozen=True)
class TurnedPruned(Pruned):
    """A graph without the moves that lead nowhere, which are looked for from both ends."""

    @cached_property
    def data(self) -> Data:
        """The graph."""
        return Turned(self.number).data

    def goals(self) -> list[dict[str, Any]]:
        return []

    def abstractions(self) -> Sequence[Puzzle]:
        return [Turned(self.number)]


def turned(random_: random.Random, levels: int, width: int) -> list[int]:
    """Return a map of places, by place, that exchanges first and last levels, and whose own inverse it is."""
    images = [0] * (levels * width)
    for level in range((levels + 1) // 2):
        other = levels - 1 - level
        columns = random_.sample(range(width), width)
        if other == level:
            pairs = [(column, column) for column in columns[: width % 2]]
            rest = columns[width % 2 :]
            pairs += [*zip(rest[::2], rest[1::2], strict=True)]
        else:
            pairs = [*enumerate(columns)]
        for one, two in pairs:
            images[level * width + one], images[other * width + two] = other * width + two, level * width + one
    return images
