"""Number the placements of some tiles: rules for pattern databases.

The rank of a placement is lexicographic, each tile's cell counted among those that the tiles before have left over. So
it is dense, and placements with the same first cells are neighbours.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from parsolve.kernel.bits import bit_count

ZERO, ONE, CELL = (np.uint64(number) for number in (0, 1, 31))

BITS = np.uint64(5)
"""Of a cell in a word of placed tiles: boards have up to 25."""


def rank(placed: Any, tiles: Any, cells: Any) -> Any:
    """Return the rank of a placement: uint64. `placed` holds the cell of each tile, BITS bits each, the first
    lowest."""
    number, taken, shift = ZERO, ZERO, ZERO
    while shift < tiles * BITS:
        cell = (placed >> shift) & CELL
        bit = ONE << cell
        number = number * cells + cell - np.uint64(bit_count(taken & (bit - ONE)))
        taken |= bit
        cells -= ONE
        shift += BITS
    return number


def packed_cells(cells: Sequence[int]) -> int:
    """Return the cells of some tiles in one word, BITS bits each, the first lowest."""
    return sum(cell << int(BITS) * number for number, cell in enumerate(cells))


@cache
def placements(tiles: int, cells: int) -> np.ndarray[Any, Any]:
    """Return uint64[placements]: the cells of all placements of some tiles, in the order of their ranks."""
    each, taken = np.zeros(1, np.uint64), np.zeros(1, np.uint32)
    for tile in range(tiles):
        before, cell = np.nonzero((taken[:, None] >> np.arange(cells, dtype=np.uint32)) & 1 == 0)
        each = each[before] | cell.astype(np.uint64) << np.uint64(tile) * BITS
        taken = taken[before] | np.uint32(1) << cell.astype(np.uint32)
    return each


def spread(distances: np.ndarray[Any, Any], tiles: int, cells: int, wide: np.ndarray[Any, Any]) -> None:
    """Write distances by rank, uint8[placements], into `wide`, uint8[16 ** tiles], by the cells of the tiles: 4 bits
    each, the first tile lowest. The board has 16 cells at most."""
    free = free_cells(cells)
    number, taken = np.zeros(1, np.uint32), np.zeros(1, np.uint16)
    for tile in range(tiles):
        chosen = free[taken, : cells - tile]
        number = (number[:, None] + chosen * np.uint32(16**tile)).astype(np.uint32).ravel()
        taken = (taken[:, None] | (np.uint16(1) << chosen.astype(np.uint16))).astype(np.uint16).ravel()
    wide[number] = distances


@cache
def free_cells(cells: int) -> np.ndarray[Any, Any]:
    """Return uint8[1 << cells, cells]: the cells that are not in a set, ascending; then anything."""
    sets = np.arange(1 << cells, dtype=np.uint32)
    taken = (sets[:, None] >> np.arange(cells, dtype=np.uint32)) & 1
    free: np.ndarray[Any, Any] = np.argsort(taken, axis=1, kind="stable").astype(np.uint8)
    return free
