"""The entries of a search in memory: chains of blocks, by bucket, which threads write, pack and divide."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parsolve.levels import kernels
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.pool import Array, Buffers, Pool
from parsolve.levels.templates.blocks import BLOCK, Form
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

TARGET = 1 << 12
"""Approximate number of entries of a bucket: they fit in the processor's cache while it is merged."""

MOST_BITS, LEAST_BLOCKS = 12, 8
"""Maximum number of bits of a bucket's number; and least number of blocks for each chain."""

OWN = 1 << 7
"""Blocks that a thread may keep."""

FEW = 1 << 14
"""Entries below which one thread works alone: waking the others would take as long."""


class Chains:
    """What the levels of a search have in common.

    Args:
        form: the form of all entries.
        threads: that share the work.
        budget: budget of all that the search stores.
        children: maximum number of children of a state.
        pool: the blocks; by default as many as the budget holds.

    Attributes:
        bits: bits of a bucket's number: there is one bucket first, and they are divided when a level gets large.
        counts: words of the widest count so far.
        buffers: the buffers of the threads.
        make_room: frees a number of blocks without changing some levels; or raises OutOfMemory.

    Raises:
        OutOfMemory: there is hardly any memory.
    """

    make_room: Callable[[int, Sequence[Any]], None]

    def __init__(self, form: Form, threads: Threads, budget: Budget, children: int, pool: Pool | None = None) -> None:
        self.form, self.threads, self.budget = form, threads, budget
        self.pool, self.bits, self.counts = pool or Pool(budget), 0, form.least - form.head
        self.buffers = [Buffers(children) for _ in range(threads.number)]
        self.has_payload = form.least > len(form.like)
        if not self.pool.grow():
            raise budget.short()

    def each(self, pieces: int, work: Callable[[int, int], None], size: int, stoppable: bool = True) -> None:
        """Call `work(thread, piece)` once for each piece: on all threads, or on this one if there is little to do.

        Args:
            pieces, work, stoppable: see `Threads.each`.
            size: entries in all of them.
        """
        if pieces > 1 and size > FEW:
            self.threads.each(pieces, work, stoppable)
        else:
            if stoppable:
                self.threads.watch.check()
            for number in range(pieces):
                work(0, number)

    def put(self, thread: int, ends: Array, entries: Array, at: int, size: int, width: int) -> int:
        """Add packed entries of `size` words from a place on to chains, `width` words each; return the place that is
        left where the pool has no more blocks, else their end."""
        buffers, like, last = self.buffers[thread], self.form.like, len(entries)
        while at < last:
            put = kernels.brief(kernels.put_entries, (last - at) // size)
            at = put(self.pool.blocks, ends, buffers.own, entries, at, last, size, width, like, self.bits)
            if at < last and not self.pool.grow():
                break
        return at

    def pack(self, ends: Array, first: int, last: int, words: int = 0, size: int = 0) -> Packed:
        """Return the entries of some buckets with counts of `words`, or of `size` words in all; by default as many as
        they need."""
        blocks, (like, head, *_) = self.pool.blocks, self.form
        entries, _, widest = kernels.level_size(blocks, ends[None, first:last])
        size = size or (head + words if words else max(self.form.least, int(widest)))
        packed, starts = np.empty(int(entries) * size, np.uint64), np.zeros(PARTS + 1, np.int64)
        kernels.pack_chains(blocks, ends, first, last, packed, starts, like, size)
        return Packed(packed, size - head, starts)

    def release(self, thread: int, ends: Array) -> None:
        """Give the blocks of some chains to a thread."""
        buffers, at = self.buffers[thread], 0
        while (at := kernels.release_chains(self.pool.blocks, ends, buffers.own, at)) < len(ends):
            buffers.has_room(len(buffers.own))

    def give_back(self, most: int = OWN) -> None:
        """Give a thread's blocks back to the pool if it has more than `most`."""
        for buffers in self.buffers:
            if buffers.own[0] > most:
                self.pool.give_back(buffers.own)

    def widen(self, words: int) -> None:
        """Record the present width of counts; the next children are as wide."""
        if words > self.counts:
            self.counts = words
            for buffers in self.buffers:
                ends = buffers.children.ends[: len(buffers.levels) << self.bits]
                ends *= -np.sign(ends)

    def divide(self, size: int, sets: Sequence[Array]) -> Sequence[Array]:
        """Divide all chains, and the children of the threads, into more buckets, if a level of `size` entries is large
        for the present number of buckets; return what the sets become."""
        number, bits = len(sets) + sum(len(buffers.levels) for buffers in self.buffers), self.bits
        most = min(MOST_BITS, (self.pool.most // (LEAST_BLOCKS * max(1, number))).bit_length() - 1)
        while size > TARGET << bits and bits < most:
            bits = min(bits + 2, most)
        if bits == self.bits:
            return sets
        new_sets = [np.zeros(1 << bits, np.int64) for _ in sets]
        new_ends = [np.zeros(len(buffers.children.levels) << bits, np.int64) for buffers in self.buffers]
        moves = [
            *zip(sets, new_sets, strict=True),
            *(
                (buffers.chains(at, self.bits), ends[at << bits : at + 1 << bits])
                for buffers, ends in zip(self.buffers, new_ends, strict=True)
                for at in range(len(buffers.levels))
            ),
        ]
        sizes = [tuple(map(int, kernels.level_size(self.pool.blocks, old[None]))) for old, _ in moves]
        none = np.zeros(0, np.int64)  # compiled here, while the watch is checked
        kernels.split_chains(self.pool.blocks, none, none, self.buffers[0].own, 0, self.form.like, bits)
        # If all entries are equally wide, the same number of blocks is full again.
        wider = [entries // (BLOCK // widest) for entries, _, widest in sizes if widest > self.form.least]
        self.give_back(0)
        if not self.pool.reserve(sum(wider) + (len(moves) << bits)):
            return sets

        def split(thread: int, piece: int) -> None:
            buffers, (_, blocks, widest) = self.buffers[thread], sizes[piece]
            buffers.has_room(int(buffers.own[0]) + blocks + 1)
            kernels.split_chains(self.pool.blocks, *moves[piece], buffers.own, widest, self.form.like, bits)

        self.each(len(moves), split, sum(entries for entries, _, _ in sizes), stoppable=False)
        for buffers, ends in zip(self.buffers, new_ends, strict=True):
            ends[: len(buffers.levels) << bits] *= -1  # they may be narrower than the next children
            buffers.children = buffers.children._replace(ends=ends)
        self.bits = bits
        self.give_back()
        return new_sets
