"""The memory of one thread that expands and merges levels."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.levels.pool import Array
from parsolve.levels.templates import entries as kernel_code
from parsolve.levels.templates.entries import BATCH, Children

WORDS = np.dtype(np.uint64)


class Hand:
    """The memory of one thread: blocks, see `templates.blocks`; its children; and memory for merging.

    Args:
        children: maximum number of children of a state.
        bits: bits of a bucket's number.
        words: the dtype of the memory for merging.
    """

    def __init__(self, children: int, bits: int = 0, words: np.dtype[Any] = WORDS) -> None:
        rows = 2 * (children + BATCH)
        self.own = np.zeros(children + 4 * BATCH, np.int32)
        self.table, self.scratch = np.zeros(1 << 10, words), np.zeros(1 << 12, words)
        self.children = Children(np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(rows << bits, np.int64))
        self.tally = np.zeros(kernel_code.TALLY, np.int64)

    @property
    def levels(self) -> Array:
        """The levels of its children."""
        return self.children.levels[: self.tally[kernel_code.LEVELS]]

    def chains(self, number: int, bits: int) -> Array:
        """Return the chains of one of these levels."""
        return self.children.ends[number << bits : number + 1 << bits]

    def drop(self, number: int, bits: int) -> None:
        """Forget one of these levels: the last one takes its place."""
        levels, sizes, _ = self.children
        self.tally[kernel_code.LEVELS] -= 1
        last = int(self.tally[kernel_code.LEVELS])
        levels[number], sizes[number] = levels[last], sizes[last]
        self.chains(number, bits)[:] = self.chains(last, bits)

    def enlarge(self, bits: int) -> None:
        """Make room for twice as many levels."""
        twice = (np.concatenate([each, np.zeros_like(each)]) for each in self.children)
        self.children = Children(*twice)

    def enlarge_scratches(self, table: int, scratch: int) -> None:
        """Enlarge the memory for merging to at least these numbers of words."""
        if table > len(self.table):
            self.table = np.zeros(table, self.table.dtype)
        if scratch > len(self.scratch):
            self.scratch = np.zeros(scratch * 3 // 2, self.scratch.dtype)

    def has_room(self, blocks: int) -> None:
        """Make room for the numbers of that many blocks."""
        if len(self.own) <= blocks:
            self.own = np.concatenate([self.own, np.zeros(2 * blocks - len(self.own), np.int32)])

    def expand(self, kernel: Callable[[Children, Array, Array], int], first: int, last: int, bits: int) -> bool:
        """Expand the entries of some buckets; return False if the pool has too few blocks for more children.

        Args:
            kernel: calls the template with this thread's memory.
        """
        self.tally[kernel_code.NEXT], self.tally[kernel_code.LAST] = first, last
        while True:
            why = kernel(self.children, self.own, self.tally)
            if why == kernel_code.FULL:
                self.has_room(len(self.own))
            elif why == kernel_code.MANY:
                self.enlarge(bits)
            else:
                return why == kernel_code.DONE
