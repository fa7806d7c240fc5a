"""The stores of a search with paths: states by number with their distances, by key, or whole.

The most compact store that a puzzle's rules allow is tried first. Some properties of its moves, such as a cost of 0,
only show in the search itself.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.both_ends import BothEnds
from parsolve.levels.dense import Dense
from parsolve.levels.files import zeros_in
from parsolve.levels.keys import SHORT, Keys
from parsolve.levels.pieces import split
from parsolve.levels.store import Array, Layer, Place, Store, Unsuited, is_keyed_by_word, needs_ids
from parsolve.levels.templates.dense import UNREACHED
from parsolve.levels.threads import Threads
from parsolve.levels.whole_states import Records
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Entries

AnyKeys = TypeVar("AnyKeys", bound=Keys)

PIECE = 1 << 16
"""States that are handled in one piece."""

DISTANCES = 1
"""The level of the distances in a checkpoint; see `Dense.kept`."""


def stores(
    problem: Problem,
    threads: Threads,
    folder: Path | None = None,
    form: str | None = None,
    supply: Callable[[Problem], Problem] = lambda problem: problem,
) -> Iterator[Store]:
    """Yield the stores that a puzzle's rules allow, ready to search: another one is tried if a store is unsuited.

    Args:
        problem: the problem.
        threads: that share the work.
        folder: for files with states, instead of memory.
        form: form of an earlier run's checkpoint: stores of other forms are left out.
        supply: see `search.engine.Run`.

    Raises:
        BadInput: the puzzle gives no key; or there is a folder, and states can only be kept whole.
        OutOfMemory: there is hardly any memory.
    """

    def suits(name: str) -> bool:
        return form is None or form.split("-")[0] == name

    reversible = problem.graph in ("reversible", "bipartite")
    is_numbered = type(problem.puzzle).index is not None and problem.size is not None and problem.puzzle.entry is None
    if is_numbered and reversible and problem.has_cost and suits("numbers"):
        # If numbered states do not fit: keys take less if few states are reached.
        with contextlib.suppress(OutOfMemory):
            yield ByNumber(problem, threads, folder)
    if is_keyed_by_word(problem):
        if problem.has_cost and problem.taken_back is not None and suits("ends"):
            back = supply(problem.taken_back)
            yield from _short_or_long(partial(BothEnds, problem, back, threads, folder), form)
        if problem.has_cost and problem.graph == "graded" and suits("costs"):
            yield ByKey(problem, threads, folder, has_costs=True)
        # A state is kept once: with moves that cost nothing, it may be reached again after more steps.
        elif (problem.has_cost or problem.graph == "graded") and suits("keys"):
            yield from _short_or_long(partial(ByKey, problem, threads, folder), form)
    if folder is not None:
        raise needs_ids(problem)
    yield Records(problem, threads.watch)


def _short_or_long(made: Callable[[bool], AnyKeys], form: str | None) -> Iterator[AnyKeys]:
    """Yield a search whose entries have 4 bytes, and if a key was too large for them, one with 8."""
    if form is None or form.endswith(SHORT):
        store = made(True)
        yield store
        if not store.has_large_keys:
            return
    yield made(False)


class ByNumber(Dense):
    """States by number, a byte each for the distance and 3 bits, if each move can be taken back at the same cost; see
    `Store`."""

    declared = "'index', 'unindex' or 'graph'"

    def __init__(self, problem: Problem, threads: Threads, folder: Path | None = None) -> None:
        super().__init__(problem, threads, int(problem.size or 0), folder)
        self.warm_up(problem.root)
        self._distances = np.zeros(self.size, np.uint8) if folder is None else zeros_in(folder, self.size, np.uint8)
        self._distances[:] = UNREACHED
        self._has_ended = False

    def search(self) -> Iterator[Layer]:
        for depth, states in enumerate(self.sizes):
            yield Layer(depth, depth, states, self._has_ended and depth == len(self.sizes) - 1)
        if self._has_ended:
            return
        for depth, states in self.layers(self.problem.root, False, self._distances):
            if self.has_free_moves:
                raise Unsuited(f"{self.problem.name} has moves that cost nothing")
            self.between()
            yield Layer(depth, depth, states, self.has_solved)
            if self.has_solved:
                return

    @property
    def finished(self) -> int:
        return len(self.sizes)

    @property
    def bytes_kept(self) -> int:
        return super().bytes_kept + self.size

    def kept(self) -> Iterator[Entries]:
        """See `Kept`."""
        yield from super().kept()
        padded = np.zeros(-(-self.size // 8) * 8, np.uint8)
        padded[: self.size] = self._distances
        yield from split(DISTANCES, padded.view(np.uint64))

    def restore(self, arrays: Mapping[Place, Array]) -> None:
        """See `Kept`."""
        super().restore(arrays)
        self._distances[:] = arrays[DISTANCES, 0].view(np.uint8)[: self.size]
        self._has_ended = self.has_solved and not self.expanded

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: the states to which moves taken back lead; in the last layer the solved ones."""
        if layer.solved:
            numbers = self._solved(layer.cost)
        else:
            rows, _ = self.states_of(known.get((layer.cost + 1, layer.steps + 1), np.zeros(0, np.uint64)))
            before = [ids[self._distances[ids] == layer.cost] for _, _, ids in self.children(rows, past_solved=True)]
            numbers = np.unique(np.concatenate([np.zeros(0, np.uint64), *before]))
        rows, solved = self.states_at(layer, numbers)
        return rows, numbers, solved

    def _solved(self, depth: int) -> Array:
        found = [np.zeros(0, np.uint64)]
        for first in range(0, self.size, PIECE):
            self._threads.watch.check()
            numbers = np.flatnonzero(self._distances[first : first + PIECE] == depth).astype(np.uint64)
            numbers += np.uint64(first)
            found.append(numbers[self.states_of(numbers)[1]])
        return np.concatenate(found)


class ByKey(Keys):
    """States by key, in a graded graph with the least cost of each, all layers kept; see `Store`."""

    declared = "'key', 'unkey' or 'graph'"

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        folder: Path | None = None,
        short: bool = False,
        has_costs: bool = False,
    ) -> None:
        super().__init__(problem, threads, folder=folder, short=short, has_costs=has_costs)
        self.form = "costs" if has_costs else f"keys-{self.entry}"
        self.warm_up(problem.root)

    def search(self) -> Iterator[Layer]:
        return self._by_cost() if self.has_costs else self._by_steps()

    def _by_steps(self) -> Iterator[Layer]:
        """Yield the layers, up to the first with solved states; all, with steps as costs, if states have costs."""
        has_ended = not self.has_costs and self.has_solved and not self._is_expanding
        sizes = self.sizes
        for depth, states in enumerate(sizes[:-1]):
            yield self._layer(depth, states, self.has_costs or (has_ended and depth == len(sizes) - 2))
        if has_ended:
            return
        depth, states = len(sizes) - 1, sizes[-1] if sizes else 0
        for following, more in self.layers(self.problem.root, past_solved=False, keep=True):
            if states:
                yield self._layer(depth, states, self.has_solved)
                if self.has_solved and not self.has_costs:
                    return
                self.forget_solved()
            depth, states = following, more
        yield self._layer(depth, states, self.has_solved)

    def _layer(self, depth: int, states: int, solved: bool) -> Layer:
        return Layer(depth if self.problem.has_cost else 0, depth, states, solved)

    def _by_cost(self) -> Iterator[Layer]:
        """Yield the states of each cost and number of steps, by cost: once all costs are known."""
        places: list[Layer] = []
        for layer in self._by_steps():
            sizes, solved = Counter[int](), set[int]()
            for keys, costs in self._pieces(layer.steps):
                each, numbers = np.unique(costs, return_counts=True)
                sizes.update(dict(zip(each.tolist(), numbers.tolist(), strict=True)))
                if layer.solved:
                    solved |= set(costs[self.states_of(keys)[1]].tolist())
            self.problem.refuse_overflow(max(sizes, default=0))
            places += (Layer(cost, layer.steps, states, cost in solved) for cost, states in sizes.items())
        yield from sorted(places, key=lambda layer: layer.place)

    def _pieces(self, steps: int) -> Iterator[tuple[Array, Array]]:
        """Yield the keys of a layer, uint64[n], and their costs, in pieces."""
        for packed in self.levels.read(self.layer(steps)):
            entries = packed.entries.reshape(-1, self.levels.form.head)
            yield np.ascontiguousarray(entries[:, 0]), entries[:, -1]

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: exactly the requested states."""
        none = np.zeros(0, np.uint64)
        following = np.unique(np.concatenate([none, *(ids for (_, at), ids in known.items() if at == layer.steps + 1)]))
        found = [none]
        for keys, costs in self._pieces(layer.steps) if layer.solved or len(following) else ():
            its = keys[costs == layer.cost] if self.has_costs else keys
            found.append(its[self.mark(its, following)])
        keys = np.concatenate(found)
        rows, solved = self.states_at(layer, keys)
        return rows, keys, solved
