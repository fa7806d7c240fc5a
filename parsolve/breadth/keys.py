"""Breadth-first search over keys: some 4 bytes a state, on all cores.

For puzzles that give the way back from a key to a state (`unkey`) and whose moves all cost the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parsolve.breadth.key_arrays import PIECE, KeyArrays
from parsolve.breadth.layers import Array, Unsuited, crowded
from parsolve.breadth.proof import Proof
from parsolve.breadth.spill import Spill
from parsolve.breadth.threads import Threads
from parsolve.errors import OutOfMemory
from parsolve.kernel import chains as kernel_code
from parsolve.kernel.breadth import merge_new
from parsolve.kernel.chains import Blocks, Chains
from parsolve.kernel.functions import cached
from parsolve.problem.problem import Problem
from parsolve.system.resources import free_memory, memory_left

OLDER = {"graded": (), "bipartite": (-2,), "reversible": (-1, -2), "any": None}
"""The layers in which a child may lie, counted from the next one on: by `Puzzle.graph`. None: all."""

BY_SEVERAL = {"graded": "any", "bipartite": "reversible"}
"""What a graph counts as if the search starts from several states: one may be a move from another."""

PIECES = 256
"""Pieces that the buckets of a layer are shared out in, at most."""

SMALLEST, LARGEST = 4, 12
"""Bits of a bucket's number."""

BY_ARRAY = 10
"""The same where layers are kept as arrays of keys: only one is in buckets, and those that are nearly empty take more
than they save."""

LINKED = 16
"""Times the memory that keys in files may take: of each block of them 8 bytes stay in memory."""

cached_release_chains = cached(kernel_code.release_chains)
cached_list_chains, cached_add_keys = cached(kernel_code.list_chains), cached(kernel_code.add_keys)


@dataclass
class Layer:
    """The keys of a layer, and how many they are."""

    chains: Chains
    size: int = 0


class Keys(KeyArrays):
    """A breadth-first search over keys.

    Args:
        problem, threads, spill, from_goals: see `Dense`.
        bits: of a bucket's number.

    Attributes:
        states: how many have been reached.

    Raises:
        BadInput: the puzzle has no way back from a key.
        OutOfMemory: there is hardly any.
    """

    form = "keys"
    share = 0.0  # it is unknown how many states there are
    has_free_moves = False
    unsuited = "keys alone are searched by moves that cost 1 only"

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        bits: int = LARGEST,
        spill: Spill | None = None,
        from_goals: bool = False,
    ) -> None:
        super().__init__(problem, threads)
        self.proof = Proof(self, threads.number, from_goals, again=True)
        self.states = 0
        self._expand_buckets, self._merge_buckets = self._kernel.expand_buckets, merge_new
        left = memory_left(threads.watch.max_memory)
        self._memory = int(0.8 * free_memory() if left is None else 0.9 * left)  # a layer is more than its keys
        if spill is not None:
            self._memory = min(spill.free // 2, LINKED * self._memory)
        # A thread's chains and a layer's have one block a bucket that is not full.
        blocks = self._memory // (8 * kernel_code.BLOCK)
        while bits > SMALLEST and blocks < 4 * (threads.number + 2) << bits:
            bits -= 1
        if blocks < 4 * (threads.number + 2) << bits:
            raise self._out_of_memory()
        self._bits, self._shift = bits, np.uint64(64 - bits)
        keys = blocks * kernel_code.BLOCK
        # Pages of memory that are never written take none.
        self._shared = np.zeros(kernel_code.SHARED, np.int64)
        self._blocks = Blocks(
            np.empty(keys, np.uint64) if spill is None else spill.zeros(keys, np.uint64),
            np.empty(blocks, np.int32),
            np.arange(blocks - 1, -1, -1, dtype=np.int32),
            self._shared,
        )
        self._shared[kernel_code.FREE] = blocks
        # Each thread's own.
        self._hashes = [np.zeros(1 << 12, np.uint64) for _ in range(threads.number)]
        self._copies = [np.zeros(kernel_code.BLOCK, np.uint64) for _ in range(threads.number)]
        self._spares = [np.zeros(1 << 10, np.int32) for _ in range(threads.number)]
        self._layers: list[Layer | None] = []

    @property
    def has_solved(self) -> bool:
        """See `Dense`."""
        return bool(self._shared[kernel_code.SOLVED])

    @property
    def waiting(self) -> int:
        """How many states the last layer has."""
        return layer.size if (layer := self._layers[-1]) else 0

    def warm_up(self, start: Array) -> None:
        """See `Dense`."""
        for _ in self.layers(start[:0]):
            pass
        self._merge(self._expand(Layer(self._empty()), True), ())
        self._release(0)
        self._layers = []
        super().warm_up(start)
        self.proof.start(start)

    def layers(self, start: Array, past_solved: bool = True, keep: bool = False) -> Iterator[tuple[int, int]]:
        """Search layer after layer, on from what was restored; yield the depth of each and how many states it has,
        before it is expanded.

        Args:
            start, past_solved: see `Dense`.
            keep: whether all layers stay in memory, and not only those in which a child may lie.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: a state has too many children.
            Unsuited: a move does not cost 1.
        """
        keys = np.unique(self.ids_of(start))
        restored = bool(self._layers)
        if not restored:
            self._layers = [self._layer_of(keys)]
            self.states = len(keys)
        graph = self.problem.graph
        older = OLDER[graph if len(keys) == 1 else BY_SEVERAL.get(graph, graph)]
        while (layer := self._layers[-1]) and layer.size:
            if not restored:
                yield len(self._layers) - 1, layer.size
            restored = False
            children = self._expand(layer, past_solved)
            self.proof.solved_met(len(self._layers) - 1, self._shared[kernel_code.SOLVED :])
            self.proof.add(len(self._layers) - 1)
            self._layers.append(self._merge(children, older))
            if older is not None and not keep:
                self._release(len(self._layers) - 1 + min(older, default=-1))

    def _layer_of(self, keys: Array) -> Layer:
        layer = Layer(self._empty(), len(keys))
        if self._shared[kernel_code.FREE] < len(keys) // kernel_code.BLOCK + len(layer.chains.heads):
            raise self._out_of_memory()
        cached_add_keys(self._blocks, layer.chains, self._shift, keys)
        return layer

    @property
    def arrays(self) -> dict[str, Array]:
        """What the layer that was yielded last can be restored from: the keys of those that are there, by depth."""
        return {f"depth-{depth}": self.keys(depth) for depth, layer in enumerate(self._layers) if layer is not None}

    def restore(self, depths: Sequence[tuple[int, int]], arrays: Mapping[str, Array]) -> None:
        """See `Dense`.

        Raises:
            OutOfMemory: they do not fit.
            ValueError: they are none of these layers.
        """
        known = [arrays.get(f"depth-{depth}") for depth in range(len(depths))]
        sizes = [(len(keys), states) for keys, (_, states) in zip(known, depths, strict=True) if keys is not None]
        if known[-1] is None or any(size != states for size, states in sizes):
            raise ValueError("other layers than it says")
        self._layers = [None if keys is None else self._layer_of(keys) for keys in known]
        self.states = sum(states for _, states in depths)

    def prove(self) -> None:
        """See `Store`."""
        self.proof.end()

    def keys(self, depth: int) -> Array:
        """Return the keys of a layer that is still there: uint64[n], in no order."""
        layer = self._layers[depth]
        assert layer is not None
        keys = np.zeros(layer.size, np.uint64)
        cached_list_chains(self._blocks, layer.chains, keys)
        return keys

    def newest(self) -> Array:
        """Return the keys of the last layer: uint64[waiting], in no order."""
        return self.keys(-1)

    def pieces(self, most: int) -> Iterator[Array]:
        """Yield the same in pieces of at most `most` keys."""
        every = self.newest()
        for first in range(0, len(every), most):
            yield every[first : first + most]

    def following(self, keys: Array, past_solved: bool = True, depth: int | None = None) -> Array:
        """Return the keys of all children of some states, each once: uint64[n], in no order.

        Args:
            keys: of different states.
            past_solved: see `Dense.layers`.
            depth: how many moves they are away from the start, all of them; None if they are not all of that layer.

        Raises:
            OutOfMemory, BadPuzzle, Unsuited: see `layers`.
        """
        layer = self._layer_of(keys)
        self._layers = [layer]
        self._layers.append(self._merge(self._expand(layer, past_solved), ()))
        self.proof.add(depth)
        self._release(0)
        children = self.newest()
        self._release(1)
        self._layers = []
        return children

    def _expand(self, layer: Layer, past_solved: bool) -> Chains:
        """Return the children of a layer, in chains of each thread."""
        children = self._empty(self._threads.number)
        buckets, size = 1 << self._bits, self._piece(layer)

        def expand(thread: int, piece: int) -> None:
            self._call(
                self._expand_buckets,
                self._rows[thread],
                self._blocks,
                layer.chains,
                piece * size,
                (piece + 1) * size,
                Chains(children.heads[thread], children.fills[thread]),
                self._shift,
                self.proof.chosen[thread],
                past_solved,
                self.problem.children,
                np.uint64(proved),
                np.uint64(sampled),
            )

        proved, sampled = self.proof.hashes(layer.size)
        self._threads.each(buckets // size, expand)
        if self._shared[kernel_code.FULL]:
            raise self._out_of_memory()
        if self._shared[kernel_code.CROWDED]:
            raise crowded(self.problem)
        if self._shared[kernel_code.UNLIKE]:
            raise self.proof.unlike(int(self._shared.view(np.uint64)[kernel_code.CULPRIT]))
        if self._shared[kernel_code.COSTLY]:
            raise Unsuited(f"{self.problem.name}: {self.unsuited}")
        return children

    def _merge(self, children: Chains, older: tuple[int, ...] | None) -> Layer:
        """Return the children of all threads, each once, that lie in none of the older layers, bucket by bucket."""
        last = len(self._layers)
        chosen = self._layers if older is None else [self._layers[at] for at in older if -at <= last]
        known = [layer for layer in chosen if layer is not None]
        shape = (len(known), 1 << self._bits)
        lying = Chains(
            np.array([layer.chains.heads for layer in known], np.int32).reshape(shape),
            np.array([layer.chains.fills for layer in known], np.int32).reshape(shape),
        )
        new = Layer(self._empty())
        buckets, size = 1 << self._bits, self._piece(self._layers[-1])
        kept = [0] * self._threads.number

        def merge(thread: int, piece: int) -> None:
            pause = np.array([piece * size, 0])
            end = (piece + 1) * size
            while True:
                kept[thread] += self._merge_buckets(
                    self._blocks,
                    lying,
                    children,
                    new.chains,
                    int(pause[0]),
                    end,
                    self._shift,
                    self._hashes[thread],
                    self._copies[thread],
                    self._spares[thread],
                    pause,
                )
                if pause[0] == end:
                    return
                self._hashes[thread] = np.zeros(pause[1], np.uint64)
                self._spares[thread] = np.zeros(pause[1], np.int32)

        self._threads.each(buckets // size, merge)
        new.size = sum(kept)
        self.states += new.size
        return new

    def _piece(self, layer: Layer | None) -> int:
        """How many buckets are expanded or merged at once: a power of 2."""
        pieces = min(PIECES, 1 + (layer.size if layer else 0) // PIECE)
        return max(1, (1 << self._bits) >> (pieces - 1).bit_length())

    def _release(self, depth: int) -> None:
        if depth >= 0 and (layer := self._layers[depth]) is not None:
            cached_release_chains(self._blocks, layer.chains)
            self._layers[depth] = None

    def _empty(self, *threads: int) -> Chains:
        shape = (*threads, 1 << self._bits)
        return Chains(np.full(shape, kernel_code.NONE, np.int32), np.zeros(shape, np.int32))

    def _out_of_memory(self) -> OutOfMemory:
        return OutOfMemory(
            f"{self.problem.name}: {self.states:,} states reached, and the next layer takes more than the"
            f" {max(0, self._memory) / 2**20:,.0f} MB that are left for it (--max-memory)"
        )
