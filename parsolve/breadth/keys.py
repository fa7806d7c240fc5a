"""Breadth-first search over keys: 4 or 8 bytes a state, on all cores.

For puzzles that give the way back from a key to a state (`unkey`) and whose moves all cost the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parsolve.breadth.key_arrays import PIECE, KeyArrays
from parsolve.breadth.layers import Array, TooLarge, Unsuited, crowded
from parsolve.breadth.pool import Pool
from parsolve.breadth.proof import Proof
from parsolve.breadth.spill import Spill
from parsolve.kernel import chains as kernel_code
from parsolve.kernel.breadth import merge_new
from parsolve.kernel.chains import Chains
from parsolve.kernel.functions import cached
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem

OLDER = {"graded": (), "bipartite": (-2,), "reversible": (-1, -2), "any": None}
"""The layers in which a child may lie, counted from the next one on: by `Puzzle.graph`. None: all."""

BY_SEVERAL = {"graded": "any", "bipartite": "reversible"}
"""What a graph counts as if the search starts from several states: one may be a move from another."""

PIECES = 256
"""Pieces that the buckets of a layer are shared out in, at most."""

LARGEST = 12
"""Bits of a bucket's number."""

BY_ARRAY = 10
"""The same where layers are kept as arrays of keys: only one is in buckets, and those that are nearly empty take more
than they save."""

ROUND, ROUND_PART, ROOM_PART = 1 << 20, 8, 2
"""States that are expanded before their children are merged, at most: ROUND, or a ROUND_PART-th of those reached; but
no more than have children for a ROOM_PART-th of the free memory. Children take memory until they are merged, and each
time the older layers are looked through."""

cached_release_chains = cached(kernel_code.release_chains)
cached_largest_bucket, cached_list_common = cached(kernel_code.largest_bucket), cached(kernel_code.list_common)
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
        beside: another search, whose memory this one shares: then layers of both can be compared.
        short: whether entries have 4 bytes, unless the first state's key is too large for that.

    Attributes:
        states: how many have been reached.

    Raises:
        BadInput: the puzzle has no way back from a key.
        OutOfMemory: there is hardly any.
    """

    form = "keys"
    share = 0.0  # it is unknown how many states there are
    in_rounds = True  # whether the children of some states may be merged before the others are expanded
    _pool: Pool
    has_free_moves = False
    unsuited = "keys alone are searched by moves that cost 1 only"

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        bits: int = LARGEST,
        spill: Spill | None = None,
        from_goals: bool = False,
        beside: "Keys | None" = None,
        short: bool = False,
    ) -> None:
        super().__init__(problem, threads)
        self.proof = Proof(self, threads.number, from_goals, again=True)
        self.states = 0
        self._expand_buckets, self._merge_buckets = self._kernel.expand_buckets, merge_new
        self._layers: list[Layer | None] = []
        self._blocks_each = 0.0  # that the children of a state took in the last round
        if beside is not None:
            self._pool = beside._pool
        else:
            first = int(self.ids_of(problem.root)[0]) if short else None
            self._pool = Pool(problem.name, threads, bits, spill, first)
        self._blocks, self._bits, self._shift = self._pool.blocks, self._pool.bits, self._pool.shift
        self._shared = self._blocks.shared
        # Each thread's own.
        dtype = self._blocks.entries.dtype
        self._hashes = [np.zeros(1 << 12, dtype) for _ in range(threads.number)]
        self._copies = [np.zeros(kernel_code.BLOCK, dtype) for _ in range(threads.number)]
        self._spares = [np.zeros(1 << 10, np.int32) for _ in range(threads.number)]

    @property
    def has_solved(self) -> bool:
        """See `Dense`."""
        return bool(self._shared[kernel_code.SOLVED])

    @property
    def has_large_keys(self) -> bool:
        """Whether a key was met that is too large for the entries."""
        return bool(self._shared[kernel_code.LARGE])

    @property
    def waiting(self) -> int:
        """How many states the last layer has."""
        return layer.size if (layer := self._layers[-1]) else 0

    def warm_up(self, start: Array) -> None:
        """See `Dense`."""
        for _ in self.layers(start[:0]):
            pass
        self._release(self._next(Layer(self._empty()), True, ()))
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
            last = len(self._layers)
            known = self._layers if older is None else [self._layers[at] for at in older if -at <= last]
            new = self._next(layer, past_solved, [each for each in known if each is not None])
            self.proof.solved_met(last - 1, self._shared[kernel_code.SOLVED :])
            self.proof.add(last - 1)
            self._layers.append(new)
            self.states += new.size
            done = last + min(older, default=-1) if older is not None and not keep else -1
            if done >= 0 and self._layers[done] is not None:
                self.forget(done)

    def _layer_of(self, keys: Array) -> Layer:
        layer = Layer(self._empty(), len(keys))
        if len(keys) and keys.max() > self._pool.largest:
            self._shared[kernel_code.LARGE] = 1
            raise self._too_large()
        if self._shared[kernel_code.FREE] < len(keys) // kernel_code.BLOCK + len(layer.chains.heads):
            raise self._pool.budget.short(states=self.states)
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
        return self._listed(self.layer(depth))

    def layer(self, depth: int) -> Layer:
        """Return a layer that is still there."""
        layer = self._layers[depth]
        assert layer is not None
        return layer

    def forget(self, depth: int) -> None:
        """Give back the memory of a layer that is still there."""
        self._release(self.layer(depth))
        self._layers[depth] = None

    def _listed(self, layer: Layer) -> Array:
        keys = np.zeros(layer.size, np.uint64)
        cached_list_chains(self._blocks, layer.chains, self._shift, keys)
        return keys

    def common(self, layer: Layer, other: Layer) -> Array:
        """Return the keys that two layers have in common, of this search or one beside it: uint64[n], in no order."""
        small, large = sorted((layer, other), key=lambda each: each.size)
        most = cached_largest_bucket(self._blocks, small.chains)
        buckets, size = 1 << self._bits, self._piece(large.size)
        places = max(len(self._copies[0]), 1 << (most * 8 // 7).bit_length())
        found: dict[int, Array] = {}

        def list_common(thread: int, piece: int) -> None:
            if len(self._hashes[thread]) < places:
                self._hashes[thread] = np.zeros(places, self._blocks.entries.dtype)
            first, table, keys = piece * size, self._hashes[thread][:places], np.empty(size * most, np.uint64)
            chains = small.chains, large.chains
            listed = cached_list_common(self._blocks, *chains, first, first + size, self._shift, table, keys)
            if listed:
                found[piece] = keys[:listed].copy()

        self._threads.each(buckets // size, list_common)
        return np.concatenate([np.zeros(0, np.uint64), *found.values()])

    def newest(self) -> Array:
        """Return the keys of the last layer: uint64[waiting], in no order."""
        return self.keys(-1)

    def pieces(self, most: int) -> Iterator[Array]:
        """Yield the same in pieces of at most `most` keys."""
        every = self.newest()
        for first in range(0, len(every), most):
            yield every[first : first + most]

    def following(
        self, keys: Array, past_solved: bool = True, depth: int | None = None, among: Layer | None = None
    ) -> Array:
        """Return the keys of all children of some states, each once: uint64[n], in no order.

        Args:
            keys: of different states.
            past_solved: see `Dense.layers`.
            depth: how many moves they are away from the start, all of them; None if they are not all of that layer.
            among: the layer in which they must lie, if there is one.

        Raises:
            OutOfMemory, BadPuzzle, Unsuited: see `layers`.
        """
        layer = self._layer_of(keys)
        new = self._next(layer, past_solved, ())
        self.proof.add(depth)
        self._release(layer)
        self.states += new.size
        children = self._listed(new) if among is None else self.common(new, among)
        self._release(new)
        return children

    def _next(self, layer: Layer, past_solved: bool, older: Sequence[Layer]) -> Layer:
        """Return the children of a layer, each once, that lie in none of the older ones."""
        new = Layer(self._empty())
        buckets, size = 1 << self._bits, self._piece(layer.size)
        first, end = 0, buckets // size
        while first < end:
            free = int(self._shared[kernel_code.FREE])
            states = max(ROUND, self.states // ROUND_PART)
            if self._blocks_each:
                states = min(states, int(free / self._blocks_each) // ROOM_PART)
            share = min(1.0, states / layer.size) if layer.size and self.in_rounds else 1.0
            pieces = range(first, min(end, first + max(1, int(end * share))))
            children = self._expand(layer, past_solved, pieces, size)
            if layer.size:
                used = free - int(self._shared[kernel_code.FREE])
                self._blocks_each = used / (layer.size * len(pieces) / end)
            self._merge(children, older, new, layer.size)
            first = pieces.stop
        return new

    def _expand(self, layer: Layer, past_solved: bool, pieces: range, size: int) -> Chains:
        """Return the children of some pieces of a layer, `size` buckets each, in chains of each thread."""
        children = self._empty(self._threads.number)

        def expand(thread: int, number: int) -> None:
            piece = pieces[number]
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
        self._threads.each(len(pieces), expand)
        if self._shared[kernel_code.FULL]:
            raise self._pool.budget.short(states=self.states)
        if self._shared[kernel_code.CROWDED]:
            raise crowded(self.problem)
        if self._shared[kernel_code.UNLIKE]:
            raise self.proof.unlike(int(self._shared.view(np.uint64)[kernel_code.CULPRIT]))
        if self._shared[kernel_code.COSTLY]:
            raise Unsuited(f"{self.problem.name}: {self.unsuited}")
        if self._shared[kernel_code.LARGE]:
            raise self._too_large()
        return children

    def _merge(self, children: Chains, older: Sequence[Layer], new: Layer, expanded: int) -> None:
        """Add the children of all threads, each once, that lie in none of the older layers to a new one, bucket by
        bucket; `expanded` is how many states the layer before it has."""
        known = [*older, new] if new.size else older
        shape = (len(known), 1 << self._bits)
        lying = Chains(
            np.array([layer.chains.heads for layer in known], np.int32).reshape(shape),
            np.array([layer.chains.fills for layer in known], np.int32).reshape(shape),
        )
        buckets, size = 1 << self._bits, self._piece(expanded)
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
                self._hashes[thread] = np.zeros(pause[1], self._blocks.entries.dtype)
                self._spares[thread] = np.zeros(pause[1], np.int32)

        self._threads.each(buckets // size, merge)
        new.size += sum(kept)

    def _piece(self, states: int) -> int:
        """How many buckets of a layer are expanded or merged at once: a power of 2."""
        pieces = min(PIECES, 1 + states // PIECE)
        return max(1, (1 << self._bits) >> (pieces - 1).bit_length())

    def _release(self, layer: Layer) -> None:
        cached_release_chains(self._blocks, layer.chains)

    def _empty(self, *threads: int) -> Chains:
        shape = (*threads, 1 << self._bits)
        return Chains(np.full(shape, kernel_code.NONE, np.int32), np.zeros(shape, np.int32))

    def _too_large(self) -> TooLarge:
        return TooLarge(f"{self.problem.name}: its keys have more bits than such a search keeps")
