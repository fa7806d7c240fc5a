"""Where a single bit of a mask stands, looked up by the bit modulo 37."""

from typing import Any

import numpy as np

PRIME = np.uint64(37)
"""The powers of two below 2**36 all differ modulo it."""


def positions(size: int) -> np.ndarray[Any, Any]:
    """uint8[37]: by the remainder of each of the lowest `size` bits, its number."""
    which = np.zeros(int(PRIME), np.uint8)
    for number in range(size):
        which[(1 << number) % int(PRIME)] = number
    return which
