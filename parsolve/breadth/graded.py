"""Breadth-first search over keys of a graded graph whose moves differ in cost: 8 bytes a state, on all cores.

A state is reached by one number of moves only, so that each layer is made from the one before, and is done when all of
that one is expanded. Of the ways to a state the cheapest one counts.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from parsolve.breadth.key_arrays import PIECE
from parsolve.breadth.keys import BY_ARRAY, Keys
from parsolve.breadth.layers import Array, Layer, Place, Unsuited
from parsolve.kernel.breadth import merge_least
from parsolve.kernel.chains import COST, HIGHEST, KEY
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem


class Graded(Keys):
    """States of a graded graph by key with the least cost of each, all layers kept; see `Store`. An id is an entry: the
    key and above it the cost; see `kernel.chains`."""

    declared = "'key', 'unkey' or 'graph'"
    in_rounds = False  # what is the least cost of a state is known when all its parents are expanded
    unsuited = "its keys leave no room for costs, or costs are above 254"

    def __init__(self, problem: Problem, threads: Threads) -> None:
        super().__init__(problem, threads, BY_ARRAY)
        self._expand_buckets, self._mark_keys = self._kernel.expand_entries, self._kernel.mark_entries
        self._merge_buckets = merge_least
        self.warm_up(problem.root)
        self._entries: dict[Place, Array] = {}

    def search(self) -> Iterator[Layer]:
        """See `Store`: by cost, when all costs are known."""
        root = self.problem.root
        layer = self.ids_of(root)
        if layer[0] > KEY or root["cost"][0] >= HIGHEST:
            raise Unsuited(f"{self.problem.name}: {self.unsuited}")
        layer |= root["cost"].astype(np.uint64) << COST
        solved: set[Place] = set()
        steps = 0
        while len(layer):
            costs = (layer >> COST).astype(np.uint8)
            for cost in np.flatnonzero(np.bincount(costs)).tolist():
                self._entries[cost, steps] = layer[costs == cost]
            following = self.following(layer, past_solved=False, depth=steps)
            if self.has_solved:
                solved.update(self._solved(steps))
            layer = following
            steps += 1
        for (cost, steps), entries in sorted(self._entries.items(), key=lambda item: item[0]):
            yield Layer(cost, steps, len(entries), (cost, steps) in solved)

    def _solved(self, steps: int) -> Iterator[Place]:
        for place, entries in self._entries.items():
            if place[1] == steps:
                for first in range(0, len(entries), PIECE):
                    self._threads.watch.check()
                    if self.states_of(entries[first : first + PIECE] & KEY)[1].any():
                        yield place
                        break

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: exactly those that it asks for."""
        entries = self._entries[layer.place]
        ends = [ids for (_, steps), ids in known.items() if steps == layer.steps + 1]
        following = np.concatenate([entries[:0], *ends])
        led_on = layer.solved or len(following)
        entries = entries[self.mark(entries, following)] if led_on else entries[:0]
        rows, solved = self.states_at(layer, entries & KEY)
        return rows, entries, solved

    def children(self, rows: Array, past_solved: bool = False) -> Iterator[tuple[Array, Array, Array]]:
        """See `Store`."""
        for children, parents, found in super().children(rows, past_solved):
            yield children, parents, found | children["cost"].astype(np.uint64) << COST
