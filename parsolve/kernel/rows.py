"""Memory for rows that a rule may overrun without harm.

A rule writes all children of a state before anyone can see how many they are, and a puzzle may have declared too few.
So behind the rows lies memory that costs nothing until it is written, for the overrun of one expansion; whoever calls a
rule looks at its `top` before calling another.
"""

import ctypes
import mmap
import os
from typing import Any

import numpy as np

OVERRUN_ROWS = 1 << 16
"""As many children as `move`, of 2 bytes at most, can tell apart: more have no meaning whatever a puzzle declares."""

OVERRUN_BYTES = 1 << 26
"""At least so much, so that a rule whose `move` repeats is met with a message as well."""

_LIBC = ctypes.CDLL(None, use_errno=True)


def rows_to_overrun(number: int, state: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Rows, all 0, with room behind them for what one expansion writes too much.

    A rule that writes still more than that ends the process at a page that nobody may write, before it can reach
    memory that is somebody else's.

    Args:
        number: how many rows.
        state: the dtype of a row.

    Returns:
        record[number], of memory that is longer.

    Raises:
        MemoryError: there is not so much.
    """
    size = number * state.itemsize + max(OVERRUN_BYTES, OVERRUN_ROWS * state.itemsize)
    size += -size % mmap.PAGESIZE
    try:
        # Private: by default the children of a fork would all write into the same.
        memory = mmap.mmap(-1, size + mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"Unable to reserve {size:,} bytes: {error.strerror}") from error
    guard = ctypes.addressof(ctypes.c_char.from_buffer(memory, size))
    if _LIBC.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(mmap.PAGESIZE), 0):
        raise MemoryError(f"Unable to guard {size:,} bytes: {os.strerror(ctypes.get_errno())}")
    return np.frombuffer(memory, state, number)
