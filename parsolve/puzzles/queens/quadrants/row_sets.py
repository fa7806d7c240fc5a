"""Row sets: the rows held by the east of the board, one set of each class under symmetry."""

from typing import Any

import numpy as np
from numpy import uint64

from parsolve.puzzles.queens.quadrants.quarters import choose


def row_sets(n: Any) -> Any:
    """Return one row set of the east from each class under symmetry, ascending: uint32[classes]."""
    full = (uint64(1) << uint64(n)) - uint64(1)
    held = uint64(n - n // 2)
    room = choose(n, held)
    sets = np.empty(room, np.uint32)
    size = 0
    rows = (uint64(1) << held) - uint64(1)
    for _ in range(room):
        other = reverse(rows, n)
        smallest = rows <= other
        if n % 2 == 0:
            smallest = rows <= min(min(other, full ^ rows), full ^ other)
        if smallest:
            sets[size] = rows
            size += 1
        low = rows & (uint64(0) - rows)  # the next larger set with as many members
        next_up = rows + low
        rows = (rows ^ next_up) // low >> uint64(2) | next_up
    return sets[:size].copy()


def weight_of(n: Any, rows: Any) -> Any:
    """Return how many row sets one of `row_sets` represents, without those that `count` includes: uint64."""
    rows = uint64(rows)
    other, full = reverse(rows, n), (uint64(1) << uint64(n)) - uint64(1)
    return uint64(1) if rows == other or (n % 2 == 0 and other == full ^ rows) else uint64(2)


def reverse(rows: Any, n: Any) -> Any:
    """Return a row set of the board turned upside down."""
    result = uint64(0)
    for i in range(uint64(n)):
        result = result << uint64(1) | rows >> i & uint64(1)
    return result
