"""The states of an abstraction on paths from its root to a goal, from which a goal can still be reached."""

import math

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.search import Search
from parsolve.levels.states import Array, KeyArrays, misdeclared
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Listener, Watch
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
    with Threads(default_workers(), watch) as pool:
        # It keeps within the limit itself, and reserves more memory than it writes to.
        states = Search(problem, pool, counts=False)
        keys = KeyArrays(problem, pool)
        assert states.proof is not None
        states.begin()
        states.levels.empty()  # only what is asked for follows
        search = _Feasible(problem, keys, states, watch.listener)
        if type(problem.puzzle).reverse is None:
            found = _sorted(search.from_root() or [])
        else:
            small = search.from_root(FEW)  # a second opinion
            found = _sorted(search.from_both_ends())
            states.proof.turned(np.concatenate(search.sampled), keys.reversed)
            if small is not None and not np.array_equal(found, _sorted(small)):
                raise misdeclared(problem, "'goals', 'reverse' or 'limits' lead to other states than 'solved' does")
        states.end()
    return found


def _sorted(layers: list[Array]) -> Array:
    found = np.concatenate([np.zeros(0, np.uint64), *layers])
    found.sort()
    return found


class _Feasible:
    def __init__(self, problem: Problem, keys: KeyArrays, states: Search, listener: Listener) -> None:
        self._problem, self._keys, self._states, self._listener = problem, keys, states, listener
        self._root = keys.ids_of(problem.root)
        self.sampled = [self._root]

    def from_root(self, most: float = math.inf) -> list[Array] | None:
        """Return the states by layer: all layers from the root, then marked backwards; None if there are more than
        `most`."""
        layers = [self._root]
        while len(layers[-1]):
            if sum(map(len, layers)) > most:
                return None
            layers.append(self._next(layers, past_solved=False))
        marked = [layers[-1]]
        for layer in reversed(layers):
            marked.append(layer[self._keys.mark(layer, marked[-1])])
        return marked

    def from_both_ends(self) -> list[Array]:
        """Return the states by layer: layers from the root and, turned around, from the goals, until they meet."""
        keys = self._keys
        if not self._problem.has_cost:
            raise BadPuzzle(f"{self._problem.name}: 'reverse' needs a cost and 'limits', how far the goals are")
        moves = next(iter(self._problem.limits()), 0) - int(self._problem.root["cost"][0])
        goals, solved = keys.look(self._problem.goals())
        if not solved.all():
            raise misdeclared(self._problem, "'goals' gives a state that is not solved")
        goals = np.unique(goals)
        assert self._states.proof is not None
        self._states.proof.turned(goals[:SAMPLED], keys.reversed)
        if moves <= 0 or not len(goals):
            return [np.intersect1d(self._root, goals)]
        near, far = [self._root], [np.unique(keys.reversed(goals))]
        if np.array_equal(near[0], far[0]):  # both ends are the same then
            while len(near) <= moves // 2:
                near.append(self._next(near))
            marked = self._led_to(near, near[moves - len(near)])
            return marked + [keys.reversed(layer) for layer in marked[len(near) - (moves + 1 - len(near)) :]]
        while len(near) + len(far) <= moves:
            side = near if len(near[-1]) <= len(far[-1]) else far
            side.append(self._next(side))
        marked = self._led_to(near, far[-1])
        back = self._led_to(far, marked[0])
        return marked + [keys.reversed(layer) for layer in back]

    def _next(self, layers: list[Array], past_solved: bool = True) -> Array:
        self._states.past = past_solved
        layer = self._states.following(layers[-1], len(layers) - 1 if layers[0] is self._root else None)
        self.sampled.append(layer[:: 1 + len(layer) // SAMPLED])
        self._listener.progress_made(Progress(len(layers), nodes=self._states.nodes))
        return layer

    def _led_to(self, layers: list[Array], ends: Array) -> list[Array]:
        """Return those states of layers from one end that lead on to `ends`, reversed: by layer, the last first."""
        keys, self._states.past = self._keys, True
        known = layers[-1][keys.mark(layers[-1], keys.reversed(ends), past_solved=True)]
        found = [known]
        for layer in reversed(layers[:-1]):
            # Moves backwards from the few known states, instead of moves from the whole layer.
            known = layer[keys.find(layer, keys.reversed(self._states.following(keys.reversed(known))))]
            found.append(known)
        return found
