"""Puzzles on graphs given by tables, whose states are numbered: importable by workers."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from searching import search

from parsolve import Puzzle, parameter
from parsolve.puzzle import Want
from parsolve.search.result import Result
from worlds import plain
from worlds.plain import distances

Paths = list[tuple[int, ...]]


class Tables(NamedTuple):
    to: Any  # uint32[states, degree]
    costs: Any  # uint8[states, degree]
    group: np.uint64


@dataclass(frozen=True)
class Graph(Puzzle):
    """Walk on a graph from its last place to the places 0 and 1."""

    places: int = parameter(50, "how many")
    number: int = parameter(0, "which random numbers")
    degree: int = parameter(3, "moves from each place")
    free: float = parameter(0.0, "the share of moves without cost")
    acyclic: bool = parameter(False, "moves without cost lead to later places only")
    dear: bool = parameter(False, "one move costs 2")
    kind: Literal["graded", "bipartite", "reversible", "any"] = parameter("any", "what is known of the graph")
    line: int = parameter(0, "1: each place leads to the next one only; 2: at no cost")
    goalless: bool = parameter(False, "no goals are given")
    group: int = parameter(1, "places that share an entry")
    back: bool = parameter(False, "every move can be taken back, of kind any too")
    dearest: int = parameter(1, "moves of a reversible graph cost 1 to this")
    declared: int = parameter(0, "the size that is declared; by default the number of places")

    state = np.dtype([("place", "u4"), ("cost", "u2"), ("move", "u2")])

    @property
    def children(self):
        return max(map(len, self.edges))

    @property
    def size(self):
        return self.declared or self.places

    @property
    def entries(self):
        return -(-self.places // self.group)

    @property
    def graph(self):
        return self.kind

    @cached_property
    def edges(self):
        """The moves from each place, as many from all: (to, cost). One that leads nowhere else is none."""
        if not self.back:
            return self.drawn
        edges = [[*each] for each in self.drawn]
        for place, each in enumerate(self.drawn):
            for to, cost in each:
                edges[to].append((place, cost))
        most = max(map(len, edges))
        return [each + [(place, 1)] * (most - len(each)) for place, each in enumerate(edges)]

    @property
    def drawn(self):
        """The moves from each place that are drawn by lot."""
        numbers = random.Random(self.number)
        if self.kind == "graded":
            ends = [min(self.places, 10 * (place // 10 + 2)) for place in range(self.places)]
            return [
                [(numbers.randrange(end - 10, end) if place < end - 10 else place, 1) for _ in range(self.degree)]
                for place, end in enumerate(ends)
            ]
        if self.kind != "any":
            return [*zip(*(self.matching(numbers) for _ in range(self.degree)), strict=True)]
        if self.line:
            return [[(min(place + 1, self.places - 1), 2 - self.line)] * self.degree for place in range(self.places)]
        edges = [
            [(numbers.randrange(self.places), int(numbers.random() >= self.free)) for _ in range(self.degree)]
            for _ in range(self.places)
        ]
        if self.acyclic:
            edges = [[(to, max(cost, to <= place)) for to, cost in each] for place, each in enumerate(edges)]
        if self.dear:
            edges[0][0] = (edges[0][0][0], 2)
        return edges

    def matching(self, numbers):
        """Return the move from each place that swaps random pairs; of an even and an odd place if that is wanted."""
        places = numbers.sample(range(self.places), self.places)
        pairs = zip(places[::2], places[1::2], strict=False)
        if self.kind == "bipartite":
            pairs = zip(*([place for place in places if place % 2 == odd] for odd in (0, 1)), strict=False)
        to = {start: end for pair in pairs for start, end in (pair, pair[::-1])}
        costs = {pair: numbers.randint(1, self.dearest) for pair in map(frozenset, to.items())}
        return [
            (to.get(place, place), costs.get(frozenset((place, to.get(place, place))), 1))
            for place in range(self.places)
        ]

    def root(self):
        return {"place": self.places - 1}

    def goals(self):
        return [{"place": place} for place in (0, 1) if place < self.places and not self.goalless]

    def tables(self):
        return Tables(
            np.array([[to for to, _ in each] for each in self.edges], np.uint32),
            np.array([[cost for _, cost in each] for each in self.edges], np.uint8),
            np.uint64(self.group),
        )

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for move in range(tables.to.shape[1]):
            row = rows[top]
            row.place = tables.to[here.place, move]
            row.cost = here.cost + tables.costs[here.place, move]
            row.move = move
            top += row.cost <= limit and row.place != here.place
        return top

    @staticmethod
    def solved(tables, here):
        return here.place < 2

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unkey(tables, key, row):
        row.place = key
        row.move = 0

    @staticmethod
    def index(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unindex(tables, number, row):
        row.place = number
        row.move = 0

    @staticmethod
    def entry(tables, number):
        return number // tables.group


class Numbered(Graph):
    """A graph whose numbers are places in the table of distances."""

    entry = entries = None


class Plain(Graph):
    """A graph without a way back."""

    entry = entries = index = unindex = unkey = size = None


class Keyed(Graph):
    """A graph without numbers."""

    entry = entries = index = unindex = size = None


class Spread(Keyed):
    """A graph whose keys have more than 44 bits, except for those of its last places, where it starts."""

    @staticmethod
    def key(tables, here):
        return np.uint64(tables.to.shape[0] - 1 - here.place) << np.uint64(37)

    @staticmethod
    def unkey(tables, key, row):
        row.place = tables.to.shape[0] - 1 - np.int64(key >> np.uint64(37))
        row.move = 0


def true_distances(edges: Sequence[Sequence[tuple[int, int]]], starts: Iterable[int]) -> list[float]:
    """Return the distance of each place from the nearest start."""
    far = distances(starts, lambda place: ((0, to, cost) for to, cost in edges[place]))
    return [far.get(place, math.inf) for place in range(len(edges))]


def cheapest(graph: Graph) -> tuple[int | None, Paths]:
    """Return the least cost and every cheapest path in depth-first order."""
    edges = graph.edges

    def moves(place: int) -> Paths:
        return [(move, to, cost) for move, (to, cost) in enumerate(edges[place]) if to != place]

    answer = plain.cheapest(graph.places - 1, moves, lambda place: place < 2, math.inf)
    return answer.cost, answer.solutions or []


def by_breadth(graph: Graph, workers: int = 2, want: Want = "all") -> Result:
    return search(graph, want=want, engine="breadth", workers=workers)
