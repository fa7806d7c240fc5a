"""Breadth-first search over keys: 4 or 8 bytes a state, on all cores.

For puzzles that give the way back from a key to a state (`unkey`) and whose moves all cost the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from parsolve.levels.chains import FEW, MOST_BITS, Level
from parsolve.levels.files import free_in, zeros_in
from parsolve.levels.forward import PIECE, PIECES_OF_KEYS, Forward
from parsolve.levels.kernels import largest_bucket, list_common
from parsolve.levels.key_arrays import KeyArrays
from parsolve.levels.levels import Levels
from parsolve.levels.pieces import FLAGS, split
from parsolve.levels.pool import Pool
from parsolve.levels.proof import Proof
from parsolve.levels.store import Array, TooLarge, Unsuited, crowded, nothing
from parsolve.levels.templates import entries as kernel_code
from parsolve.levels.templates.blocks import BLOCK, Form, largest_key
from parsolve.levels.templates.entries import Asked, Found
from parsolve.levels.threads import Threads
from parsolve.problem.limits import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.search.budget import Budget
from parsolve.search.checkpoint import Entries

OLDER = {"graded": (), "bipartite": (-2,), "reversible": (-1, -2), "any": None}
"""The layers in which a child may lie, counted from the next one, by `Puzzle.graph`. None: all layers."""

BY_SEVERAL = {"graded": "any", "bipartite": "reversible"}
"""The graph that is assumed instead if the search starts from several states: one may be a move from another."""

BY_ARRAY = 10
"""Bits of a bucket's number if layers are kept as arrays of keys: only one layer is in buckets, and nearly empty
buckets cost more than they save."""

SMALLEST = 4
"""Minimum number of bits of a bucket's number, if they are fixed."""

SHORT, LONG = "short", "long"
"""Entries of 4 and of 8 bytes."""

LEFT, CHILDREN = -2, -3
"""The levels of a half-expanded layer in a checkpoint: its entries that are not expanded, and the next ones so far."""

LINKED = 16
"""Factor for the memory of keys in files: some bytes of each block stay in memory."""

PIECES = 256
"""Maximum number of pieces of a layer's buckets in a search for common keys."""

NOT_COUNTED = np.zeros(0, np.uint64), np.zeros(0, np.uint32)
"""For searches that count no ways."""


class Keys(KeyArrays):
    """A breadth-first search over keys.

    Args:
        problem, threads, folder, from_goals: see `Dense`.
        bits: fixed number of bits of a bucket's number; None to begin with few.
        beside: another search with which this one shares its memory: then layers of both can be compared.
        short: whether entries have 4 bytes, unless the first state's key is too large.
        piece, few: see `Forward`, `Levels`.
        budget: the memory budget; by default all that is left.
        has_costs: whether moves may differ in cost: then the graph is graded, and the least cost of each state is kept.

    Attributes:
        states: number of states reached.
        between: called between two steps.

    Raises:
        BadInput: the puzzle has no way back from a key.
        OutOfMemory: there is hardly any memory.
    """

    form = "keys"
    share = 0.0  # the number of states is unknown
    has_free_moves = False
    levels: Levels
    unsuited = "keys alone are searched by moves that cost 1 only"

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        bits: int | None = None,
        folder: Path | None = None,
        from_goals: bool = False,
        beside: "Keys | None" = None,
        short: bool = False,
        piece: int = PIECE,
        few: int = FEW,
        budget: Budget | None = None,
        has_costs: bool = False,
    ) -> None:
        super().__init__(problem, threads)
        self.proof = Proof(self, threads.number, from_goals, again=True)
        self.states, self.has_costs = 0, has_costs
        self._is_from_several = False
        self.between: Callable[[], None] = nothing
        self._layers: list[Level | None] = []
        self._left: Level | None = None  # of the last layer, if an earlier run has expanded a part of it
        self._is_expanding = False
        if beside is None:
            text = "states reached, and the next layer takes more than the"
            self._budget = budget or Budget(
                threads.watch,
                lambda most: f"{problem.name}: {self.states:,} {text} {most} that are left for it (--max-memory)",
            )
            if folder is not None:
                self._budget.most = min(free_in(folder) // 2, LINKED * self._budget.most)
            if short:
                bits = self._affordable(bits or MOST_BITS, 4)
                short = int(self.ids_of(problem.root)[0]) >> 32 + bits == 0
            if bits is not None and not short:
                bits = self._affordable(bits, 8)
            made = np.empty if folder is None else partial(zeros_in, folder)
            pool = Pool(self._budget, None, "u4" if short else "u8", made)
        else:
            self._budget, bits, pool = beside._budget, beside.levels.bits, beside.levels.pool
        form = Form((np.uint64(0),), 1 + has_costs, 0, 0)
        self.levels = Levels(form, threads, self._budget, problem.children, None, few, bits, pool)
        kernel = self._kernel.expand_costs if has_costs else self._kernel.expand_keys
        self._forward = Forward(problem, threads, kernel, self.levels, self._refuse_wrong, piece, PIECES_OF_KEYS)

    def _affordable(self, bits: int, size: int) -> int:
        """Return the number of bits of a bucket's number for words of `size` bytes: fewer with little memory.

        Raises:
            OutOfMemory: there is hardly any memory.
        """
        number = self._budget.most // (size * BLOCK)
        fewest = 4 * (self._threads.number + 2)  # chains of threads and of layers end in a block that is not full
        while bits > SMALLEST and number < fewest << bits:
            bits -= 1
        if number < fewest << bits:
            raise self._budget.short()
        return bits

    @property
    def has_solved(self) -> bool:
        """Whether a solved state has been met; see `Dense`."""
        return any(hand.tally[kernel_code.SOLVED] for hand in self.levels.hands)

    def forget_solved(self) -> None:
        """Forget that a solved state has been met."""
        for hand in self.levels.hands:
            hand.tally[kernel_code.SOLVED] = 0

    @property
    def has_large_keys(self) -> bool:
        """Whether a key was too large for the entries."""
        return any(hand.tally[kernel_code.FAULT] == kernel_code.LARGE for hand in self.levels.hands)

    @property
    def waiting(self) -> int:
        """The number of states in the last layer."""
        return layer.size if (layer := self._layers[-1]) else 0

    def warm_up(self, start: Array) -> None:
        """See `Dense`."""
        self._forward.warm_up(self._asked(0, True), Found(*NOT_COUNTED, self.proof.chosen[0]))
        super().warm_up(start)
        self.proof.start(start)

    def layers(self, start: Array, past_solved: bool = True, keep: bool = False) -> Iterator[tuple[int, int]]:
        """Search layer after layer, from a restored state if any; yield the depth and the number of states of each
        before it is expanded.

        Args:
            start, past_solved: see `Dense`.
            keep: whether all layers stay in memory, instead of only those in which a child may lie.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: a state has too many children.
            Unsuited: a move does not cost 1.
        """
        keys = np.unique(self.ids_of(start))
        self._is_from_several = len(keys) > 1
        restored = bool(self._layers)
        if not restored:
            entries = np.array([keys[0], start["cost"][0]], np.uint64) if self.has_costs else keys
            self._layers = [self._layer_of(entries)]
            self.states = len(keys)
        older = self._older_depths
        while (layer := self._layers[-1]) and layer.size:
            if not restored:
                yield len(self._layers) - 1, layer.size
            restored = False
            last = len(self._layers)
            new = self._next(layer, past_solved, self._older)
            solved = np.array([self.has_solved])
            self.proof.solved_met(last - 1, solved)
            if not solved[0]:
                self.forget_solved()
            self.proof.add(last - 1)
            self._layers.append(new)
            self.states += new.size
            done = last + min(older, default=-1) if older is not None and not keep else -1
            if done >= 0 and self._layers[done] is not None:
                self.forget(done)

    @property
    def _older_depths(self) -> Sequence[int] | None:
        """See `OLDER`."""
        graph = self.problem.graph
        return OLDER[BY_SEVERAL.get(graph, graph) if self._is_from_several else graph]

    @property
    def _older(self) -> Sequence[Level]:
        """The layers in which a child of the last one may lie."""
        older, last = self._older_depths, len(self._layers)
        known = self._layers if older is None else [self._layers[at] for at in older if -at <= last]
        return [each for each in known if each is not None]

    @property
    def entry(self) -> str:
        """The kind of entries, short or long."""
        return SHORT if self.levels.pool.blocks.words.itemsize == 4 else LONG

    @property
    def reached(self) -> int:
        """The number of known layers; the last one may not be expanded."""
        return len(self._layers)

    def agrees(self, sizes: Sequence[int]) -> bool:
        """Accept these sizes of the layers; return False if layers in memory have others."""
        self.states = sum(sizes)
        known = zip(self._layers, sizes, strict=True)
        return all(layer.size == size for layer, size in known if layer is not None)

    @property
    def sizes(self) -> list[int]:
        """The number of states of each layer in memory."""
        return [layer.size for layer in self._layers if layer is not None]

    def _layer_of(self, entries: Array) -> Level:
        """Return a layer of some entries."""
        keys = entries[:: 1 + self.has_costs]
        if len(keys) and keys.max() > largest_key(self.levels.pool.blocks, self.levels.bits):
            self.levels.hands[0].tally[kernel_code.FAULT] = kernel_code.LARGE
            raise self._too_large()
        return self.levels.level_of(entries, 0)

    # Checkpoints.

    @property
    def is_whole(self) -> bool:
        """See `Store`."""
        return self._forward.is_whole

    @property
    def finished(self) -> int:
        """See `Store`."""
        return max(0, len(self._layers) - 1)

    @property
    def bytes_kept(self) -> int:
        """See `Store`."""
        entries = sum(layer.size for layer in self._layers if layer is not None)
        return 8 * self.levels.form.head * entries + self.levels.size

    def kept(self, side: int = 0) -> Iterator[Entries]:
        """Yield the checkpoint of this search; `side` distinguishes it from another search's.

        The layers in memory; and of a half-expanded last layer, the entries left and the children so far.
        """
        numbers = len(self._layers), self.has_solved, self._is_expanding, self._is_from_several
        yield Entries(FLAGS, side, np.array(numbers, np.uint64))
        for depth, layer in enumerate(self._layers):
            for packed in self.levels.packed_of(layer) if layer is not None else ():
                yield from split(depth, packed.entries, side)
        if self._is_expanding:
            for number, packed in self.levels.packed(0):
                yield from split((LEFT, CHILDREN)[number], packed.entries, side)

    def restore(self, arrays: Mapping[tuple[int, int], Array], side: int = 0) -> None:
        """Restore a checkpoint; see `Store`."""
        none = np.zeros(0, np.uint64)
        number, has_solved, is_expanding, self._is_from_several = arrays[FLAGS, side].tolist()
        known = [arrays.get((depth, side)) for depth in range(number)]
        if number:
            known[-1] = arrays.get((number - 1, side), none)
        self._layers = [None if keys is None else self._layer_of(keys) for keys in known]
        self.states = sum(layer.size for layer in self._layers if layer is not None)
        self.levels.hands[0].tally[kernel_code.SOLVED] = has_solved
        if is_expanding:
            self._left = self._layer_of(arrays.get((LEFT, side), none))
            self.levels.older = self._older
            self.levels.put(1, arrays.get((CHILDREN, side), none), 0)

    def prove(self) -> None:
        """See `Store`."""
        self.proof.end()

    def keys(self, depth: int) -> Array:
        """Return the keys of a layer in memory: uint64[n], in no order."""
        return self.levels.entries_of(self.layer(depth))

    def layer(self, depth: int) -> Level:
        """Return a layer in memory."""
        layer = self._layers[depth]
        assert layer is not None
        return layer

    def forget(self, depth: int) -> None:
        """Give back the memory of a layer."""
        self.levels.release(self.layer(depth))
        self._layers[depth] = None

    def common(self, layer: Level, other: Level) -> Array:
        """Return the keys that two layers share, of this search or one beside it: uint64[n], in no order."""
        small, large = sorted((layer, other), key=lambda each: each.size)
        levels, (ends,), (others,) = self.levels, small.sets, large.sets
        most = int(largest_bucket(levels.pool.blocks, ends[None]))
        places = (most * 8 // 7).bit_length()
        buckets = 1 << levels.bits
        size = max(1, buckets // min(PIECES, 1 + large.size // levels.few))
        found: dict[int, Array] = {}

        def list_some(thread: int, piece: int) -> None:
            hand, first, keys = levels.hands[thread], piece * size, np.empty(size * most, np.uint64)
            hand.enlarge_scratches(1 << places, 0)
            chains, table = (levels.pool.blocks, ends, others), hand.table[: 1 << places]
            last = min(first + size, buckets)
            listed = list_common(*chains, first, last, table, places, keys, levels.form.like, levels.bits)
            if listed:
                found[piece] = keys[:listed].copy()

        levels.each(-(-buckets // size), list_some, large.size)
        return np.concatenate([np.zeros(0, np.uint64), *found.values()])

    def newest(self) -> Array:
        """Return the keys of the last layer: uint64[waiting], in no order."""
        return self.keys(-1)

    def pieces(self, most: int) -> Iterator[Array]:
        """Yield them in pieces of at most `most` keys."""
        every = self.newest()
        for first in range(0, len(every), most):
            yield every[first : first + most]

    def following(
        self, entries: Array, past_solved: bool = True, depth: int | None = None, among: Level | None = None
    ) -> Array:
        """Return the entries of all children of some states, each once: uint64[n], in no order.

        Args:
            entries: entries of different states.
            past_solved: see `Dense.layers`.
            depth: their number of moves from the start, if they are all states of that layer; otherwise None.
            among: the layer in which the children must lie, if any.

        Raises:
            OutOfMemory, BadPuzzle, Unsuited: see `layers`.
        """
        layer = self._layer_of(entries)
        new = self._next(layer, past_solved, ())
        self.proof.add(depth)
        self.levels.release(layer)
        self.states += new.size
        children = self.levels.entries_of(new) if among is None else self.common(new, among)
        self.levels.release(new)
        return children

    def _next(self, layer: Level, past_solved: bool, older: Sequence[Level]) -> Level:
        """Return the children of a layer, each once, without those in an older layer."""
        levels = self.levels
        levels.older = older
        taken, self._left = self._left or layer, None
        others = (each for each in self._layers if each is not None and each is not layer)
        levels.divide(layer.size, [layer, *others] if taken is layer else [layer, taken, *others])
        found = [Found(*NOT_COUNTED, chosen) for chosen in self.proof.chosen]
        asked = self._asked(layer.size, past_solved)
        levels.now, self._is_expanding = Level([taken.sets[0].copy()], taken.size, taken.size), True
        while levels.now.size:
            self._forward.step(asked, found)
            self.between()
        new = levels.take(1)
        self._is_expanding = False
        if taken is not layer:
            levels.release(taken)
        return new

    def _asked(self, size: int, past_solved: bool) -> Asked:
        """Return how a layer of some number of states is expanded; their children have level 1."""
        form, bits, most = self.levels.form, self.levels.bits, self.problem.children
        proved, sampled = map(np.uint64, self.proof.hashes(size))
        return Asked(form, bits, 0, 0, NO_LIMIT, most, sampled, proved, past_solved, True)

    def _refuse_wrong(self, tally: Array, _: int) -> None:
        """Raise the error that an expansion has found, if any."""
        fault = int(tally[kernel_code.FAULT])
        if fault == kernel_code.CROWDED:
            raise crowded(self.problem)
        if fault == kernel_code.UNKEYED:
            raise self.proof.unlike(int(tally.view(np.uint64)[kernel_code.WHERE]))
        if fault == kernel_code.FALLS:
            raise self.problem.cost_falls()
        if fault == kernel_code.COSTLY:
            raise Unsuited(f"{self.problem.name}: {self.unsuited}")
        if fault == kernel_code.LARGE:
            raise self._too_large()

    def _too_large(self) -> TooLarge:
        return TooLarge(f"{self.problem.name}: its keys have more bits than such a search keeps")
