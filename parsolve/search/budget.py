"""How much memory a search may take for the states that it keeps."""

import threading
from collections.abc import Callable

from parsolve.errors import OutOfMemory
from parsolve.search.watch import Watch
from parsolve.system.resources import free_memory, memory_left

LIMITED, FREE = 0.9, 0.8
"""The part of a limit's room that states may take; or of the free memory, if there is no limit. A search needs memory
besides its states."""


class Budget:
    """The bytes that a search may take for its states, and those that it has taken; its threads share them.

    Args:
        watch: gives the memory limit.
        text: makes the error message for too little memory from the number of megabytes.
    """

    def __init__(self, watch: Watch, text: Callable[[str], str]) -> None:
        left = memory_left(watch.max_memory)
        most = int(FREE * free_memory() if left is None else LIMITED * left)
        self.most, self._text = max(0, most), text
        self.taken, self._lock = 0, threading.Lock()

    @property
    def left(self) -> int:
        return self.most - self.taken

    def take(self, size: int) -> None:
        """Record bytes that are taken or, if negative, given back.

        Raises:
            OutOfMemory: too few are left; nothing is recorded.
        """
        with self._lock:
            if size > max(0, self.left):
                raise self.short()
            self.taken += size

    def short(self) -> OutOfMemory:
        """Return the error for a search that needs more."""
        return OutOfMemory(self._text(f"{self.most / 2**20:,.0f} MB"))
