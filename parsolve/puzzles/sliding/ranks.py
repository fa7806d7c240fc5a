"""Numbers of placements of some tiles: the places of their distances in a pattern's table.

Few tiles are numbered by cells: the cell of each tile is a digit, the first tile's lowest. A move changes one digit,
whatever the other tiles do; but some numbers have no placement. More tiles are numbered by rank: it is lexicographic,
each tile's cell counted among those that the earlier tiles have left over. So ranks are dense, and placements with the
same first cells are neighbours.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from parsolve.compiler.bits import bit_count
from parsolve.puzzles.sliding.geometry import ONE_WORD, Array
from parsolve.puzzles.sliding.partitions import FEW

ZERO, ONE, CELL = (np.uint64(number) for number in (0, 1, 31))

BITS = np.uint64(5)
"""Bits of a cell in a word of placed tiles: boards have up to 25."""


def base_of(tiles: int, cells: int) -> int:
    """Return the base of the numbers by cells, 16 if a digit is 4 bits of a word; 0 if placements are numbered by
    rank."""
    if tiles > FEW:
        return 0
    return 16 if cells <= ONE_WORD else cells


def numbers_of(tiles: int, cells: int) -> int:
    """Return how many numbers there are, including those without a placement."""
    base = base_of(tiles, cells)
    return base**tiles if base else math.perm(cells, tiles)


def values_of(tiles: int, cells: int) -> list[int]:
    """Return the factor of each tile's digit in a number."""
    base = base_of(tiles, cells)
    if base:
        return [base**place for place in range(tiles)]
    return [math.perm(cells - 1 - place, tiles - 1 - place) for place in range(tiles)]


def numbered(placed: Array, cells: int) -> Array:
    """Return the numbers of placements: int64[...].

    Args:
        placed: integers[..., tiles]: the cell of each tile.
        cells: number of cells of the board.
    """
    tiles = placed.shape[-1]
    number = np.zeros(placed.shape[:-1], np.int64)
    for place, value in enumerate(values_of(tiles, cells)):
        digit = placed[..., place].astype(np.int64)
        if not base_of(tiles, cells):
            digit -= (placed[..., :place] < placed[..., place, None]).sum(-1)
        number += value * digit
    return number


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


def number_by_cells(placed: Any, tiles: Any, base: Any) -> Any:
    """Return the number of a placement by cells: uint64. `placed` is as for `rank`."""
    number, value, shift = ZERO, ONE, ZERO
    while shift < tiles * BITS:
        number += ((placed >> shift) & CELL) * value
        value *= base
        shift += BITS
    return number


def packed_cells(cells: Sequence[int]) -> int:
    """Return the cells of some tiles in one word, BITS bits each, the first lowest."""
    return sum(cell << int(BITS) * number for number, cell in enumerate(cells))


@cache
def placements(tiles: int, cells: int) -> Array:
    """Return uint64[placements]: the cells of all placements of some tiles, in the order of their ranks."""
    each, taken = np.zeros(1, np.uint64), np.zeros(1, np.uint32)
    for tile in range(tiles):
        before, cell = np.nonzero((taken[:, None] >> np.arange(cells, dtype=np.uint32)) & 1 == 0)
        each = each[before] | cell.astype(np.uint64) << np.uint64(tile) * BITS
        taken = taken[before] | np.uint32(1) << cell.astype(np.uint32)
    return each
