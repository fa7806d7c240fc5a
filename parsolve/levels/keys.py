"""Breadth-first search over keys: 4 or 8 bytes a state, on all cores.

For puzzles that give the way back from a key to a state (`unkey`) and whose moves all cost the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from parsolve.levels.chains import FEW, MOST_BITS, Level
from parsolve.levels.files import PARTS
from parsolve.levels.forward import PIECE, PIECES_OF_KEYS, Forward
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import largest_bucket, list_common
from parsolve.levels.key_arrays import KeyArrays
from parsolve.levels.levels import Levels
from parsolve.levels.pieces import FLAGS, split
from parsolve.levels.pool import Pool
from parsolve.levels.proof import Proof
from parsolve.levels.store import Array, TooLarge, Unsuited, nothing
from parsolve.levels.templates import entries as kernel_code
from parsolve.levels.templates.blocks import BLOCK, Form, largest_key
from parsolve.levels.templates.entries import Found
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.budget import Budget
from parsolve.search.checkpoint import Entries

BY_ARRAY = 10
"""Bits of a bucket's number if layers are kept as arrays of keys: only one layer is in buckets, and nearly empty
buckets cost more than they save."""

SMALLEST = 4
"""Minimum number of bits of a bucket's number, if they are fixed."""

SHORT, LONG = "short", "long"
"""Entries of 4 and of 8 bytes."""

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

    Attributes:
        states: number of states reached.
        reached: number of known layers; the last one may not be expanded.
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
    ) -> None:
        super().__init__(problem, threads)
        self.proof = Proof(self, threads.number, from_goals, again=True)
        self.states = 0
        self.between: Callable[[], None] = nothing
        self.reached = 0
        self._is_expanding = False
        if beside is None:
            text = "states reached, and the next layer takes more than the"
            self._budget = budget or Budget(
                threads.watch,
                lambda most: f"{problem.name}: {self.states:,} {text} {most} that are left for it (--max-memory)",
            )
            if short:
                bits = self._affordable(bits or MOST_BITS, 4)
                short = int(self.ids_of(problem.root)[0]) >> 32 + bits == 0
            if bits is not None and not short:
                bits = self._affordable(bits, 8)
            pool = Pool(self._budget, None, "u4" if short else "u8")
        else:
            self._budget, bits, pool = beside._budget, beside.levels.bits, beside.levels.pool
            folder = beside.levels.folder
        form, self._graph = Form((np.uint64(0),), 1, 0, 0), Graph(problem.graph, dearest=1)
        self.levels = Levels(form, threads, self._budget, problem.children, folder, few, bits, pool, self._graph)
        if beside is not None:
            self.levels.beside, beside.levels.beside = beside.levels, self.levels
        kernel = self._kernel.expand_keys
        self._forward = Forward(problem, threads, kernel, self.levels, self._refuse_wrong, piece, PIECES_OF_KEYS)

    def _affordable(self, bits: int, size: int) -> int:
        """Return the number of bits of a bucket's number for words of `size` bytes: fewer with little memory."""
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

    @property
    def waiting(self) -> int:
        """The number of states in the last layer."""
        return self.layer(self.reached - 1).total

    def warm_up(self, start: Array) -> None:
        """See `Dense`."""
        asked = self._forward.asked(0, *self.proof.hashes(0), past=True)
        self._forward.warm_up(asked, Found(*NOT_COUNTED, self.proof.chosen[0]))
        super().warm_up(start)
        self.proof.start(start)

    def layers(self, start: Array, past_solved: bool = True, keep: bool = False) -> Iterator[tuple[int, int]]:
        """Search layer after layer, from a restored state if any; yield the depth and the number of states of each
        before it is expanded.

        Args:
            start, past_solved: see `Dense`.
            keep: whether all layers stay, instead of only those in which a child may lie.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: a state has too many children.
            Unsuited: a move does not cost 1.
        """
        self._graph.keeps, is_new = keep, not self.reached
        if is_new:
            keys = np.unique(self.ids_of(start))
            self._graph.is_from_several = len(keys) > 1
            self.levels.put(0, self._fitting(keys), 0)
            self._settle()
        while self.waiting:
            depth = self.reached - 1
            if is_new:
                yield depth, self.waiting
            is_new = self._is_expanding = True
            size = self.waiting
            for _ in self.levels.pieces(depth):
                for _ in self._steps(depth, size, past_solved):
                    self.between()
            self._settle()
            solved = np.array([self.has_solved])
            self.proof.solved_met(depth, solved)
            if not solved[0]:  # or it starts from all of them
                for hand in self.levels.hands:
                    hand.tally[kernel_code.SOLVED] = 0
            self.proof.add(depth)

    def _settle(self) -> None:
        """Settle the next layer."""
        self.levels.settle(self.reached)
        self.reached, self._is_expanding = self.reached + 1, False
        self.states += self.waiting

    def _steps(self, depth: int, size: int, past_solved: bool) -> Iterator[int]:
        """Expand the current entries of a layer of some number of states in steps, and yield how many each."""
        asked = self._forward.asked(depth, *self.proof.hashes(size), past=past_solved)
        found = [Found(*NOT_COUNTED, chosen) for chosen in self.proof.chosen]
        while self.levels.now.size:
            yield self._forward.step(asked, found)

    @property
    def entry(self) -> str:
        """The kind of entries, short or long."""
        return SHORT if self.levels.pool.blocks.words.itemsize == 4 else LONG

    def agrees(self, sizes: Sequence[int]) -> bool:
        """Accept these sizes of the layers; return False if known layers have others."""
        self.states = sum(sizes)
        return all(layer.total == sizes[depth] for depth, layer in self._graph.levels.items())

    @property
    def sizes(self) -> list[int]:
        """The number of states of each known layer that is not forgotten."""
        return [layer.total for layer in self._graph.levels.values()]

    def _fitting(self, entries: Array) -> Array:
        """Return some entries unchanged; raise TooLarge if one is."""
        if len(entries) and entries.max() > largest_key(self.levels.pool.blocks, self.levels.bits):
            raise self._too_large()
        return entries

    # Checkpoints.

    @property
    def is_whole(self) -> bool:
        """Whether `kept` yields a complete checkpoint."""
        return self._forward.is_whole

    @property
    def finished(self) -> int:
        """The number of expanded layers."""
        return max(0, self.reached - 1)

    @property
    def bytes_kept(self) -> int:
        """See `Dense`."""
        return self.levels.size

    def kept(self, side: int = 0) -> Iterator[Entries]:
        """Yield the checkpoint of this search; `side` distinguishes it from another search's.

        The layers that are not forgotten; and of a half-expanded last one, the entries left and the children so far.
        """
        left = 0
        for number, packed in self.levels.packed(self.reached - 1):
            left += len(packed.entries) * (number % 2)
            yield from split(number, packed.entries, side)
        numbers = self.reached, self.has_solved, self._is_expanding, self._graph.is_from_several, left
        yield Entries(FLAGS, side, np.array(numbers, np.uint64))

    def restore(self, arrays: Mapping[tuple[int, int], Array], side: int = 0) -> None:
        """Restore a checkpoint; see `Dense`."""
        self.reached, has_solved, self._is_expanding, self._graph.is_from_several, left = arrays[FLAGS, side].tolist()
        its = {number: entries for (number, at), entries in arrays.items() if at == side and number >= 0}
        if sum(len(entries) for number, entries in its.items() if number % 2) != left:
            raise ValueError("other states to expand than it says")
        for number in sorted(its):
            self.levels.restore(number, self._fitting(its[number]), 0)
        if self.reached:
            self._graph.restore(self.reached - 1)
        self.states = sum(self.sizes)
        self.levels.hands[0].tally[kernel_code.SOLVED] = has_solved
        if self._is_expanding:
            self.levels.put(self.reached - 1, np.zeros(0, np.uint64), 0)  # none may be left

    def prove(self) -> None:
        """See `Dense`."""
        self.proof.end()

    def keys(self, depth: int) -> Array:
        """Return the keys of a layer that is not forgotten: uint64[n], in no order."""
        return self.levels.entries_of(self.layer(depth))

    def layer(self, depth: int) -> Level:
        """Return a layer that is not forgotten."""
        return self._graph.levels[depth]

    def forget(self, depth: int) -> None:
        """Give back the memory of a layer."""
        self.levels.drop(depth)

    def newest(self) -> Array:
        """Return the keys of the last layer: uint64[waiting], in no order."""
        return self.keys(self.reached - 1)

    def pieces(self, most: int) -> Iterator[Array]:
        """Yield them in pieces of at most `most` keys."""
        for packed in self.levels.read(self.layer(self.reached - 1)):
            for first in range(0, len(packed.entries), most):
                yield packed.entries[first : first + most]

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
        levels, number = self.levels, self.reached + 1
        levels.replace(self._fitting(entries), 0)
        levels.divide(len(entries))
        for _ in self._steps(number - 1, len(entries), past_solved):
            pass
        self.proof.add(depth)
        children = self.common(levels.gathered(number), *([] if among is None else [among]))
        levels.drop(number)
        self.states += len(children)
        return children

    def common(self, *layers: Level) -> Array:
        """Return the keys of a layer or, if there are two, of this search or one beside it, those that they share:
        uint64[n], in no order."""
        part, found = 0, [np.zeros(0, np.uint64)]
        while part < PARTS:
            with self.levels.loaded(part, *([layer] for layer in layers)) as (part, groups):
                levels = [level for (level,) in groups]
                for level in levels:
                    self.levels.merge(level)
                found.append(self.common_in_memory(*levels) if len(levels) > 1 else self.levels.entries_of(levels[0]))
        return np.concatenate(found)

    def common_in_memory(self, layer: Level, other: Level) -> Array:
        """Return the keys that two layers in memory share."""
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

    def _refuse_wrong(self, tally: Array, _: int) -> None:
        """Raise the error that an expansion has found."""
        fault = int(tally[kernel_code.FAULT])
        if fault == kernel_code.UNKEYED:
            raise self.proof.unlike(int(tally.view(np.uint64)[kernel_code.WHERE]))
        if fault == kernel_code.COSTLY:
            raise Unsuited(f"{self.problem.name}: {self.unsuited}")
        if fault == kernel_code.LARGE:
            raise self._too_large()

    def _too_large(self) -> TooLarge:
        return TooLarge(f"{self.problem.name}: its keys have more bits than such a search keeps")
