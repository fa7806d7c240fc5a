"""The memory for the entries of a search: blocks, taken from its budget as they are needed."""

import threading
from typing import Any

import numpy as np

from parsolve.levels.templates.blocks import BLOCK, FREE, FRESH, MOST, SHARED, Blocks
from parsolve.search.budget import Budget

Array = np.ndarray[Any, Any]

KNOWN = 16
"""Bytes of a block's administration."""

STEP, STEP_PART = 256, 16
"""Blocks that are taken from the budget at once: STEP, or a STEP_PART-th of the present ones."""


class Pool:
    """Blocks of entries.

    Args:
        budget: budget of all that the search stores.
        most: maximum number of blocks; by default as many as the budget holds.
        kind: type of their words, `u8` or `u4`.

    Attributes:
        most: maximum number of blocks.
        size: bytes of a block with its administration.
    """

    def __init__(self, budget: Budget, most: int | None = None, kind: str = "u8") -> None:
        self._budget, self._lock = budget, threading.Lock()
        words = np.dtype(kind)
        self.size = words.itemsize * BLOCK + KNOWN
        self.most = number = budget.most // self.size if most is None else most
        link, fill, width, free = (np.empty(number, np.int32) for _ in range(4))  # pages never written take no memory
        self.blocks = Blocks(np.empty(number * BLOCK, words), link, fill, width, free, np.zeros(SHARED, np.int64))
        self._shared = self.blocks.shared

    @property
    def free(self) -> int:
        """The number of blocks that can still be taken."""
        left = min(self.most - int(self._shared[MOST]), max(0, self._budget.left) // self.size)
        return int(self._shared[MOST] - self._shared[FRESH] + self._shared[FREE]) + left

    @property
    def used(self) -> int:
        """The number of blocks in use."""
        return int(self._shared[FRESH] - self._shared[FREE])

    def grow(self, wanted: int = 1) -> bool:
        """Take `wanted` blocks or more from the budget; return False if it has fewer."""
        with self._lock:
            left = min(self.most - int(self._shared[MOST]), max(0, self._budget.left) // self.size)
            if left < wanted:
                return False
            number = min(max(wanted, STEP, int(self._shared[MOST]) // STEP_PART), left)
            self._budget.take(number * self.size)
            self._shared[MOST] += number
            return True

    def reserve(self, wanted: int) -> bool:
        """Make sure that threads can take `wanted` blocks; return False if they are too many."""
        more = wanted - int(self._shared[MOST] - self._shared[FRESH] + self._shared[FREE])
        return more <= 0 or self.grow(more)

    def give_back(self, own: Array) -> None:
        """Take back all blocks of a thread, while no thread takes any."""
        number, free = int(own[0]), int(self._shared[FREE])
        self.blocks.free[free : free + number] = own[1 : number + 1]
        self._shared[FREE] += number
        own[0] = 0

    def close(self) -> None:
        """Free all memory; no block is in use any more."""
        self._budget.take(-int(self._shared[MOST]) * self.size)
        self.most = 0
        words, link, fill, width, free, _ = (each[:0].copy() for each in self.blocks)
        self.blocks = Blocks(words, link, fill, width, free, np.zeros(SHARED, np.int64))
        self._shared = self.blocks.shared
