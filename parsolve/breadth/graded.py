"""Breadth-first search over keys of a graded graph whose moves differ in cost: 8 bytes a state, on all cores.

A state is reached by one number of moves only, so that each layer is made from the one before, and is done when all of
that one is expanded. Of the ways to a state the cheapest one counts.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from parsolve.breadth.entries import Entries
from parsolve.breadth.key_arrays import PIECE
from parsolve.breadth.layers import Array, Expander, Layer, Place, Unsuited, scalars
from parsolve.breadth.threads import Threads
from parsolve.kernel.chains import COST, HIGHEST, KEY
from parsolve.problem.problem import Problem


class Graded:
    """States by key with the least cost of each, all layers kept; see `Store`. An id is an entry: the key and above it
    the cost.

    Args:
        problem: it gives the way back from a key, and its graph is graded.
        threads: that share the search.
    """

    declared = "'key', 'unkey' or 'graph'"

    def __init__(self, problem: Problem, threads: Threads) -> None:
        self._problem, self._root, self._check = problem, problem.root, threads.watch.check
        assert problem.kernel.layer is not None
        self._expander = Expander(problem, problem.kernel.layer.expand_layer, 1, self._check)
        for _ in self.children(self._root):
            pass
        self._entries = Entries(problem, threads)  # it takes what is left
        self._entries.warm_up(self._root)
        self._layers: dict[Place, Array] = {}

    @property
    def states(self) -> int:
        return 1 + self._entries.states

    def search(self) -> Iterator[Layer]:
        """See `Store`: by cost, when all costs are known."""
        layer = self._entries.keys_of(self._root)
        if layer[0] > KEY or self._root["cost"][0] >= HIGHEST:
            raise Unsuited(f"{self._problem.name}: its keys leave no room for costs")
        layer |= self._root["cost"].astype(np.uint64) << COST
        solved: set[Place] = set()
        steps = 0
        while len(layer):
            costs = (layer >> COST).astype(np.uint8)
            for cost in np.flatnonzero(np.bincount(costs)).tolist():
                self._layers[cost, steps] = layer[costs == cost]
            following = self._entries.following(layer, past_solved=False, depth=steps)
            if self._entries.has_solved:
                solved.update(self._solved(steps))
            layer = following
            steps += 1
        for (cost, steps), entries in sorted(self._layers.items(), key=lambda item: item[0]):
            yield Layer(cost, steps, len(entries), (cost, steps) in solved)

    def prove(self) -> None:
        """See `Store`."""
        self._entries.proof.end()

    def _solved(self, steps: int) -> Iterator[Place]:
        for place, entries in self._layers.items():
            if place[1] == steps:
                for first in range(0, len(entries), PIECE):
                    self._check()
                    if self._states_of(entries[first : first + PIECE])[1].any():
                        yield place
                        break

    def _states_of(self, entries: Array) -> tuple[Array, Array]:
        return self._entries.states_of(entries & KEY)

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: exactly those that it asks for."""
        entries = self._layers[layer.place]
        ends = [ids for (_, steps), ids in known.items() if steps == layer.steps + 1]
        following = np.concatenate([entries[:0], *ends])
        led_on = layer.solved or len(following)
        entries = entries[self._entries.mark(entries, following)] if led_on else entries[:0]
        rows, solved = self._states_of(entries)
        rows["cost"] = layer.cost
        if layer.steps == 0 and len(rows):
            rows = self._root  # with its own history
        return rows, entries, solved

    def children(self, rows: Array, past_solved: bool = False) -> Iterator[tuple[Array, Array, Array]]:
        """See `Store`."""
        for children, parents, keys in self._expander.children(rows, past_solved):
            yield children, parents, scalars(keys) | children["cost"].astype(np.uint64) << COST
