"""The memory that a search has its entries in: blocks, taken from its budget as they are needed."""

import threading
from typing import Any

import numpy as np

from parsolve.kernel.blocks import BLOCK, FREE, FRESH, MOST, SHARED, Blocks
from parsolve.search.budget import Budget

Array = np.ndarray[Any, Any]

BYTES = 8 * BLOCK + 16
"""What a block takes, with what is known of it."""

STEP, STEP_PART = 256, 16
"""Blocks that are taken from the budget at once: STEP, or a STEP_PART-th of the present ones."""


class Pool:
    """Blocks of entries.

    Args:
        budget: of all that the search stores.
        most: blocks, at most; by default as many as the budget holds.

    Attributes:
        most: how many there can be.
    """

    def __init__(self, budget: Budget, most: int | None = None) -> None:
        self._budget, self._lock = budget, threading.Lock()
        self.most = number = budget.most // BYTES if most is None else most
        self.blocks = _blocks(number)
        self._shared = self.blocks.shared

    @property
    def free(self) -> int:
        """How many blocks can still be taken."""
        left = min(self.most - int(self._shared[MOST]), max(0, self._budget.left) // BYTES)
        return int(self._shared[MOST] - self._shared[FRESH] + self._shared[FREE]) + left

    @property
    def used(self) -> int:
        """How many blocks have been taken, and not been given back."""
        return int(self._shared[FRESH] - self._shared[FREE])

    def grow(self, wanted: int = 1) -> bool:
        """Take `wanted` blocks or more from the budget; return False if it has fewer."""
        with self._lock:
            left = min(self.most - int(self._shared[MOST]), max(0, self._budget.left) // BYTES)
            if left < wanted:
                return False
            number = min(max(wanted, STEP, int(self._shared[MOST]) // STEP_PART), left)
            self._budget.take(number * BYTES)
            self._shared[MOST] += number
            return True

    def reserve(self, wanted: int) -> bool:
        """Make sure that threads can take `wanted` blocks; return False if they are too many."""
        more = wanted - int(self._shared[MOST] - self._shared[FRESH] + self._shared[FREE])
        return more <= 0 or self.grow(more)

    def give_back(self, own: Array) -> None:
        """Take all blocks back that a thread has; while no thread takes any."""
        number, free = int(own[0]), int(self._shared[FREE])
        self.blocks.free[free : free + number] = own[1 : number + 1]
        self._shared[FREE] += number
        own[0] = 0

    def close(self) -> None:
        """Give all memory back; no block is used any more."""
        self._budget.take(-int(self._shared[MOST]) * BYTES)
        self.blocks, self.most = _blocks(0), 0
        self._shared = self.blocks.shared


def _blocks(number: int) -> Blocks:
    """Return blocks; their pages of memory that are never written take none."""
    link, fill, width, free = (np.empty(number, np.int32) for _ in range(4))
    return Blocks(np.empty(number * BLOCK, np.uint64), link, fill, width, free, np.zeros(SHARED, np.int64))
