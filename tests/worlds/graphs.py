"""Random graphs as puzzles, one class for each set of optional rules: an instance is only another number.

    parsolve solve tests/worlds/graphs.py:OneWord --number 5

What is random is data in the tables of the rules, so that each class is compiled once.
"""

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from parsolve import Puzzle, parameter
from parsolve.puzzle.core import Graph
from worlds.plain import distances

Edges = list[list[tuple[int, int]]]
"""The moves from each place: where to and at what cost."""

ONE = np.uint64(1)

NO_WAY = 1000
"""The bound of a place from which no solved one can be reached."""


Costs = Literal["one", "free", "any"]
"""What moves cost: 1; 1, or nothing where no way leads around; up to 6."""


class Data(NamedTuple):
    """A random graph."""

    kind: Graph
    edges: Edges
    codes: list[list[int]]  # the code of each move
    classes: int  # how many places differ: one and the same less a multiple of this are each other's twins
    solved: frozenset[int]
    root: int
    bounds: list[int]  # by place
    limits: range | None  # None for no end
    mask: int  # in keys
    stride: int  # between numbers
    goals_given: bool
    groups: list[int]  # by place: its place in the abstraction
    share: int  # how many of them share an entry
    weights: list[int]


class Tables(NamedTuple):
    """What the rules look up."""

    to: Any  # uint32[places, moves]
    costs: Any  # int64[places, moves]: -1 for no move
    codes: Any  # uint16[places, moves]
    bounds: Any  # int64[places]
    solved: Any  # bool[places]
    weights: Any  # int64[places]
    classes: np.uint64
    mask: np.uint64
    stride: np.uint64
    share: np.uint64


def class_of(tables: Any, here: Any) -> Any:
    """The place that stands for a state and its twin."""
    return np.uint64(here.place) % tables.classes


@dataclass(frozen=True)
class Walk(Puzzle):
    """Walk on a random graph to a solved place. No key."""

    number: int = parameter(0, "which random numbers")
    most: int = parameter(40, "the greatest number of places that differ")

    costs: ClassVar[Costs] = "any"
    kinds: ClassVar[Sequence[Graph]] = ("any", "any", "graded", "bipartite", "reversible")
    twins: ClassVar[bool] = False

    state = np.dtype([("place", "u4"), ("cost", "u2"), ("bound", "u2"), ("move", "u2")])

    @cached_property
    def data(self) -> Data:
        """The graph."""
        random_ = random.Random(self.number)
        kind = random_.choice(self.kinds)
        classes = random_.randint(2, self.most)
        width = random_.randint(max(1, self.most // 40), max(4, self.most // 10))
        costs = (1, 1) if self.costs == "one" else random_.choice(((1, 1), (0, 1), (1, 6), (0, 6), (2, 2), (0, 3)))
        if self.costs == "free":
            costs = (0, 1)
        edges = random_edges(random_, kind, classes, width, costs)
        solved = random_.sample(range(classes), random_.randint(1, min(3, classes)))
        root = random_.randrange(width if kind == "graded" and width < classes else classes)
        limits = range(0, random_.choice((8, 200)), 2 if costs == (2, 2) else 1)
        true = lower_bounds(edges, solved)
        bounds = [random_.randint(0, least) for least in true] if random_.random() < 0.5 else [0] * classes
        if self.twins:
            edges = twinned(random_, edges)
            solved, bounds = solved + [place + classes for place in solved], 2 * bounds
        groups = [random_.randrange(-(-classes // 2)) for _ in range(classes)]
        return Data(
            kind=kind,
            edges=edges,
            codes=[sorted(random_.sample(range(1 << 16), len(each))) for each in edges],
            classes=classes,
            solved=frozenset(solved),
            root=root,
            bounds=bounds,
            limits=limits if random_.random() < 0.5 else None,
            mask=random_.choice((0, (1 << 64) - 1, random_.getrandbits(64))),
            stride=random_.choice((1, 1, 3, 70)),
            goals_given=kind in ("bipartite", "reversible") and random_.random() < 0.5,
            groups=groups,
            share=random_.choice((1, 1, 2, 3)),
            weights=[random_.choice((1, 1, 7, 1 << 40)) for _ in range(classes)] * (1 + self.twins),
        )

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        return self.data.kind

    @property
    def children(self) -> int:
        return max(1, *map(len, self.data.edges))

    def root(self, *distances: Any) -> dict[str, Any]:
        return {"place": self.data.root, "bound": self.bounds_by(*distances)[self.data.root]}

    def goals(self) -> list[dict[str, Any]]:
        return [{"place": place} for place in sorted(self.data.solved)] if self.data.goals_given else []

    def steps(self, limit: int) -> int:
        return min((1 << 16) - 1, len(self.data.edges) * (limit + 1))

    def bounds_by(self, *distances: Any) -> list[int]:
        """Return the lower bound of each place."""
        return self.data.bounds

    def tables(self, *distances: Any) -> Tables:
        data, width = self.data, self.children
        to = np.zeros((len(data.edges), width), np.uint32)
        costs, codes = np.full(to.shape, -1, np.int64), np.zeros(to.shape, np.uint16)
        for place, edges in enumerate(data.edges):
            for move, (other, cost) in enumerate(edges):
                to[place, move], costs[place, move], codes[place, move] = other, cost, data.codes[place][move]
        return Tables(
            to,
            costs,
            codes,
            np.array(self.bounds_by(*distances), np.int64),
            np.array([place in data.solved for place in range(len(to))], np.bool_),
            np.array(data.weights, np.int64),
            np.uint64(data.classes),
            np.uint64(data.mask),
            np.uint64(data.stride),
            np.uint64(data.share),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(tables.to.shape[1]):
            more = tables.costs[here.place, move]
            place = tables.to[here.place, move]
            cost, bound = here.cost + more, tables.bounds[place]
            row = rows[top]
            row.place = place
            row.cost = cost
            row.bound = bound
            row.move = tables.codes[here.place, move]
            top += (more >= 0) & (cost + bound <= limit)
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return tables.solved[here.place]


def random_edges(random_: random.Random, kind: Graph, places: int, width: int, costs: tuple[int, int]) -> Edges:
    """Return random moves, several of them perhaps between the same two places; none without cost leads back."""
    edges: Edges = [[] for _ in range(places)]
    low, high = costs
    for _ in range(places * random_.randint(1, 3)):
        start, end = random_.randrange(places), random_.randrange(places)
        if kind == "graded":
            after = range(width * (start // width + 1), min(places, width * (start // width + 2)))
            end = random_.choice(after) if after else start
        if start == end or (kind == "bipartite" and (start + end) % 2 == 0):
            continue
        is_two_way = kind in ("bipartite", "reversible")
        cost = random_.randint(max(low, is_two_way or end < start), max(1, high))
        edges[start].append((end, cost))
        if is_two_way:
            edges[end].append((start, cost))
    return edges


def twinned(random_: random.Random, edges: Edges) -> Edges:
    """Return the same graph with a twin of each place: the same moves in another order, to whichever of two twins."""
    both = [*edges, *(random_.sample(each, len(each)) for each in edges)]
    return [[(to + random_.choice((0, len(edges))), cost) for to, cost in each] for each in both]


def lower_bounds(edges: Edges, ends: Iterable[int]) -> list[int]:
    """Return the cost from each place to the nearest end, NO_WAY where there is no way."""
    back: Edges = [[] for _ in edges]
    for place, each in enumerate(edges):
        for to, cost in each:
            back[to].append((place, cost))
    found = distances(ends, lambda place: [(0, to, cost) for to, cost in back[place]])
    return [min(NO_WAY, found.get(place, NO_WAY)) for place in range(len(edges))]


# With a key.


@dataclass(frozen=True)
class OneWord(Walk):
    """A key of one word, and limits."""

    twins = True

    def limits(self) -> Iterable[int]:
        return itertools.count() if self.data.limits is None else self.data.limits

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return class_of(tables, here) ^ tables.mask


@dataclass(frozen=True)
class TwoWords(OneWord):
    """A key of two words."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        place = class_of(tables, here)
        return place & ONE ^ tables.mask, place >> ONE


@dataclass(frozen=True)
class FiveWords(OneWord):
    """A key of five words."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        place = class_of(tables, here)
        return place & ONE, tables.mask, place >> ONE & ONE ^ tables.mask, place >> ONE, tables.mask


@dataclass(frozen=True)
class WayBack(OneWord):
    """The way back from a key."""

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.place = key ^ tables.mask
        row.move = 0


@dataclass(frozen=True)
class WideWayBack(TwoWords):
    """The way back from a key of two words."""

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.place = key[1] << ONE | key[0] ^ tables.mask
        row.move = 0


@dataclass(frozen=True)
class UnitWayBack(WayBack):
    """The same where each move costs 1."""

    costs: ClassVar[Costs] = "one"


@dataclass(frozen=True)
class TakenBack(UnitWayBack):
    """Moves that can be taken back, and the goals."""

    kinds: ClassVar[Sequence[Graph]] = ("bipartite", "reversible")

    def goals(self) -> list[dict[str, Any]]:
        return [{"place": place} for place in sorted(self.data.solved)]


@dataclass(frozen=True)
class BothEnds(TakenBack):
    """The same searched from both ends."""

    def inverse_puzzle(self) -> Puzzle:
        return TakenBack(self.number, self.most)


@dataclass(frozen=True)
class Numbered(WayBack):
    """Numbers of the states, some of which no state has."""

    costs: ClassVar[Costs] = "one"

    @property
    def size(self) -> int:
        return self.data.classes * self.data.stride + 1

    @staticmethod
    def index(tables: Any, here: Any) -> Any:
        return class_of(tables, here) * tables.stride + ONE

    @staticmethod
    def unindex(tables: Any, number: Any, row: Any) -> Any:
        row.place = (number - ONE) // tables.stride % tables.classes
        row.move = 0


@dataclass(frozen=True)
class FreeNumbered(Numbered):
    """The same with moves that cost nothing."""

    costs: ClassVar[Costs] = "free"


@dataclass(frozen=True)
class CostlyNumbered(Numbered):
    """The same with moves that cost up to 6."""

    costs: ClassVar[Costs] = "any"


@dataclass(frozen=True)
class Weighted(OneWord):
    """A solved place stands for several solutions."""

    @staticmethod
    def weight(tables: Any, here: Any) -> Any:
        return tables.weights[here.place], 0


@dataclass(frozen=True)
class Costless(Puzzle):
    """Walk on a random graph without ways around, whose solutions differ in no cost."""

    number: int = parameter(0, "which random numbers")

    state = np.dtype([("place", "u4"), ("move", "u2")])

    @cached_property
    def data(self) -> Data:
        """The graph: of a walk, its moves to later places."""
        data = WayBack(self.number).data
        places = range(2 * data.classes)
        classes = data.classes
        edges = [[(to, 1) for to, _ in data.edges[place] if to % classes > place % classes] for place in places]
        return data._replace(kind="any", edges=edges, codes=[[*range(len(each))] for each in edges], root=0)

    @property
    def children(self) -> int:
        return max(1, *map(len, self.data.edges))

    def root(self) -> dict[str, Any]:
        return {"place": self.data.root}

    def steps(self, limit: int) -> int:
        return len(self.data.edges)

    tables = Walk.tables
    bounds_by = Walk.bounds_by

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(tables.to.shape[1]):
            row = rows[top]
            row.place = tables.to[here.place, move]
            row.move = tables.codes[here.place, move]
            top += tables.costs[here.place, move] >= 0
        return top

    solved = staticmethod(Walk.solved)
    key = staticmethod(OneWord.key)
    unkey = staticmethod(WayBack.unkey)
