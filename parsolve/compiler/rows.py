"""Allocate rows that a rule may overrun without harm.

A rule writes all children of a state before their number is known, and a puzzle may declare too few. So memory for the
overrun of one expansion follows the rows; it costs nothing until it is written. A caller checks the `top` that a rule
returns before the next expansion.
"""

import ctypes
import mmap
import os
from typing import Any

import numpy as np

from parsolve.compiler.marks import lowered

OVERRUN_ROWS = 1 << 16
"""The most children that `move`, of 2 bytes at most, can number."""

OVERRUN_BYTES = 1 << 26
"""The least memory after the rows, so that a rule that repeats values of `move` is reported too."""

ONE_BY_ONE = "rows are written one by one: row = rows[top], then row.cost = …"
"""Advice for a rule that takes columns or bytes of all rows: a cost that does not fit would not be noticed there."""

_LIBC = ctypes.CDLL(None, use_errno=True)


def rows_to_overrun(number: int, state: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return rows, all 0, followed by room for the overrun of one expansion.

    A rule that writes even more reaches a page that is not writable: the process ends before other memory is damaged.

    Args:
        number: how many rows.
        state: the dtype of a row.

    Returns:
        record[number], a view of a larger memory.

    Raises:
        MemoryError: there is not enough.
    """
    size = number * state.itemsize + max(OVERRUN_BYTES, OVERRUN_ROWS * state.itemsize)
    size += -size % mmap.PAGESIZE
    try:
        # Private: by default the children of a fork would share it.
        memory = mmap.mmap(-1, size + mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"Unable to reserve {size:,} bytes: {error.strerror}") from error
    guard = ctypes.addressof(ctypes.c_char.from_buffer(memory, size))
    if _LIBC.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(mmap.PAGESIZE), 0):
        raise MemoryError(f"Unable to guard {size:,} bytes: {os.strerror(ctypes.get_errno())}")
    return np.frombuffer(memory, state, number)


@lowered
def copy_row(rows: Any, to: Any, source: Any) -> None:
    """Copy one row over another. numba copies a record byte by byte: one of 900 bytes took it 7 s to compile."""
    rows[to] = rows[source]


@lowered
def zeros(size: Any, kind: Any) -> Any:
    """Return kind[size], all 0. numba makes fifteen functions of each `np.zeros`."""
    return np.zeros(size, kind)


@lowered
def empty(size: Any, kind: Any) -> Any:
    """Return kind[size] that are not set."""
    return np.empty(size, kind)
