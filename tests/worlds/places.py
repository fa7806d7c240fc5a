"""Puzzles on graphs given by tables, whose states are numbered: importable by workers."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve import Puzzle, parameter
from worlds.plain import distances


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
    dear: bool = parameter(False, "one move costs 2")
    kind: Literal["reversible", "any"] = parameter("any", "what is known of the graph")
    line: int = parameter(0, "1: each place leads to the next one only; 2: at no cost")
    goalless: bool = parameter(False, "no goals are given")
    group: int = parameter(1, "places that share an entry")
    back: bool = parameter(False, "every move can be taken back, of kind any too")
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
        if self.kind != "any":
            return [*zip(*(self.matching(numbers) for _ in range(self.degree)), strict=True)]
        if self.line:
            return [[(min(place + 1, self.places - 1), 2 - self.line)] * self.degree for place in range(self.places)]
        edges = [
            [(numbers.randrange(self.places), int(numbers.random() >= self.free)) for _ in range(self.degree)]
            for _ in range(self.places)
        ]
        if self.dear:
            edges[0][0] = (edges[0][0][0], 2)
        return edges

    def matching(self, numbers):
        """Return the move from each place that swaps random pairs."""
        places = numbers.sample(range(self.places), self.places)
        to = dict(zip(places[::2], places[1::2], strict=False))
        to |= {end: start for start, end in to.items()}
        return [(to.get(place, place), 1) for place in range(self.places)]

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

    index, unindex = key, unkey  # a place is its own number

    @staticmethod
    def entry(tables, number):
        return number // tables.group


class Plain(Graph):
    """A graph without a way back."""

    entry = entries = index = unindex = unkey = size = None


class Keyed(Graph):
    """A graph without numbers."""

    entry = entries = index = unindex = size = None


def true_distances(edges: Sequence[Sequence[tuple[int, int]]], starts: Iterable[int]) -> list[float]:
    """Return the distance of each place from the nearest start."""
    far = distances(starts, lambda place: ((0, to, cost) for to, cost in edges[place]))
    return [far.get(place, math.inf) for place in range(len(edges))]
