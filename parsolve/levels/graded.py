"""Breadth-first search over keys of a graded graph whose moves differ in cost: 16 bytes a state, on all cores.

Each state is reached by one number of moves only, so each layer follows from the one before, and is complete when that
one is expanded. Of the ways to a state, the cheapest counts.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from parsolve.levels.key_arrays import PIECE
from parsolve.levels.keys import BY_ARRAY, Keys
from parsolve.levels.pieces import FLAGS, split
from parsolve.levels.store import Array, Layer, Place
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Entries


class Graded(Keys):
    """States of a graded graph by key with the least cost of each, all layers kept; see `Store`."""

    declared = "'key', 'unkey' or 'graph'"
    form = "costs"
    has_costs = True

    def __init__(self, problem: Problem, threads: Threads) -> None:
        super().__init__(problem, threads, BY_ARRAY)
        self.warm_up(problem.root)
        self._keys: dict[Place, Array] = {}  # keys of the layers so far; the last layer is not expanded
        self._with_solved: set[Place] = set()

    def search(self) -> Iterator[Layer]:
        """See `Store`: by cost, once all costs are known."""
        steps = max((steps for _, steps in self._keys), default=-1)
        root = self.problem.root
        if steps < 0:
            layer = np.array([self.ids_of(root)[0], root["cost"][0]], np.uint64)
        else:
            last = ((cost, keys) for (cost, its), keys in self._keys.items() if its == steps)
            pairs = [np.stack([keys, np.full(len(keys), cost, np.uint64)], axis=1) for cost, keys in last]
            layer, steps = np.concatenate(pairs).reshape(-1), steps - 1
        while len(layer):
            steps += 1
            keys, costs = layer.reshape(-1, 2).T
            self.problem.refuse_overflow(int(costs.max()))
            for cost in np.unique(costs).tolist():
                self._keys[cost, steps] = keys[costs == cost]
            self.between()
            layer = self.following(layer, past_solved=False, depth=steps)
            if self.has_solved:
                self._with_solved.update(self._solved(steps))
                self.forget_solved()
        for place, keys in sorted(self._keys.items(), key=lambda item: item[0]):
            yield Layer(*place, len(keys), place in self._with_solved)

    @property
    def finished(self) -> int:
        """See `Store`."""
        return max((steps for _, steps in self._keys), default=0)

    @property
    def bytes_kept(self) -> int:
        """See `Store`."""
        return sum(keys.nbytes for keys in self._keys.values())

    def kept(self, side: int = 0) -> Iterator[Entries]:
        """See `Store`."""
        yield from split(FLAGS, np.array([*self._with_solved], np.uint64).reshape(-1))
        for (cost, steps), keys in self._keys.items():
            yield from split(steps, keys, cost)

    def restore(self, arrays: Mapping[Place, Array], side: int = 0) -> None:
        """See `Store`."""
        pairs = arrays.get((FLAGS, 0), np.zeros(0, np.uint64)).reshape(-1, 2)
        self._with_solved = {(cost, steps) for cost, steps in pairs.tolist()}
        self._keys = {(cost, steps): keys for (steps, cost), keys in arrays.items() if steps >= 0}

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
