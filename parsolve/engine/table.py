"""The transposition table's memory: shared by the workers of this machine, or each its own."""

import contextlib
import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.kernel.search import WORDS


@dataclass(frozen=True)
class Table:
    """A transposition table, as plain data.

    Attributes:
        size: bytes, 0 for none.
        file: the shared memory as a file; empty where each worker has its own.
    """

    size: int = 0
    file: str = ""

    @property
    def words(self) -> int:
        """How many uint64 it holds: a power of 2 of entries, at least one."""
        return WORDS << max(0, (self.size // (8 * WORDS)).bit_length() - 1)

    def entries(self) -> np.ndarray[Any, Any]:
        """Its memory: uint64[words]; all 0 if nobody has used it."""
        if self.file:
            with contextlib.suppress(OSError), open(self.file, "r+b") as file:
                return np.frombuffer(mmap.mmap(file.fileno(), 8 * self.words), np.uint64)
        return np.zeros(self.words, np.uint64)


@contextlib.contextmanager
def shared(size: int) -> Iterator[Table]:
    """A table that all processes of this user on this machine can open, for as long as the context lasts; where the
    system has no such memory, one that each process makes for itself.

    It is nameless, so that nothing is left behind however the processes end.
    """
    if not size or not hasattr(os, "memfd_create"):
        yield Table(size)
        return
    memory = os.memfd_create("parsolve-table")
    try:
        table = Table(size, f"/proc/{os.getpid()}/fd/{memory}")
        os.ftruncate(memory, 8 * table.words)
        yield table
    finally:
        os.close(memory)
