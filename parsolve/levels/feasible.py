"""The states of an abstraction on paths from its root to a goal, from which a goal can still be reached."""

import math
from functools import partial

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.both_ends import following, led_on, shared
from parsolve.levels.kernels import LayerKernel
from parsolve.levels.search import Search
from parsolve.levels.states import Array, coding_by_key, misdeclared
from parsolve.levels.threads import Threads
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

FEW = 1 << 13
"""Maximum number of states of an abstraction with `reverse` that is also searched from the root alone."""

SAMPLED = 16
"""Approximate number of states of a layer whose moves are reversed at once."""


def feasible_keys(problem: Problem, watch: Watch = UNWATCHED) -> Array:
    """Return the keys of all states on paths from the root to a goal.

    Args:
        problem: an abstraction with the way back from keys, whose graph is graded.
        watch: receives each layer.

    Returns:
        uint64[n], ascending; none if there is no way to a goal.

    Raises:
        BadPuzzle: it breaks the contract.
        OutOfMemory: the states do not fit.
    """
    with Threads(default_workers(), watch) as threads:
        search = _Feasible(problem, threads)
        is_turned = type(problem.puzzle).reverse is not None
        found = search.from_root(FEW if is_turned else math.inf)  # or a second opinion
        if is_turned:
            found = search.from_both_ends(found)
        assert found is not None
        search.states.end()
    return found


class _Feasible:
    def __init__(self, problem: Problem, threads: Threads) -> None:
        self._problem, self._watch, self._keys = problem, threads.watch, coding_by_key(problem, threads)
        self._root = self._keys.ids_of(problem.root)
        self._sampled = [self._root]
        self.states = Search(problem, threads, counts=False)
        self.states.begin()
        self.states.levels.empty()  # only what is asked for follows

    def from_root(self, most: float) -> Array | None:
        """Return the states: of all layers from the root, those that lead on; None if there are more than `most`."""
        layers, self.states.past = [self._root], False
        while len(layers[-1]):
            if sum(map(len, layers)) > most:
                return None
            layers.append(self._next(layers))
        found = [layers[-1]]
        for layer in reversed(layers):
            rows, leads_on = self._keys.states_of(layer)
            for _, parents, children in self._keys.expander.children(rows, False):
                leads_on[parents[np.isin(children[:, 0], found[-1])]] = True
            found.append(layer[leads_on])
        return np.sort(np.concatenate(found))

    def from_both_ends(self, expected: Array | None) -> Array:
        """Return the states: layers from the root and, turned around, from the goals, until they meet, and back.

        Raises:
            BadPuzzle: they are not those that are expected.
        """
        proof, self.states.past = self.states.proof, True
        assert proof is not None
        if not self._problem.has_cost:
            raise BadPuzzle(f"{self._problem.name}: 'reverse' needs a cost and 'limits', how far the goals are")
        goals, solved = self._keys.look(self._problem.goals())
        if not solved.all():
            raise misdeclared(self._problem, "'goals' gives a state that is not solved")
        proof.turned(goals[:SAMPLED], self._images)
        found = np.sort(np.concatenate(self._between(np.unique(goals))))
        proof.turned(np.concatenate(self._sampled), self._images)
        if expected is not None and not np.array_equal(found, expected):
            raise misdeclared(self._problem, "'goals', 'reverse' or 'limits' lead to other states than 'solved' does")
        return found

    def _between(self, goals: Array) -> list[Array]:
        """Return the states by layer, in no order."""
        moves = next(iter(self._problem.limits()), 0) - int(self._problem.root["cost"][0])
        if moves <= 0 or not len(goals):
            return [shared(self._root, goals)]
        near, far = [self._root], [self._images(goals)]
        is_same = np.array_equal(near[0], np.sort(far[0]))  # both ends are the same then
        far = near if is_same else far
        while len(near) + len(far) <= moves:
            side = near if len(near[-1]) <= len(far[-1]) else far
            side.append(self._next(side))
        half = near[: (moves + 1) // 2] if is_same else near
        common = led_on(half[-1], [self._images(far[moves - len(half)])], partial(following, self.states))[1]
        found = led_on(common, half[::-1], self._parents)
        if is_same:
            return found + [self._images(layer) for layer in found[2 * len(half) - moves + 1 :]]
        back = led_on(self._images(common), far[-2::-1], self._parents)
        return found + [self._images(layer) for layer in back[1:]]

    def _next(self, layers: list[Array]) -> Array:
        layer = following(self.states, layers[-1], len(layers) - 1 if layers[0] is self._root else None)
        self._sampled.append(layer[:: 1 + len(layer) // SAMPLED])
        self._watch.listener.progress_made(Progress(len(layers), nodes=self.states.nodes))
        return layer

    def _parents(self, keys: Array) -> Array:
        return self._images(following(self.states, self._images(keys)))

    def _images(self, keys: Array) -> Array:
        """Return the keys of the images of states under `reverse`."""
        reverse, images = self._problem.compiled_rules.kernels(LayerKernel).reverse_keys, keys.copy()
        assert reverse is not None
        call(reverse, self._problem.puzzle, self._problem.tables, np.zeros(2, self._problem.state), images)
        return images
