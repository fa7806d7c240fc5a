"""The entries of a level: in chains of blocks, packed, in its file; merged: each key once, and only those to keep."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from parsolve.levels.chains import Chains, pieces
from parsolve.levels.files import PARTS, LevelFile, Packed
from parsolve.levels.kernels import add_keys, brief, merge_buckets
from parsolve.levels.pool import Array
from parsolve.levels.templates import merge as kernel_code
from parsolve.levels.templates.merge import Gathered, Others
from parsolve.levels.threads import FEW

PIECES = 64
"""Maximum number of pieces of a level's buckets: small levels have fewer, as each piece is a call."""

NONE = np.zeros(0, np.uint64)


class Level:
    """Entries of a level. Whenever a method ends, with an error or without, each entry exists once.

    Args:
        chains: what it has in common with the other levels of the search.

    Attributes:
        sets: int64[buckets] each: chains; see `templates.blocks`. A key may be in several.
        merged: number of entries in the first set, if each key occurs once in it; otherwise 0.
        size: maximum number of entries in all sets.
        file: the entries that memory did not hold, from `part` on.
    """

    def __init__(
        self, chains: Chains, sets: Iterable[Array] = (), size: int = 0, file: LevelFile | None = None
    ) -> None:
        self.chains, self.sets, self.merged, self.size, self.file, self.part = chains, [*sets], 0, size, file, 0

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries(self.part, PARTS) if self.file is not None else 0)

    # Its entries.

    def packed(self, words: int = 0) -> Iterator[Packed]:
        """Yield the entries that a level has in memory, in pieces, with counts of `words`, or as many as needed."""
        for ends, first, last in self._pieces():
            packed = self.chains.pack(ends, first, last, words)
            if len(packed.entries):
                yield packed

    def read(self) -> Iterator[Packed]:
        """Yield the entries of a level, in memory and in its file, in pieces."""
        yield from self.packed()
        if self.file is not None:
            yield from self.file.read_all(self.part, PARTS)

    def read_keys(self) -> Iterator[Array]:
        """Yield the keys of a level in pieces: uint64[n, words]."""
        form = self.chains.form
        for packed in self.read():
            yield packed.entries.reshape(-1, form.head + packed.words)[:, : len(form.like)]

    def keys(self) -> Array:
        """Return the keys of one word of a level: uint64[n]."""
        return np.concatenate([np.zeros(0, np.uint64), *(keys[:, 0] for keys in self.read_keys())])

    def _pieces(self) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level in pieces: a set, its first bucket, and the one after the last."""
        words = (self.chains.form.head + self.chains.counts) * self.size
        return ((ends, *piece) for ends in self.sets for piece in pieces(ends, words))

    # Change it.

    def strip(self, size: int) -> None:
        """Keep only the first words of each entry of a level in memory that is expanded."""
        chains = self.chains
        if self.file is not None or not self.sets or size == chains.form.least:
            return
        every = [*self._pieces()]

        def strip(thread: int, piece: int) -> None:
            ends, first, last = every[piece]
            chains.rewrite(thread, ends, first, last, ends, size)

        chains.threads.each(len(every), strip, self.size, stoppable=False)
        chains.give_back()

    def write(self, file: LevelFile) -> None:
        """Write a level's entries from memory to a file."""
        chains, every = self.chains, [*self._pieces()]

        def write(thread: int, piece: int) -> None:
            ends, first, last = every[piece]
            packed = chains.pack(ends, first, last)
            if len(packed.entries):
                file.write(packed)
            chains.release(thread, ends[first:last])

        chains.threads.each(len(every), write)
        self.sets, self.merged, self.size = [], 0, 0

    def release(self) -> None:
        """Give the blocks of a level back."""
        for ends in self.sets:
            self.chains.release(0, ends)
        self.sets, self.merged, self.size = [], 0, 0
        self.chains.give_back()


@dataclass
class Policy:
    """Which keys a search keeps of the levels that it merges; `try_merge` and `try_know` change it for the next ones.

    Attributes:
        older: settled levels, whose keys are left out.
        known: further keys that are left out, of forgotten levels.
        facing: the last level of the search from the other end; None without one.
        shared_alone: whether only keys are kept that the facing level has, too: from the first such key on, all others
            are of no use.
    """

    older: Sequence[Level] = ()
    known: Gathered = Gathered(NONE, 0, NONE, 1, 0, NONE)  # noqa: RUF009 (it is never changed)
    facing: Level | None = None
    shared_alone: bool = False

    @property
    def levels(self) -> list[Level]:
        """All levels that it compares with."""
        return [*self.older, *([] if self.facing is None else [self.facing])]


def try_merge(level: Level, policy: Policy) -> bool:
    """Merge the chains of a level; return False if there is not enough memory for all of it."""
    if not level.sets or level.merged == level.size:
        return True
    chains = level.chains
    if chains.has_payload or not level.merged:
        level.sets.insert(0, np.zeros(1 << chains.bits, np.int64))
        level.merged = 0  # the merged set is merged again with the others
    tallies, meets = [np.zeros(kernel_code.TALLY, np.int64) for _ in chains.buffers], False
    try:
        is_whole = _merge_chains(level, policy, tallies)
    finally:
        level.merged += int(sum(tally[kernel_code.ENTRIES] for tally in tallies))
        if not policy.shared_alone and any(tally[kernel_code.FACING] for tally in tallies):
            policy.shared_alone, level.merged, meets = True, 0, True
        chains.widen(int(max(tally[kernel_code.WIDEST] for tally in tallies)) - chains.form.head)
        chains.give_back()
    if is_whole and meets:  # all of its keys are looked at again
        return try_merge(level, policy)
    if is_whole:
        level.sets, level.size = level.sets[:1], level.merged
    return is_whole


def try_know(level: Level, policy: Policy) -> bool:
    """Add the keys of a merged level in memory to the known ones; return False if these would take more than a quarter
    of the memory that is left."""
    table, places, keys, _, first, none = policy.known
    chains, words, last, start = level.chains, len(level.chains.form.like), first + level.size, first
    if 2 * last > 1 << places:  # at most half of the places are taken
        places, start = (2 * last - 1).bit_length(), 0
        size = (8 + 4 * words) << places
        if size > chains.budget.left // 4:
            return False
        chains.budget.take(size - table.nbytes - keys.nbytes)
        keys = np.concatenate([keys, np.zeros((words << places - 1) - len(keys), np.uint64)])
        table = np.zeros(1 << places, np.uint64)
    keys[words * first : words * last] = chains.pack(level.sets[0], 0, 1 << chains.bits, size=words).entries
    policy.known = Gathered(table, places, keys, words, last, none)
    brief(add_keys, last - start)(policy.known, start, chains.form.like)
    return True


def _others(level: Level, policy: Policy) -> Others:
    """Return what the kernel compares the chains of a level with."""
    chains, facing = level.chains, policy.facing
    if facing is not None and facing.file is not None:  # what is shared with it is found piece by piece
        facing = None
    is_alone = policy.shared_alone and facing is not None
    older = [ends for each in (() if is_alone else policy.older) for ends in each.sets]
    if not chains.has_payload:
        older.append(level.sets[0])
    across = np.zeros((0, 1), np.int64) if facing is None or not facing.sets else np.array(facing.sets)
    least = kernel_code.SHARED if is_alone else kernel_code.MET
    return Others(np.array(older, np.int64).reshape(-1, 1 << chains.bits), policy.known, across, least)


def _merge_chains(level: Level, policy: Policy, tallies: Sequence[Array]) -> bool:
    """Merge the chains of a level into its first set, on all threads; return False if memory is short."""
    chains, new, sets, is_short = level.chains, level.sets[0], np.array(level.sets[1:]), False
    level.sets[1:] = sets  # the kernel takes their entries
    buckets, others = 1 << chains.bits, _others(level, policy)
    kernel = brief(merge_buckets, sum(each.size for each in (level, *policy.levels)))
    step = max(1, buckets // min(PIECES, 1 + level.size // FEW))

    def merge(thread: int, piece: int) -> None:
        nonlocal is_short
        buffers, tally, last = chains.buffers[thread], tallies[thread], min((piece + 1) * step, buckets)
        tally[kernel_code.NEXT], tally[kernel_code.LAST] = piece * step, last
        while tally[kernel_code.NEXT] < last:
            memory = buffers.own, (buffers.table, buffers.scratch), tally
            done = kernel(chains.pool.blocks, others, sets, new, *memory, chains.form, chains.bits)
            if not done and not chains.pool.grow():
                is_short = True
                break
            wanted = tally[[kernel_code.ROOM, kernel_code.TABLE, kernel_code.SCRATCH]]
            buffers.enlarge(*wanted.tolist())

    chains.threads.each(-(-buckets // step), merge, level.size)
    return not is_short
