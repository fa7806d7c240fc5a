"""Puzzles whose costs overflow their field, or nearly so: walk along stages, on one of several roads at each."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np

from parsolve import Puzzle, parameter


class Tables(NamedTuple):
    stages: int
    roads: int
    costs: Any  # int64[2, roads]: of each road, of the last stage and of the others
    back: int  # what the way back costs; -1 for no way


@dataclass(frozen=True)
class Roads(Puzzle):
    """Walk to the last stage. From stage to stage there are several roads."""

    stages: int = parameter(21, "how many")
    costs: str = parameter("12 12 12 12", "of the roads of each stage")
    last: str = parameter("12 20 20", "of those of the last stage")
    width: str = parameter("u1", "of the field of costs")
    back: int = parameter(-1, "what the way back costs; -1: there is none")

    children = 5

    @property
    def state(self) -> Any:
        return np.dtype([("stage", "u2"), ("cost", self.width), ("bound", self.width), ("move", "u1")])

    @property
    def graph(self) -> Any:
        return "graded" if self.back < 0 else "any"

    def root(self):
        return {}

    def tables(self):
        costs = np.full((2, self.children), -1, np.int64)
        for number, text in enumerate((self.last, self.costs)):
            values = [int(word) for word in text.split()]
            costs[number, : len(values)] = values
        return Tables(self.stages, self.children, costs, self.back)

    def limits(self):
        """What the ways cost, whole or not."""
        if self.back >= 0:
            return range(256)
        costs, last = ({int(word) for word in text.split()} for text in (self.costs, self.last))
        sums = [{0}]
        for stage in range(self.stages):
            sums.append({a + b for a in sums[-1] for b in (last if stage == self.stages - 1 else costs)})
        return sorted(set().union(*sums))

    def steps(self, limit):
        return 65535 if self.back >= 0 else self.stages

    @staticmethod
    def expand(tables, here, limit, rows, top):
        is_last = here.stage == tables.stages - 1
        for road in range(tables.roads - 1):
            more = tables.costs[0 if is_last else 1, road]
            row = rows[top]
            row.stage = here.stage + 1
            row.cost = here.cost + more
            row.bound = 0
            row.move = road
            top += (more >= 0) & (row.cost <= limit) & (here.stage < tables.stages)
        if tables.back >= 0 and here.stage > 0:
            row = rows[top]
            row.stage = here.stage - 1
            row.cost = here.cost + tables.back
            row.bound = 0
            row.move = tables.roads
            top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.stage == tables.stages

    @staticmethod
    def key(tables, here):
        return np.uint64(here.stage)

    @staticmethod
    def unkey(tables, key, row):
        row.stage = key
        row.move = 0

    def answer(self) -> tuple[int, int]:
        """The cost of the cheapest ways, and how many they are, by numbers of any size; without the way back."""
        costs, last = ([int(word) for word in text.split()] for text in (self.costs, self.last))
        cost = (self.stages - 1) * min(costs) + min(last)
        return cost, costs.count(min(costs)) ** (self.stages - 1) * last.count(min(last))


@dataclass(frozen=True)
class NamedRoads(Roads):
    """The same, the field named by a text."""

    @staticmethod
    def expand(tables, here, limit, rows, top):
        is_last = here.stage == tables.stages - 1
        for road in range(tables.roads - 1):
            more = tables.costs[0 if is_last else 1, road]
            rows[top] = here
            row = rows[top]
            row["stage"] += 1
            row["cost"] += more
            row["move"] = road
            top += (more >= 0) & (row["cost"] <= limit)
        return top


def write(row, stage, cost, road):
    row.stage, row.cost, row.bound, row.move = stage, cost, 0, road


@dataclass(frozen=True)
class CompiledRoads(Roads):
    """The same with a rule and a helper that their author compiles."""

    @staticmethod
    @numba.njit
    def expand(tables, here, limit, rows, top):
        is_last = here.stage == tables.stages - 1
        for road in range(tables.roads - 1):
            more = tables.costs[0 if is_last else 1, road]
            compiled(rows[top], here.stage + 1, here.cost + more, road)
            top += (more >= 0) & (rows[top].cost <= limit)
        return top


compiled = numba.njit(write)


@dataclass(frozen=True)
class NumberedRoads(Roads):
    """The same with numbers of the states; with a way back they are reversible."""

    @property
    def graph(self) -> Any:
        return "graded" if self.back < 0 else "reversible"

    @property
    def size(self):
        return self.stages + 1

    def goals(self):
        return [{"stage": self.stages}]

    index, unindex = staticmethod(Roads.key), staticmethod(Roads.unkey)


@dataclass(frozen=True)
class CutRoads(Roads):
    """The same with costs that the rule itself cuts, so that they start again from 0."""

    @staticmethod
    def expand(tables, here, limit, rows, top):
        is_last = here.stage == tables.stages - 1
        for road in range(tables.roads - 1):
            more = tables.costs[0 if is_last else 1, road]
            row = rows[top]
            row.stage = here.stage + 1
            row.cost = (here.cost + more) & 255
            row.bound = 0
            row.move = road
            top += (more >= 0) & (row.cost <= limit)
        return top
