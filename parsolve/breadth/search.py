"""Breadth-first search with path counts: the engine that checks deepening, and that ends on unsolvable puzzles.

Layers by cost and, within one cost, by steps. A state is settled at the least cost at which it is reached; each of its
rows holds the number of cheapest paths that lead there. Solutions are listed by a walk over the states that lie on
cheapest paths, marked backwards from the solved ones.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import psutil

from parsolve.errors import BadInput, BadPuzzle, OutOfMemory
from parsolve.kernel import layer as kernel_code
from parsolve.kernel.cache import telling_once
from parsolve.kernel.explain import call
from parsolve.kernel.keys import MOST_WORDS
from parsolve.kernel.rows import rows_to_overrun
from parsolve.problem import Problem
from parsolve.resources import free_memory, memory_left, within_memory
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result

CHUNK = 1 << 18
"""Children that are written between two looks at the memory."""

Array = np.ndarray[Any, Any]

Place = tuple[int, int, int | bytes]
"""Where a state stands in a walk: cost, steps, and its key as a scalar."""


@dataclass
class Layer:
    """The states settled at one cost after as many steps.

    Attributes:
        cost, steps: of all of them.
        rows: record[n], the states.
        counts: uint64[n], the cheapest paths that lead to each.
        keys: uint64[n, words].
        solved: bool[n].
    """

    cost: int
    steps: int
    rows: Array
    counts: Array
    keys: Array
    solved: Array


class Breadth:
    """A breadth-first search.

    Args:
        problem: what is searched; it must have a key.
        max_memory: bytes that this process may hold; by default what it has and 80% of what is free. Never more than
            its control groups leave.
        check: called again and again while there is something to do; what it raises ends the search.

    Attributes:
        states: how many have been settled.

    Raises:
        BadInput: the puzzle gives no key.
        BadPuzzle: it breaks the contract.
        OutOfMemory: its tables do not fit.
    """

    def __init__(
        self, problem: Problem, max_memory: int | None = None, check: Callable[[], None] = lambda: None
    ) -> None:
        kernel = problem.kernel.layer
        if kernel is None:
            raise BadInput(f"{problem.name} gives no key, which breadth-first search needs")
        self.problem = problem
        self.states = 0
        self._check = check
        self._process = psutil.Process()
        most = max_memory or self._used + int(0.8 * free_memory())
        left = memory_left(most)
        self._max_memory = most if left is None else min(most, self._used + left)
        with within_memory(self._max_memory):
            self._tables = problem.tables
        self._kernel = kernel

    @cached_property
    def _words(self) -> int:
        """How many words a key has."""
        root = self.problem.root
        words: int = self._call(self._kernel.inspect_rows, root, np.zeros(MOST_WORDS, np.uint64), np.zeros(1, np.bool_))
        return words

    @cached_property
    def _room(self) -> tuple[Array, Array, Array]:
        """Room for children: rows, marks, keys."""
        size = CHUNK + self.problem.children
        rows = rows_to_overrun(size, self.problem.state)
        return rows, np.zeros(size, np.uint64), np.zeros((size, self._words), np.uint64)

    @property
    def _like(self) -> tuple[Any, ...]:
        """Any key: tells kernels how many words it has when they are compiled."""
        return (np.uint64(0),) * self._words

    def warm_up(self, compiling: Callable[[], None] = lambda: None) -> None:
        """Load or compile the kernels; `compiling` is called when the cache does not hold them."""
        with telling_once(compiling):
            root = self.problem.root
            self._table = self._empty_table(1 << 12)
            for _ in self.children(root, np.ones(1, np.uint64), True):
                break
            layer = self._settle([(root, np.ones(1, np.uint64), self._look(root)[0])], 0, 0, 0)
            self._grow(2 * self._table[1].size)
        assert len(layer.rows) == 1
        self._table = self._empty_table(1 << 12)
        self.states = 0

    def layers(self, start: Array, past_solved: bool) -> Iterator[Layer]:
        """The layers from some rows on, cheapest first.

        Args:
            start: record[n], all of one cost.
            past_solved: whether to go on past solved states.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: moves without cost go in circles, costs do not fit their field, or there are 2^64 paths and more.
        """
        counts = np.ones(len(start), np.uint64)
        waiting = {(int(start["cost"][0]), 0): [(start, counts, self._look(start)[0])]}
        first_steps: dict[int, int] = {}
        number = 0
        while waiting:
            cost, steps = min(waiting)
            number += 1
            layer = self._settle(waiting.pop((cost, steps)), cost, steps, number)
            if not len(layer.rows):
                continue
            # Within one cost a path without circles has fewer steps than there are states.
            if steps - first_steps.setdefault(cost, steps) > self.states:
                raise BadPuzzle(f"{self.problem.name}: moves that cost nothing go in circles")
            yield layer
            for rows, marks, keys in self.children(layer.rows, layer.counts, past_solved):
                if (rows["cost"] < cost).any():  # it never falls
                    raise self.problem.cost_overflow()
                for each in np.unique(rows["cost"]).tolist():
                    chosen = rows["cost"] == each
                    waiting.setdefault((each, steps + 1), []).append((rows[chosen], marks[chosen], keys[chosen]))

    def children(self, rows: Array, marks: Array, past_solved: bool = False) -> Iterator[tuple[Array, Array, Array]]:
        """The children of some rows in pieces: rows, marks inherited from their parents, keys.

        Args:
            rows: record[n].
            marks: uint64[n].
            past_solved: whether solved rows have children too.

        Raises:
            BadPuzzle: a state has more children than the puzzle declares.
        """
        tally = np.zeros(4, np.int64)
        *room, keys = self._room
        while tally[kernel_code.READ] < len(rows):
            self._check()
            if not self._call(
                self._kernel.expand_layer,
                rows,
                marks,
                *room,
                keys.reshape(-1),
                tally,
                CHUNK - 1,
                past_solved,
                self.problem.children,
            ):
                raise BadPuzzle(
                    f"{self.problem.name}: a state has more than {self.problem.children} children"
                    " (parsolve check finds it)"
                )
            written = int(tally[kernel_code.WRITTEN])
            self._watch_memory(3 * written * (self.problem.state.itemsize + 8 + 8 * self._words))
            yield tuple(array[:written].copy() for array in self._room)  # type: ignore[misc]

    def _settle(self, parts: list[tuple[Array, Array, Array]], cost: int, steps: int, number: int) -> Layer:
        rows, counts, keys = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        while 2 * (self.states + len(rows)) > self._table[1].size:
            self._grow(2 * self._table[1].size)
        tally = np.zeros(4, np.int64)
        if not self._kernel.merge_duplicates(
            rows, counts, keys.reshape(-1), *self._table, tally, cost, number, self._like
        ):
            raise BadPuzzle(f"{self.problem.name}: there are 2^64 paths and more, which cannot be counted here")
        left = int(tally[kernel_code.STATES])
        self.states += left - int(tally[kernel_code.AGAIN])
        rows, counts, keys = rows[:left].copy(), counts[:left].copy(), keys[:left].copy()
        return Layer(cost, steps, rows, counts, keys, self._look(rows)[1])

    def _look(self, rows: Array) -> tuple[Array, Array]:
        keys, solved = np.zeros((len(rows), self._words), np.uint64), np.zeros(len(rows), np.bool_)
        self._call(self._kernel.inspect_rows, rows, keys.reshape(-1), solved)
        return keys, solved

    def _grow(self, size: int) -> None:
        self._watch_memory((16 + 8 * self._words) * size)
        table = self._empty_table(size)
        self._kernel.grow_table(*self._table, *table, self._like)
        self._table = table

    def _empty_table(self, size: int) -> tuple[Array, Array, Array, Array]:
        return (
            np.zeros(size * self._words, np.uint64),
            np.zeros(size, np.uint32),
            np.full(size, kernel_code.EMPTY, np.int32),
            np.zeros(size, np.int64),
        )

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return call(kernel, self.problem.puzzle, self._tables, *arguments)

    @property
    def _used(self) -> int:
        return self._process.memory_info().rss

    def _watch_memory(self, more: int) -> None:
        if self._used + more > self._max_memory:
            raise OutOfMemory(
                f"{self.states:,} states reached, and going on would take more than the"
                f" {self._max_memory / 2**20:,.0f} MB that breadth-first search may use (--max-memory)"
            )


def scalars(keys: Array) -> Array:
    """Return keys, uint64[n, words], as n values that can be compared, found by `np.isin` and put into a set."""
    words = keys.shape[1]
    return keys[:, 0] if words == 1 else keys.view(np.dtype((np.void, 8 * words)))[:, 0]


def search(
    result: Result,
    emit: Callable[[tuple[int, ...]], None],
    listener: Listener,
    check: Callable[[], None],
    max_memory: int | None,
) -> None:
    """Fill `result` by breadth-first search; see `parsolve.solve`."""
    begin = time.perf_counter()
    breadth = Breadth(result.problem, max_memory, check)
    breadth.warm_up(listener.compilation_started)
    result.setup_seconds += time.perf_counter() - begin
    begin = time.perf_counter()
    try:
        layers = _productive_layers(result, breadth, listener)
        result.status = "solved" if result.found_so_far else "none"
        if result.want != "first":
            result.count = result.found_so_far
        if result.want != "count" and result.found_so_far:
            for path in walk(breadth, layers):
                emit(path)
                listener.solution_found(path)
                check()
                if result.want == "first":
                    break
    except BaseException:
        result.status, result.count = "stopped", None
        raise
    finally:
        result.seconds = time.perf_counter() - begin


def _productive_layers(result: Result, breadth: Breadth, listener: Listener) -> list[Layer]:
    """Search up to the first cost with solutions; the layers, if they are needed for a list."""
    kept: list[Layer] = []
    begin = time.perf_counter()
    progress = Progress(0)
    start = result.problem.root

    def ended() -> None:
        iteration = Iteration(progress.limit, progress.nodes, progress.found, time.perf_counter() - begin)
        result.iterations.append(iteration)
        listener.iteration_finished(iteration)

    for layer in breadth.layers(start, False):
        if layer.cost > progress.limit and progress.nodes:
            ended()
            if result.found_so_far:
                return kept
            begin = time.perf_counter()
            progress = Progress(layer.cost)
        progress.limit = layer.cost
        progress.nodes += len(layer.rows)
        result.nodes += len(layer.rows)
        solutions = sum(layer.counts[layer.solved].tolist())
        if solutions:
            progress.found += solutions
            result.found_so_far += 1 if result.want == "first" and not result.found_so_far else 0
            if result.want != "first":
                result.found_so_far += solutions
            result.cost = layer.cost if result.problem.has_cost else None
        if result.want != "count":
            kept.append(layer)
        listener.progress_made(progress)
    ended()
    return kept


def walk(breadth: Breadth, layers: list[Layer]) -> Iterator[tuple[int, ...]]:
    """Every cheapest solution in depth-first order: a walk through the states that lie on cheapest paths.

    Args:
        breadth: what made the layers.
        layers: from the root to the cheapest solved states, all of them.
    """
    useful: dict[tuple[int, int], Array] = {}  # by cost and steps: the keys (`scalars`) of states on cheapest paths
    cost = max(layer.cost for layer in layers if layer.solved.any())
    for layer in reversed(layers):
        if layer.cost > cost:
            continue
        on_path = layer.solved & (layer.cost == cost)
        numbers = np.arange(len(layer.rows), dtype=np.uint64)
        for rows, parents, keys in breadth.children(layer.rows, numbers):
            for each in np.unique(rows["cost"]).tolist():
                if (each, layer.steps + 1) in useful:
                    good = (rows["cost"] == each) & np.isin(scalars(keys), useful[each, layer.steps + 1])
                    on_path[parents[good]] = True
        useful[layer.cost, layer.steps] = scalars(layer.keys)[on_path]
    ways = {place: set(keys.tolist()) for place, keys in useful.items()}
    known: dict[Place, list[tuple[int, Array, Place]]] = {}

    def ways_on(row: Array, place: Place) -> list[tuple[int, Array, Place]]:
        if place not in known:
            known[place] = [
                (int(rows["move"][i]), rows[i : i + 1], (int(rows["cost"][i]), place[1] + 1, key))
                for rows, _, keys in breadth.children(row, np.zeros(1, np.uint64))
                for i, key in enumerate(scalars(keys).tolist())
                if key in ways.get((int(rows["cost"][i]), place[1] + 1), ())
            ]
        return known[place]

    first = layers[0]
    root: Place = (first.cost, first.steps, scalars(first.keys)[0].item())
    if root[2] not in ways[root[:2]]:
        return
    # By hand instead of by recursion: solutions may be longer than Python's stack.
    stack = [iter(ways_on(first.rows, root))]
    path: list[int] = []
    if not known[root]:
        yield ()
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            if path:
                path.pop()
            continue
        move, row, place = step
        on = ways_on(row, place)
        path.append(move)
        if on:
            stack.append(iter(on))
        else:
            yield tuple(path)
            path.pop()
