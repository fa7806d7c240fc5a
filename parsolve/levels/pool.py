"""The memory for the entries of a search: blocks, taken from its budget as they are needed, and each thread's own."""

import threading

import numpy as np

from parsolve.levels.templates.blocks import ALLOWED, BLOCK, FRESH, GIVEN, PLACES, Blocks
from parsolve.levels.templates.entries import BATCH, TALLY, Children
from parsolve.problem.data import Array
from parsolve.search.budget import Budget

ADMINISTRATION = 16
"""Bytes of a block's administration."""

STEP, STEP_PART = 256, 16
"""Blocks that are taken from the budget at once: STEP, or a STEP_PART-th of the present ones."""


class Pool:
    """Blocks of entries.

    Args:
        budget: budget of all that the search stores.
        most: maximum number of blocks; by default as many as the budget holds.

    Attributes:
        block_bytes: bytes of a block with its administration.
    """

    def __init__(self, budget: Budget, most: int | None = None) -> None:
        self.budget, self._lock = budget, threading.Lock()
        self.block_bytes = 8 * BLOCK + ADMINISTRATION
        self.most = number = budget.most // self.block_bytes if most is None else most
        link, fill, width, free = (np.empty(number, np.int32) for _ in range(4))  # pages never written take no memory
        self.blocks = Blocks(np.empty(number * BLOCK, np.uint64), link, fill, width, free, np.zeros(PLACES, np.int64))

    @property
    def free(self) -> int:
        """The number of blocks that can still be taken."""
        left = min(self.most - int(self.blocks.shared[ALLOWED]), max(0, self.budget.left) // self.block_bytes)
        return int(self.blocks.shared[ALLOWED] - self.blocks.shared[FRESH] + self.blocks.shared[GIVEN]) + left

    @property
    def used(self) -> int:
        """The number of blocks in use."""
        return int(self.blocks.shared[FRESH] - self.blocks.shared[GIVEN])

    def grow(self, wanted: int = 1) -> bool:
        """Take `wanted` blocks or more from the budget; return False if it has fewer."""
        with self._lock:
            left = min(self.most - int(self.blocks.shared[ALLOWED]), max(0, self.budget.left) // self.block_bytes)
            if left < wanted:
                return False
            number = min(max(wanted, STEP, int(self.blocks.shared[ALLOWED]) // STEP_PART), left)
            self.budget.take(number * self.block_bytes)
            self.blocks.shared[ALLOWED] += number
            return True

    def give_back(self, own: Array) -> None:
        """Take back all blocks of a thread, while no thread takes any."""
        number, free = int(own[0]), int(self.blocks.shared[GIVEN])
        self.blocks.free[free : free + number] = own[1 : number + 1]
        self.blocks.shared[GIVEN] += number
        own[0] = 0

    def close(self) -> None:
        """Free all memory; no block is in use any more."""
        self.budget.take(-int(self.blocks.shared[ALLOWED]) * self.block_bytes)
        self.most = 0
        self.blocks = Blocks._make([*(each[:0].copy() for each in self.blocks[:-1]), np.zeros(PLACES, np.int64)])


class Buffers:
    """The memory of one thread: blocks, see `templates.blocks`; its children; and memory for merging.

    Args:
        children: maximum number of children of a state.
    """

    def __init__(self, children: int) -> None:
        rows = 2 * (children + BATCH)
        self.own = np.zeros(children + 4 * BATCH, np.int32)
        self.table, self.scratch = np.zeros(1 << 10, np.uint64), np.zeros(1 << 12, np.uint64)
        self.children = Children(np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(rows, np.int64))
        self.tallies = np.zeros(1, TALLY)
        self.tally = self.tallies[0]  # the same memory

    @property
    def levels(self) -> Array:
        """The levels of its children."""
        return self.children.levels[: self.tally["levels"]]

    def chains(self, number: int, bits: int) -> Array:
        """Return the chains of one of these levels."""
        return self.children.ends[number << bits : number + 1 << bits]

    def drop(self, number: int, bits: int) -> None:
        """Forget one of these levels: the last one takes its place."""
        levels, sizes, _ = self.children
        self.tally["levels"] -= 1
        last = len(self.levels)
        levels[number], sizes[number] = levels[last], sizes[last]
        self.chains(number, bits)[:] = self.chains(last, bits)

    def divide(self, bits: int) -> None:
        """Make room for as many chains of each level as there are buckets; there are no children."""
        self.children = self.children._replace(ends=np.zeros(len(self.children.levels) << bits, np.int64))

    def double(self) -> None:
        """Make room for twice as many levels."""
        twice = (np.concatenate([each, np.zeros_like(each)]) for each in self.children)
        self.children = Children(*twice)

    def enlarge(self, blocks: int, table: int = 0, scratch: int = 0) -> None:
        """Make room for the numbers of that many blocks; and for at least these numbers of words, for merging."""
        if table > len(self.table):
            self.table = np.zeros(table, np.uint64)
        if scratch > len(self.scratch):
            self.scratch = np.zeros(scratch * 3 // 2, np.uint64)
        if len(self.own) <= blocks:
            self.own = np.concatenate([self.own, np.zeros(2 * blocks - len(self.own), np.int32)])
