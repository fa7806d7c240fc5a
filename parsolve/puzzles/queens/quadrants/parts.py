"""Parts of a row set: its pairs of halves, divided by which side holds the most central diagonals.

A part of level k fixes which side holds the 2k most central diagonals, alternately: of each two, whether the east holds
the first, and whether the west holds the second. A diagonal held by one side is forbidden to the other; one that a side
does not hold may be held by the other or not. So every pair of halves that fits is in exactly one part of each level,
and many that do not fit are in none: parts take less time than the whole.

Two bits a level identify a part, those of the last level lowest: whether the east holds its even bit of that level (see
`queen_bits`), and whether the west holds its own.
"""

from typing import Any

import numpy as np
from numpy import int64, uint64

from parsolve.compiler.bits import bit_count
from parsolve.compiler.rows import empty, zeros
from parsolve.puzzles.queens.quadrants.quarters import BARRED, SHORT, choose, columns_of, list_quarter

EVEN = 0x5555_5555_5555_5555
LEVELS = 12
BITS_OF_LEVEL, CHILDREN = 2, 4

HOLDS = 0.4
"""The share of the halves of a side that hold a central diagonal, roughly."""

COLUMN_SETS = 60
"""Minimum number of column sets from which the halves of a row set are estimated, unless it has fewer."""


def most_work(n: int) -> int:
    """Return the maximum number of pairs of halves of a part that is not divided again: 0.1 to 0.6 s, and less than 1
    s.

    With fewer, most time goes into listing halves again and again; with more, into comparing them. On larger boards
    there are more quarters to list for the same number of pairs.
    """
    return 1 << (39 + max(0, n - 25))


def masks_of_part(part: Any, level: Any) -> Any:
    """Return the diagonals that each half of the east must and must not hold; and the same for the west: uint64."""
    fixed, up = uint64(EVEN) & ((uint64(1) << uint64(2 * level)) - uint64(1)), uint64(SHORT - 2 * level)
    east, west = part & fixed, part >> uint64(1) & fixed
    east_barred, west_barred = fixed ^ east | west << uint64(1), fixed ^ west | east << uint64(1)
    return east << up, east_barred << up, west << up, west_barred << up


def estimate_halves(n: Any, bits: Any, ranks: Any, side: Any, rows: Any) -> Any:
    """Estimate how many halves of a side hold these rows, by joining quarters on evenly spaced column sets: float64."""
    width, south_first = columns_of(n, 2 * side), uint64(n // 2)
    north_rows, south_rows = rows & ((uint64(1) << south_first) - uint64(1)), rows >> south_first
    every = (uint64(1) << uint64(width)) - uint64(1)
    queens = bit_count(north_rows)
    sets = choose(width, queens)
    step = max(1, sets // COLUMN_SETS)
    found, joined = 0, 0
    for columns in range(every + uint64(1)):
        if bit_count(columns) == queens and ranks[columns] % step == 0:
            north = list_on_columns(n, bits, ranks, 2 * side, north_rows, columns)
            south = list_on_columns(n, bits, ranks, 2 * side + 1, south_rows, every ^ columns)
            for mask in north:
                for other in south:
                    found += mask & other == uint64(0)
            joined += 1
    return found * (sets / max(joined, 1))


def list_on_columns(n: Any, bits: Any, ranks: Any, quarter: Any, rows: Any, columns: Any) -> Any:
    """List the placements of a quarter's rows on exactly these columns, as many as the rows: uint64[placements]."""
    places, words = zeros(ranks[columns] + 1, np.int64), empty(0, np.uint64)
    list_quarter(bits, quarter, n, rows, columns, uint64(BARRED), uint64(0), ranks, places, words)
    words = empty(places[-1], np.uint64)
    if words.size:
        places[-1] = 0
        list_quarter(bits, quarter, n, rows, columns, uint64(BARRED), uint64(0), ranks, places, words)
    return words


def estimate_work(n: Any, bits: Any, ranks: Any, rows: Any) -> Any:
    """Estimate the pairs of halves of a row set, fitting or not: int64, at least 1."""
    rows = uint64(rows)
    others = rows ^ ((uint64(1) << uint64(n)) - uint64(1))
    pairs = estimate_halves(n, bits, ranks, 0, rows) * estimate_halves(n, bits, ranks, 1, others)
    return int64(max(pairs, 1.0))


def work_of_child(work: Any, held: Any) -> Any:
    """Estimate the pairs of a part from those of its parent in the level above, where `held` identifies it."""
    for side in range(2):
        work = int64(work * (HOLDS * (1.0 - HOLDS) if held >> side & 1 else 1.0 - HOLDS))
    return max(work, 1)


def row_sets(n: Any) -> Any:
    """Return one row set of the east from each class under symmetry, ascending: uint32[classes]."""
    full = (uint64(1) << uint64(n)) - uint64(1)
    held = uint64(n - n // 2)
    room = choose(n, held)
    sets = empty(room, np.uint32)
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
