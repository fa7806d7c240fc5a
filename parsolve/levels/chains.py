"""The entries of a search in memory: chains of blocks, by bucket, which threads write, pack and divide."""

from collections.abc import Iterator, Sequence

import numpy as np

from parsolve.levels import kernels
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.pool import Buffers, Pool
from parsolve.levels.templates.blocks import BLOCK, Form
from parsolve.levels.threads import Threads
from parsolve.problem.data import Array

TARGET = 1 << 12
"""Approximate number of entries of a bucket: they fit in the processor's cache while it is merged."""

MOST_BITS, MOST_BITS_KEPT, LEAST_BLOCKS = 12, 10, 8
"""Maximum number of bits of a bucket's number, and if all levels stay, each of whose chains ends in a block that is not
full; and least number of blocks for each chain."""

OWN = 1 << 7
"""Blocks that a thread may keep."""

PACKED = 1 << 20
"""Approximate number of bytes of entries that are packed at once."""


class Chains:
    """What the levels of a search have in common.

    Args:
        form: the form of all entries.
        threads: that share the work.
        pool: the blocks.
        children: maximum number of children of a state.
        stays: whether all levels stay.

    Attributes:
        bits: bits of a bucket's number: there is one bucket first, and they are divided when a level gets large.
        counts: words of the widest count so far.
        buffers: the buffers of the threads.

    Raises:
        OutOfMemory: there is hardly any memory.
    """

    def __init__(self, form: Form, threads: Threads, pool: Pool, children: int, stays: bool = False) -> None:
        self.form, self.threads, self.pool, self.budget = form, threads, pool, pool.budget
        self.counts = form.least - form.head
        self.bits, self._most_bits = 0, MOST_BITS_KEPT if stays else MOST_BITS
        self.buffers = [Buffers(children) for _ in range(threads.number)]
        self.has_payload = form.least > len(form.like)
        if not self.pool.grow():
            raise self.budget.short()

    def new_set(self) -> Array:
        """Return a set of chains, one for each bucket, without entries: int64[buckets]."""
        return np.zeros(1 << self.bits, np.int64)

    def put(self, thread: int, ends: Array, entries: Array, at: int, size: int, width: int) -> int:
        """Add packed entries of `size` words from a place on to chains, `width` words each; return the place that is
        left where the pool has no more blocks, else their end."""
        buffers, like, last = self.buffers[thread], self.form.like, len(entries)
        while at < last:
            put = kernels.brief(kernels.put_entries, (last - at) // size)
            at = put(self.pool.blocks, ends, buffers.own, entries, at, size, width, like, self.bits)
            if at < last and not self.pool.grow():
                break
        return at

    def pack(self, ends: Array, first: int, last: int, width: int = 0) -> Packed:
        """Return the entries of some buckets, of `width` words each; by default as many as they need."""
        blocks, (like, head, *_) = self.pool.blocks, self.form
        entries, _, widest = kernels.level_size(blocks, ends[None, first:last])
        width = width or max(self.form.least, int(widest))
        packed, starts = np.empty(int(entries) * width, np.uint64), np.zeros(PARTS + 1, np.int64)
        kernels.pack_chains(blocks, ends, first, last, packed, starts, like, width)
        return Packed(packed, width - head, starts)

    def rewrite(self, thread: int, ends: Array, first: int, last: int, new: Array, width: int) -> None:
        """Move the first `width` words of the entries of some buckets to the same chains or to others."""
        entries = self.pack(ends, first, last, width).entries
        self.release(thread, ends[first:last])
        if self.put(thread, new, entries, 0, width, width) < len(entries):
            raise self.budget.short()

    def release(self, thread: int, ends: Array) -> None:
        """Give the blocks of some chains to a thread."""
        buffers, at = self.buffers[thread], 0
        while (at := kernels.release_chains(self.pool.blocks, ends, buffers.own, at)) < len(ends):
            buffers.enlarge(len(buffers.own))

    def drop_children(self, thread: int) -> None:
        """Forget the children of a thread, and give it their blocks."""
        buffers = self.buffers[thread]
        self.release(thread, buffers.children.ends[: len(buffers.levels) << self.bits])
        buffers.tally["levels"] = 0

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
        """Divide chains into more buckets, if a level of `size` entries is large for the present number of buckets, and
        threads have no children; return what the sets become."""
        bits, held = self.bits, sum(bool(ends.any()) for ends in sets)
        most = min(self._most_bits, (self.pool.most // (LEAST_BLOCKS * max(1, held))).bit_length() - 1)
        while size > TARGET << bits and bits < most:
            bits = min(bits + 2, most)
        if bits == self.bits:
            return sets
        sizes = [tuple(map(int, kernels.level_size(self.pool.blocks, ends[None]))) for ends in sets]
        # If all entries are equally wide, the same number of blocks is full again.
        wider = sum(entries // (BLOCK // widest) for entries, _, widest in sizes if widest > self.form.least)
        self.give_back(0)
        if self.pool.free < wider + (held << bits):
            return sets
        self.bits = bits
        new_sets = [self.new_set() for _ in sets]
        for buffers in self.buffers:
            buffers.divide(bits)

        def split(thread: int, number: int) -> None:
            entries, _, widest = sizes[number]
            for first, last in ranges(sets[number], entries * widest):
                self.rewrite(thread, sets[number], first, last, new_sets[number], widest)

        self.threads.each(len(sets), split, sum(entries for entries, _, _ in sizes), stoppable=False)
        self.give_back()
        return new_sets


def number_of(words: Array, bits: int) -> int:
    """Return a count as a Python integer."""
    return sum(int(word) << bits * place for place, word in enumerate(words))


def ranges(ends: Array, words: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of the buckets of chains with this many words: the first bucket, and the one after the last."""
    step = max(1, len(ends) // (1 + 8 * words // PACKED))
    return ((first, min(first + step, len(ends))) for first in range(0, len(ends), step))
