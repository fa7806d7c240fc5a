"""Breadth-first search over whole states: for any puzzle with a key.

Layers are ordered by cost and, within one cost, by steps. A state is settled at the least cost at which it is reached,
once for every number of steps at that cost.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from parsolve.compiler.keys import hash_at, same_key
from parsolve.errors import BadInput, BadPuzzle, OutOfMemory
from parsolve.levels.kernels import layer_kernel
from parsolve.levels.merging import Merging
from parsolve.levels.pieces import FLAGS, split
from parsolve.levels.store import Array, Expander, Layer, Place, by_cost, inspected, nothing, scalars
from parsolve.levels.templates import layer as kernel_code
from parsolve.problem.problem import Problem
from parsolve.search.budget import ceiling
from parsolve.search.checkpoint import Entries
from parsolve.search.watch import Watch
from parsolve.system.resources import memory_in_use, within_memory

UNWATCHED = 1 << 22
"""Bytes that may be taken before the memory in use is looked at again, which takes as long as a small layer."""


@dataclass
class Settled:
    """The states settled at one cost after one number of steps."""

    cost: int
    steps: int
    rows: Array  # record[n]
    keys: Array  # uint64[n, words]
    solved: Array  # bool[n]


class Records:
    """A breadth-first search over whole states.

    Attributes:
        states: number of settled states.
        between: called between two layers.

    Raises:
        BadInput: the puzzle gives no key.
        BadPuzzle: it breaks the contract.
        OutOfMemory: its lookups do not fit.
    """

    form = "states"
    is_whole = True

    def __init__(self, problem: Problem, watch: Watch) -> None:
        if not problem.key_rule:
            raise BadInput(f"{problem.name} gives no key, which breadth-first search needs")
        self.problem = problem
        self.states = 0
        self.declared = repr(problem.key_rule)
        self._max_memory = ceiling(watch)
        with within_memory(self._max_memory):
            root, kernel = problem.root, layer_kernel(problem.compiled_rules)
        assert kernel is not None
        self._kernel = kernel
        self._as_bytes = np.dtype((np.void, problem.state.itemsize))  # to copy rows: fields are copied one by one
        self._layers: dict[Place, Settled] = {}
        self._waiting: dict[Place, list[tuple[Array, Array]]] = {}
        self._places: list[Place] = []  # of what waits, as a heap
        self._dearest_move = 0
        self._unwatched = 0  # bytes since the memory in use was looked at
        self._unexpanded: Settled | None = None
        self.between: Callable[[], None] = nothing
        self._radius = -1.0  # no state is missing up to this cost
        keys, _ = self._look(root)
        self._words = keys.shape[1]
        self._like = (np.uint64(0),) * self._words  # any key: its length is the number of words
        self._expander = Expander(problem, kernel.expand_layer, self._words, watch.check, self._watch_memory)
        self._merging = Merging(problem, self._look, self._expander)
        # Load or compile the kernels.
        self._table = self._empty_table(1 << 12)
        for _ in self._expander.children(root, True):
            break
        self._settle([(root, keys)], 0, 0, 0)
        self._grow(2 * self._table[1].size)
        self._table = self._empty_table(1 << 12)
        self.states = 0

    def prove(self) -> None:
        """See `Store`."""
        self._merging.end(self._cost_of, self._radius)
        root = self.problem.root
        if self.states == 1 and any(len(rows) for rows, _, _ in self._expander.children(root, False)):
            text = "is the same for the root and all states that follow it, or no move changes anything"
            raise BadPuzzle(f"{self.problem.name}: {self.declared} {text}")

    def _cost_of(self, key: Array) -> int | None:
        """Return the least cost at which a key, uint64[1, words], was reached; None if it was not."""
        keys, costs, layers = self._table
        mask = np.uint64(layers.size - 1)
        with np.errstate(over="ignore"):
            place = hash_at(key[0], 0, self._like) & mask
        while layers[place] != kernel_code.EMPTY:
            if same_key(keys, place, key[0], np.uint64(0), self._like):
                return int(costs[place])
            place = (place + np.uint64(1)) & mask
        return None

    def search(self) -> Iterator[Layer]:
        """See `Store`."""
        for settled in [*self._layers.values()]:
            yield self._layer(settled)
        for settled in self.layers(self.problem.root, past_solved=False):
            self._layers[settled.cost, settled.steps] = settled
            self.between()
            yield self._layer(settled)

    def _layer(self, settled: Settled) -> Layer:
        return Layer(settled.cost, settled.steps, len(settled.rows), bool(settled.solved.any()))

    def layers(self, start: Array, past_solved: bool) -> Iterator[Settled]:
        """Yield the layers from some rows of one cost, cheapest first; past solved states, or up to the cost of the
        first; from a restored state if any.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: moves without cost go in circles, or costs do not fit their field.
        """
        waiting = self._waiting
        if not self._layers:
            start_keys = self._look(start)[0]
            self._merging.add(start, start_keys, start_keys)
            self._wait((int(start["cost"][0]), 0), [(start, start_keys)])
        first_steps: dict[int, int] = {}
        for cost, steps in self._layers:
            first_steps.setdefault(cost, steps)
        solved = (layer.cost for layer in self._layers.values() if layer.solved.any())
        number, last = len(self._layers), math.inf if past_solved else min(solved, default=math.inf)
        while waiting or self._unexpanded is not None:
            if self._unexpanded is not None:
                self._expand(self._unexpanded, past_solved)
                continue
            cost, steps = self._places[0]
            self._radius = cost - 1
            if cost > last:
                return
            number += 1
            layer = self._settle(waiting.pop(heapq.heappop(self._places)), cost, steps, number)
            if not len(layer.rows):
                continue
            self.problem.refuse_overflow(cost, f", or {self.declared} gives one state several keys")
            # Within one cost a path without circles has fewer steps than there are states.
            if steps - first_steps.setdefault(cost, steps) > self.states:
                raise BadPuzzle(f"{self.problem.name}: moves that cost nothing go in circles")
            if not past_solved and layer.solved.any():
                last = cost
            self._unexpanded = layer
            yield layer
        self._radius = math.inf

    def _expand(self, layer: Settled, past_solved: bool) -> None:
        """Add the children of a layer to the waiting ones: all at once, wherever this is stopped."""
        made: dict[Place, list[tuple[Array, Array]]] = {}
        for rows, parents, keys in self._expander.children(layer.rows, past_solved):
            self._merging.add(rows, keys, layer.keys[parents])
            for each, here in by_cost(rows):
                if each < layer.cost:
                    raise self.problem.cost_falls()
                self._dearest_move = max(self._dearest_move, each - layer.cost)
                made.setdefault((each, layer.steps + 1), []).append((rows[here].copy(), keys[here].copy()))
        for place, parts in made.items():
            self._wait(place, parts)
        self._unexpanded = None

    def _wait(self, place: Place, parts: list[tuple[Array, Array]]) -> None:
        """Add rows and their keys to those that wait."""
        if place not in self._waiting:
            heapq.heappush(self._places, place)
        self._waiting.setdefault(place, []).extend(parts)

    # Checkpoints.

    @property
    def finished(self) -> int:
        """See `Store`."""
        return len(self._layers)

    @property
    def bytes_kept(self) -> int:
        """See `Store`."""
        waiting = sum(len(rows) for parts in self._waiting.values() for rows, _ in parts)
        return (self.states + waiting) * self.problem.state.itemsize

    def kept(self) -> Iterator[Entries]:
        """See `Store`."""
        yield Entries(FLAGS, 0, np.array([len(self._layers), self._unexpanded is not None], np.uint64))
        for number, layer in enumerate(self._layers.values()):
            yield from split(number, _as_words(layer.cost, layer.steps, layer.rows))
        for number, ((cost, steps), parts) in enumerate(self._waiting.items()):
            rows = np.concatenate([rows for rows, _ in parts])
            yield from split(number, _as_words(cost, steps, rows), words=1)

    def restore(self, arrays: Mapping[Place, Array]) -> None:
        """See `Store`."""
        number, is_left = arrays[FLAGS, 0].tolist()
        for each in range(number):
            cost, steps, rows = self._from_words(arrays[each, 0])
            layer = self._settle([(rows, self._look(rows)[0])], cost, steps, each + 1)
            self._layers[cost, steps] = layer
            self._unexpanded = layer if is_left else None
        for level, words in arrays:
            if words == 1:
                cost, steps, rows = self._from_words(arrays[level, words])
                self._wait((cost, steps), [(rows, self._look(rows)[0])])
        self._dearest_move = self.problem.most_cost

    def _from_words(self, words: Array) -> tuple[int, int, Array]:
        cost, steps, number = words[:3].tolist()
        data = words[3:].tobytes()[: number * self.problem.state.itemsize]
        return cost, steps, np.frombuffer(data, self.problem.state).copy()

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: all states of the layer, or none if no known one is in reach."""
        settled = self._layers[layer.place]
        costs = (cost - layer.cost for cost, steps in known if steps == layer.steps + 1)
        if not layer.solved and not any(0 <= each <= self._dearest_move for each in costs):
            return settled.rows[:0], scalars(settled.keys[:0]), settled.solved[:0]
        return settled.rows, scalars(settled.keys), settled.solved

    def children(self, rows: Array) -> Iterator[tuple[Array, Array, Array]]:
        """See `Store`."""
        for children, parents, keys in self._expander.children(rows, False):
            yield children, parents, scalars(keys)

    def _settle(self, parts: list[tuple[Array, Array]], cost: int, steps: int, number: int) -> Settled:
        rows = joined([rows.view(self._as_bytes) for rows, _ in parts]).view(self.problem.state)
        keys = joined([keys for _, keys in parts])
        while 2 * (self.states + len(rows)) > self._table[1].size:
            self._grow(2 * self._table[1].size)
        tally = np.zeros(4, np.int64)
        self._kernel.merge_duplicates(rows, keys.reshape(-1), *self._table, tally, cost, number, self._like)
        left = int(tally[kernel_code.STATES])
        self.states += left - int(tally[kernel_code.AGAIN])
        rows, keys = rows[:left].copy(), keys[:left].copy()
        return Settled(cost, steps, rows, keys, self._look(rows)[1])

    def _look(self, rows: Array) -> tuple[Array, Array]:
        return inspected(self.problem, self._kernel.inspect_rows, rows)

    def _grow(self, size: int) -> None:
        self._watch_memory((8 + 8 * self._words) * size)
        table = self._empty_table(size)
        self._kernel.grow_table(*self._table, *table, self._like)
        self._table = table

    def _empty_table(self, size: int) -> tuple[Array, Array, Array]:
        return (
            np.zeros(size * self._words, np.uint64),
            np.zeros(size, np.uint32),
            np.full(size, kernel_code.EMPTY, np.int32),
        )

    def _watch_memory(self, more: int) -> None:
        self._unwatched += more
        if self._unwatched < UNWATCHED:
            return
        self._unwatched = 0
        if memory_in_use().rss + more > self._max_memory:
            raise OutOfMemory(
                f"{self.states:,} states reached, and going on would take more than the"
                f" {self._max_memory / 2**20:,.0f} MB that breadth-first search may use (--max-memory)"
            )


def joined(arrays: list[Array]) -> Array:
    """Return arrays as one that can be written."""
    return arrays[0].copy() if len(arrays) == 1 else np.concatenate(arrays)


def _as_words(cost: int, steps: int, rows: Array) -> Array:
    """Return rows of one layer as uint64[n], after its cost, its steps, and its number of rows."""
    data = rows.tobytes()
    head = np.array([cost, steps, len(rows)], np.uint64)
    return np.concatenate([head, np.frombuffer(data + bytes(-len(data) % 8), np.uint64)])
