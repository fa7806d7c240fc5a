"""The transposition table's memory: shared by the workers of this machine, or private to each."""

import contextlib
import mmap
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.system.resources import cgroup_room, total_memory

LEAST = 16
"""Minimum number of words of a table: one entry of a key of several words."""


@dataclass(frozen=True)
class TranspositionTable:
    """A transposition table, as plain data.

    Attributes:
        size: bytes, 0 for none.
        file: the shared memory as a file; empty if each worker has its own.
    """

    size: int = 0
    file: str = ""

    @property
    def words(self) -> int:
        """The number of uint64: a power of 2, at least one entry of any key."""
        return max(LEAST, 1 << (self.size // 8).bit_length() >> 1)

    def entries(self) -> np.ndarray[Any, Any]:
        """Its memory: uint64[words]; all 0 if unused."""
        if self.file:
            with contextlib.suppress(OSError), open(self.file, "r+b") as file:
                return np.frombuffer(mmap.mmap(file.fileno(), 8 * self.words), np.uint64)
        return np.zeros(self.words, np.uint64)


class TableMemory:
    """A table's memory, as long as it is needed.

    Args:
        size: bytes, 0 for none.
        shared: whether all processes of this user on this machine use it; if the system has no such memory, each
            process makes its own.

    Raises:
        BadInput: there is not enough memory.
    """

    def __init__(self, size: int, shared: bool) -> None:
        if size:
            room = cgroup_room()
            most, what = total_memory(), "this machine has"
            if room is not None and room < most:
                most, what = max(0, room), "the memory limit of the container, service or job leaves"
            if size > most:
                raise BadInput(f"a transposition table of {size:,} bytes is more than {what}: {most:,}")
        self._handle: int | None = None
        self.table = TranspositionTable(size)
        if size and shared and hasattr(os, "memfd_create"):
            # Nameless, so that nothing is left behind however the processes end.
            self._handle = os.memfd_create("parsolve-table")
            os.ftruncate(self._handle, 8 * self.table.words)
            self.table = TranspositionTable(size, f"/proc/{os.getpid()}/fd/{self._handle}")

    def shed(self) -> None:
        """Search without a table from now on."""
        self.close()
        self.table = TranspositionTable()

    def close(self) -> None:
        """Release the memory: the system frees it once no process uses the table."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
