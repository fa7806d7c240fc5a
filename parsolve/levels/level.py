"""The entries of a level: in chains of blocks, packed, and in its file."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from parsolve.levels.chains import Chains, pieces
from parsolve.levels.files import PARTS, LevelFile, Packed, end_of
from parsolve.levels.kernels import brief, merge_buckets
from parsolve.levels.pool import Array
from parsolve.levels.templates import merge as kernel_code
from parsolve.levels.templates.blocks import BLOCK, FILES
from parsolve.levels.templates.merge import Others
from parsolve.levels.threads import FEW

PIECES = 64
"""Maximum number of pieces of a level's buckets, for merging: small levels have fewer, as each piece is a call."""

READ = 8
"""Pieces of files take at most a READ-th of the memory."""


class Level:
    """Entries of a level. Whenever a method ends, with an error or without, each entry exists once.

    Args:
        chains: what it has in common with the other levels of the search.

    Attributes:
        sets: int64[buckets] each: chains; see `templates.blocks`. A key may be in several.
        merged: number of entries in the first set, if each key occurs once in it; otherwise 0.
        size: maximum number of entries in all sets.
        file: the entries that memory did not hold, from `part` on.
        shares: whether it has keys of a level of a search from the other end; then these alone are kept.
    """

    shares = False

    def __init__(
        self, chains: Chains, sets: Iterable[Array] = (), size: int = 0, file: LevelFile | None = None
    ) -> None:
        self._chains, self.sets, self.merged, self.size, self.file, self.part = chains, [*sets], 0, size, file, 0

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries(self.part, PARTS) if self.file is not None else 0)

    # Its entries.

    def packed(self, words: int = 0) -> Iterator[Packed]:
        """Yield the entries that a level has in memory, in pieces.

        Args:
            words: words of a count; by default as many as needed.
        """
        for ends, first, last in self._pieces():
            packed = self._chains.pack(ends, first, last, words)
            if len(packed.entries):
                yield packed

    def read(self) -> Iterator[Packed]:
        """Yield the entries of a level, in memory and in its file, in pieces."""
        yield from self.packed()
        if self.file is not None:
            yield from self.file.read_all(self.part, PARTS)

    def read_keys(self) -> Iterator[Array]:
        """Yield the keys of a level in pieces: uint64[n, words]."""
        form = self._chains.form
        for packed in self.read():
            yield packed.entries.reshape(-1, form.head + packed.words)[:, : len(form.like)]

    def keys(self) -> Array:
        """Return the keys of one word of a level: uint64[n]."""
        return np.concatenate([np.zeros(0, np.uint64), *(keys[:, 0] for keys in self.read_keys())])

    def put(self, entries: Array, words: int) -> None:
        """Add entries to a level, in new sets of chains."""
        chains, at, head = self._chains, 0, self._chains.form.head
        chains.widen(words)
        while at < len(entries):
            self.sets.append(np.zeros(1 << chains.bits, np.int64))
            before, at = at, chains.put(0, self.sets[-1], entries, at, head + words, head + words)
            self.size += (at - before) // (head + words)
            if at < len(entries):
                chains.make_room(1, [])  # may merge what is there

    def _pieces(self) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level in pieces: a set, its first bucket, and the one after the last."""
        words = (self._chains.form.head + self._chains.counts) * self.size
        return ((ends, *piece) for ends in self.sets for piece in pieces(ends, words))

    # Merge, write, forget.

    def try_merge(self, known: Sequence["Level"] = (), facing: Sequence["Level"] = ()) -> bool:
        """Merge the chains of a level, without the keys of known levels; return False if there is not enough memory for
        all of it. `facing`: the level of a search from the other end, if there is one."""
        chains, shared_alone = self._chains, self.shares and len(facing) > 0
        if not self.sets or self.merged == self.size:
            return True
        buckets = 1 << chains.bits
        older = [ends for each in (() if shared_alone else known) for ends in each.sets]
        if chains.has_payload or not self.merged:
            self.sets.insert(0, np.zeros(buckets, np.int64))
            self.merged = 0  # the merged set is merged again with the others
        new, sets = self.sets[0], np.array(self.sets[1:])
        if not chains.has_payload:
            older.append(new)
        step = max(1, buckets // min(PIECES, 1 + self.size // FEW))
        kernel = brief(merge_buckets, self.size + sum(each.size for each in (*known, *facing)))
        across = np.array([ends for each in facing for ends in each.sets] or np.zeros((0, 1)), np.int64)
        least = kernel_code.SHARED if shared_alone else kernel_code.MET
        tallies = [np.zeros(kernel_code.TALLY, np.int64) for _ in chains.buffers]
        others = Others(np.array(older, np.int64).reshape(-1, buckets), chains.known, across, least)
        is_short = False

        def merge(thread: int, piece: int) -> None:
            nonlocal is_short
            buffers, tally, last = chains.buffers[thread], tallies[thread], min((piece + 1) * step, buckets)
            tally[kernel_code.NEXT] = piece * step
            while tally[kernel_code.NEXT] < last:
                memory = buffers.own, (buffers.table, buffers.scratch), tally
                done = kernel(chains.pool.blocks, others, sets, new, last, *memory, chains.form, chains.bits)
                if not done and not chains.pool.grow():
                    is_short = True
                    break
                more = kernel_code.ROOM, kernel_code.TABLE, kernel_code.SCRATCH
                buffers.enlarge(*(int(tally[place]) for place in more))

        self.sets[1:] = sets
        try:
            chains.threads.each(-(-buckets // step), merge, self.size)
        finally:
            self.merged += int(sum(tally[kernel_code.ENTRIES] for tally in tallies))
            if not self.shares and any(tally[kernel_code.FACING] for tally in tallies):
                self.shares, self.merged = True, 0  # all of its keys are looked at again
            chains.widen(int(max(tally[kernel_code.WIDEST] for tally in tallies)) - chains.form.head)
            chains.give_back()
        if is_short:
            return False
        if self.shares and facing and not shared_alone:
            return self.try_merge((), facing)
        self.sets, self.size = [new], self.merged
        return True

    def merge(self, known: Sequence["Level"] = (), facing: Sequence["Level"] = ()) -> None:
        """Merge a level, without the keys of known ones: afterwards it has one set of chains, and each key once."""
        while not self.try_merge(known, facing):
            self._chains.give_back(0)
            self._chains.make_room(self._chains.pool.free + 1, [self, *known, *facing])
        self.sets = self.sets or [np.zeros(1 << self._chains.bits, np.int64)]

    def strip(self, size: int) -> None:
        """Keep only the first words of each entry of a level in memory that is expanded."""
        chains = self._chains
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
        chains, every = self._chains, [*self._pieces()]

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
            self._chains.release(0, ends)
        self.sets, self.merged, self.size = [], 0, 0
        self._chains.give_back()


def load(chains: Chains, first: int, *groups: Sequence[Level]) -> tuple[int, list[list[Level]]]:
    """Return groups of levels in memory: in place of their files, parts of these from the first one on, as one level
    that is not merged; and before them the part with which to continue, PARTS if all were returned.

    Raises:
        OutOfMemory: there is no room.
    """
    every, sizes, end = [level for group in groups for level in group], [-1], PARTS
    while True:
        for level in every:
            if level.file is not None and level.sets:
                level.write(level.file)
        files = [level.file for level in every if level.file is not None]
        width = max((file.width for file in files), default=1)
        # The hashes of a part of a bucket are alike, and merging it takes longer.
        most, bucket = chains.pool.most // READ * (BLOCK // width), max(1, PARTS >> chains.bits)
        end = end_of(files, first, most, bucket) if files else PARTS
        before, sizes = sizes, [file.entries(first, end) for file in files]
        if sizes == before or not files:
            break
        more = len(groups) * len(chains.buffers) * (2 + ((end - first) << chains.bits >> FILES))
        chains.make_room(sum(sizes) // (BLOCK // width) + more, [])  # may write more to files
    found = [[level for level in group if level.file is None] for group in groups]
    work = []
    for group, new in zip(groups, found, strict=True):
        its = [level.file for level in group if level.file is not None]
        if its:
            size = sum(file.entries(first, end) for file in its)
            sets = [np.zeros(1 << chains.bits, np.int64) for _ in chains.buffers if size]
            new.append(Level(chains, sets, size=size))
            work += [(new[-1].sets, file, run) for file in its for run in file.runs(first, end)]

    def read(thread: int, piece: int) -> None:
        sets, file, run = work[piece]
        packed = file.read(run, first, end)
        size = chains.form.head + packed.words
        if chains.put(thread, sets[thread], packed.entries, 0, size, width) < len(packed.entries):
            raise chains.budget.short()

    try:
        chains.threads.each(len(work), read)
    except BaseException:
        for sets, _, _ in work:
            Level(chains, sets).release()
        raise
    return end, found
