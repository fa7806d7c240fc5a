"""The stores of a search with paths: states by number with their distances, by key, or whole.

The most compact one that a puzzle's rules allow is tried first. What its moves do, such as cost nothing, only the
search itself shows.
"""

import contextlib
from collections.abc import Iterator, Mapping

import numpy as np

from parsolve.breadth.dense import Dense
from parsolve.breadth.graded import Graded
from parsolve.breadth.keys import Keys
from parsolve.breadth.layers import Array, Expander, Layer, Place, Store, Unsuited, scalars
from parsolve.breadth.threads import Threads
from parsolve.breadth.whole_states import Records
from parsolve.errors import OutOfMemory
from parsolve.kernel.dense import UNREACHED
from parsolve.problem.problem import Problem

PIECE = 1 << 16
"""States that are looked at in one piece."""


def stores(problem: Problem, threads: Threads) -> Iterator[Store]:
    """The stores that a puzzle's rules allow, ready to search: the next one where the one before is unsuited.

    Args:
        problem: what is searched.
        threads: that share it.

    Raises:
        BadInput: the puzzle gives no key.
        OutOfMemory: there is hardly any.
    """
    reversible = problem.graph in ("reversible", "bipartite")
    is_numbered = problem.kernel.dense is not None and problem.size is not None and problem.puzzle.entry is None
    if is_numbered and reversible and problem.has_cost:
        # Where they do not fit, keys take less if few of the states are reached.
        numbers: ByNumber | None = None
        with contextlib.suppress(OutOfMemory):
            numbers = ByNumber(problem, threads)
        if numbers is not None:
            yield numbers
            del numbers
    if problem.kernel.chains is not None and problem.has_cost and problem.graph == "graded":
        graded = Graded(problem, threads)
        yield graded
        del graded
    # A state is kept once: where moves have no cost, it may be reached again after more steps.
    if problem.kernel.chains is not None and (problem.has_cost or problem.graph == "graded"):
        keys = ByKey(problem, threads)
        yield keys
        del keys
    records = Records(problem, threads.watch)
    records.warm_up()
    yield records


class ByNumber:
    """States by number, a byte each for the distance and 3 bits; see `Store`.

    Args:
        problem: it numbers its states, and each move can be taken back at the same cost.
        threads: that share the search.
    """

    declared = "'index', 'unindex' or 'graph'"

    def __init__(self, problem: Problem, threads: Threads) -> None:
        self._problem, self._root, self._check = problem, problem.root, threads.watch.check
        assert problem.kernel.dense is not None
        size = int(problem.size or 0)
        self._dense = Dense(problem, threads, more=size)
        self._expander = Expander(problem, problem.kernel.dense.expand_layer, 1, threads.watch.check)
        self._dense.warm_up(self._root)
        for _ in self.children(self._root):
            pass
        self._distances = np.full(size, UNREACHED, np.uint8)

    @property
    def states(self) -> int:
        return self._dense.states

    def search(self) -> Iterator[Layer]:
        """See `Store`."""
        for depth, states in self._dense.layers(self._root, False, self._distances):
            if self._dense.has_free_moves:
                raise Unsuited(f"{self._problem.name} has moves that cost nothing")
            yield Layer(depth, depth, states, self._dense.has_solved)
            if self._dense.has_solved:
                return

    def prove(self) -> None:
        """See `Store`."""
        self._dense.proof.end()

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: those that moves taken back lead to; in the last layer the solved ones."""
        numbers = np.zeros(0, np.uint64)
        if layer.solved:
            numbers = self._solved(layer.cost)
        else:
            rows, _ = self._dense.states_of(known[layer.cost + 1, layer.steps + 1])
            before = [ids[self._distances[ids] == layer.cost] for _, _, ids in self.children(rows, past_solved=True)]
            numbers = np.unique(np.concatenate([numbers, *before]))
        rows, solved = self._dense.states_of(numbers)
        rows["cost"] = layer.cost
        if layer.steps == 0 and len(rows):
            rows = self._root  # with its own history
        return rows, numbers, solved

    def _solved(self, depth: int) -> Array:
        found = [np.zeros(0, np.uint64)]
        for first in range(0, len(self._distances), PIECE):
            self._check()
            numbers = np.flatnonzero(self._distances[first : first + PIECE] == depth).astype(np.uint64)
            numbers += np.uint64(first)
            found.append(numbers[self._dense.states_of(numbers)[1]])
        return np.concatenate(found)

    def children(self, rows: Array, past_solved: bool = False) -> Iterator[tuple[Array, Array, Array]]:
        """See `Store`."""
        for children, parents, numbers in self._expander.children(rows, past_solved):
            yield children, parents, self._dense.within(scalars(numbers))


class ByKey:
    """States by key, all layers kept; see `Store`.

    Args:
        problem: it gives the way back from a key.
        threads: that share the search.
    """

    declared = "'key', 'unkey' or 'graph'"

    def __init__(self, problem: Problem, threads: Threads) -> None:
        self._problem, self._root = problem, problem.root
        assert problem.kernel.layer is not None
        assert problem.kernel.chains is not None
        self._expander = Expander(problem, problem.kernel.layer.expand_layer, 1, threads.watch.check)
        for _ in self.children(self._root):
            pass
        self._keys = Keys(problem, threads)  # it takes what is left
        self._keys.warm_up(self._root)

    @property
    def states(self) -> int:
        return self._keys.states

    def search(self) -> Iterator[Layer]:
        """See `Store`."""
        depth, states = 0, 0
        for following, more in self._keys.layers(self._root, past_solved=False, keep=True):
            if states:
                yield self._layer(depth, states)
                if self._keys.has_solved:
                    return
            depth, states = following, more
        yield self._layer(depth, states)

    def prove(self) -> None:
        """See `Store`."""
        self._keys.proof.end()

    def _layer(self, depth: int, states: int) -> Layer:
        """The layer whose states have been expanded last."""
        return Layer(depth if self._problem.has_cost else 0, depth, states, self._keys.has_solved)

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: exactly those that it asks for."""
        keys = self._keys.keys(layer.steps)
        cost = layer.cost + self._problem.has_cost
        keys = keys[self._keys.mark(keys, known.get((cost, layer.steps + 1), keys[:0]))]
        rows, solved = self._keys.states_of(keys)
        rows["cost"] = layer.cost
        if layer.steps == 0 and len(rows):
            rows = self._root  # with its own history
        return rows, keys, solved

    def children(self, rows: Array, past_solved: bool = False) -> Iterator[tuple[Array, Array, Array]]:
        """See `Store`."""
        for children, parents, keys in self._expander.children(rows, past_solved):
            yield children, parents, scalars(keys)
