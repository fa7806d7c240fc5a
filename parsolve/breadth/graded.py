"""Breadth-first search over keys of a graded graph whose moves differ in cost: 16 bytes a state, on all cores.

A state is reached by one number of moves only, so that each layer is made from the one before, and is done when all of
that one is expanded. Of the ways to a state the cheapest one counts.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from parsolve.breadth.key_arrays import PIECE
from parsolve.breadth.keys import BY_ARRAY, Keys
from parsolve.breadth.layers import Array, Layer, Place
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem


class Graded(Keys):
    """States of a graded graph by key with the least cost of each, all layers kept; see `Store`."""

    declared = "'key', 'unkey' or 'graph'"
    has_costs = True

    def __init__(self, problem: Problem, threads: Threads) -> None:
        super().__init__(problem, threads, BY_ARRAY)
        self.warm_up(problem.root)
        self._keys: dict[Place, Array] = {}

    def search(self) -> Iterator[Layer]:
        """See `Store`: by cost, when all costs are known."""
        root = self.problem.root
        layer = np.array([self.ids_of(root)[0], root["cost"][0]], np.uint64)
        solved: set[Place] = set()
        steps = 0
        while len(layer):
            keys, costs = layer.reshape(-1, 2).T
            self.problem.refuse_overflow(int(costs.max()))
            for cost in np.unique(costs).tolist():
                self._keys[cost, steps] = keys[costs == cost]
            layer = self.following(layer, past_solved=False, depth=steps)
            if self.has_solved:
                solved.update(self._solved(steps))
                self.forget_solved()
            steps += 1
        for (cost, steps), keys in sorted(self._keys.items(), key=lambda item: item[0]):
            yield Layer(cost, steps, len(keys), (cost, steps) in solved)

    def _solved(self, steps: int) -> Iterator[Place]:
        for place, keys in self._keys.items():
            if place[1] == steps:
                for first in range(0, len(keys), PIECE):
                    self._threads.watch.check()
                    if self.states_of(keys[first : first + PIECE])[1].any():
                        yield place
                        break

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`."""
        keys = self._keys[layer.place]
        ends = [ids for (_, steps), ids in known.items() if steps == layer.steps + 1]
        following = np.unique(np.concatenate([keys[:0], *ends]))
        keys = keys[self.mark(keys, following)] if layer.solved or len(following) else keys[:0]
        rows, solved = self.states_at(layer, keys)
        return rows, keys, solved
