"""The memory that a search over keys has its layers in: blocks of entries."""

import numpy as np

from parsolve.breadth.spill import Spill
from parsolve.kernel import chains as kernel_code
from parsolve.kernel.chains import Blocks
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

SMALLEST = 4
"""Bits of a bucket's number, at least."""

LINKED = 16
"""Times the memory that keys in files may take: of each block of them 8 bytes stay in memory."""


class Pool:
    """Blocks of entries, as many as the memory holds.

    Args:
        name: of the puzzle, for messages.
        threads: that use it, and what they may use.
        bits: of a bucket's number, at most.
        spill: holds the entries, if they are not to be held in memory.
        first: the key of the first state, for entries of 4 bytes if they can stand for it; None for entries of 8.

    Attributes:
        blocks: all of them are free.
        budget: the memory of their entries.
        bits: of a bucket's number: fewer with little memory.
        shift: 64 minus these: see `kernel.chains.expand_buckets`.
        largest: the largest key that an entry can stand for.

    Raises:
        OutOfMemory: there is hardly any.
    """

    def __init__(self, name: str, threads: Threads, bits: int, spill: Spill | None, first: int | None) -> None:
        text = "{states:,} states reached, and the next layer takes more than the {megabytes:,.0f} MB that are left"
        self.budget = Budget(threads.watch, f"{name}: {text} for it (--max-memory)")
        if spill is not None:
            self.budget.most = min(spill.free // 2, LINKED * self.budget.most)
        # A thread's chains and a layer's have one block a bucket that is not full.
        fewest = 4 * (threads.number + 2)
        size = 8 if first is None else 4
        number, self.bits = self._divided(size, bits, fewest)
        if first is not None and first >> self.bits + 32:
            size = 8
            number, self.bits = self._divided(size, bits, fewest)
        self.shift = np.uint64(64 - self.bits)
        entries, dtype = number * kernel_code.BLOCK, np.dtype(f"u{size}")
        # Pages of memory that are never written take none.
        self.blocks = Blocks(
            np.empty(entries, dtype) if spill is None else spill.zeros(entries, dtype),
            np.empty(number, np.int32),
            np.arange(number - 1, -1, -1, dtype=np.int32),
            np.zeros(kernel_code.SHARED, np.int64),
        )
        self.blocks.shared[kernel_code.FREE] = number
        self.largest = int(kernel_code.largest_key(self.blocks, self.shift))

    def _divided(self, size: int, bits: int, fewest: int) -> tuple[int, int]:
        """Return how many blocks of entries of `size` bytes there are, and the bits of a bucket's number: each bucket
        has at least `fewest` blocks."""
        number = self.budget.most // (size * kernel_code.BLOCK)
        while bits > SMALLEST and number < fewest << bits:
            bits -= 1
        if number < fewest << bits:
            raise self.budget.short(states=0)
        return number, bits
