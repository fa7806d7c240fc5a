"""Row sets: which rows the east of the board holds, one of each class under symmetry."""

from typing import Any

import numpy as np
from numba import uint64

from parsolve.puzzles.quadrants.quarters import choose


def row_sets(n: Any) -> Any:
    """One row set of the east from each class under symmetry, and its weight."""
    full = (uint64(1) << uint64(n)) - uint64(1)
    held = uint64(n - n // 2)
    room = choose(n, held)
    sets = np.empty(room, np.uint64)
    weights = np.empty(room, np.uint64)
    size = 0
    rows = (uint64(1) << held) - uint64(1)
    for _ in range(room):
        other = reverse(rows, n)
        smallest, even = rows <= other, n % 2 == 0
        if even:
            smallest = rows <= min(min(other, full ^ rows), full ^ other)
        if smallest:
            sets[size] = rows
            weights[size] = 1 if rows == other or (even and other == full ^ rows) else 2
            size += 1
        low = rows & (uint64(0) - rows)  # the next larger set with as many members
        next_up = rows + low
        rows = (rows ^ next_up) // low >> uint64(2) | next_up
    return sets[:size], weights[:size]


def reverse(rows: Any, n: Any) -> Any:
    """A row set with the board turned upside down."""
    result = uint64(0)
    for i in range(uint64(n)):
        result = result << uint64(1) | rows >> i & uint64(1)
    return result
