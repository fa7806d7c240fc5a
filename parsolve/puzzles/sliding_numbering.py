"""Numbers of the boards that sliding moves can reach: the blank's cell and the rank of the tiles, half of their orders.

A rank is lexicographic, in mixed radix: each digit counts the smaller tiles among those that follow. Half of the orders
can be reached, told by their parity, so that the last two tiles need no digit. The way back splits a rank into a head
and the order of the last tiles, each looked up.
"""

import itertools
import math
from functools import cache
from typing import Any

import numpy as np

from parsolve.kernel.bits import bit_count, trailing_zeros

MOST_CELLS = 12
"""Larger boards have more states than there is memory for, and their tables grow as fast."""

TAIL = 6
"""The last tiles, whose orders are looked up."""

ZERO, ONE, TWO, THREE, FOUR, TILE = (np.uint64(number) for number in (0, 1, 2, 3, 4, 15))

Array = np.ndarray[Any, Any]


@cache
def orders(tiles: int) -> tuple[Array, Array, Array, Array]:
    """Return what a rank of so many tiles, from 0, is looked up in.

    Returns:
        heads: uint64[h], the first tiles of each order of them, 4 bits each, by rank.
        rests: uint64[h], the tiles that are left, ascending.
        parities: uint8[h], of the inversions that begin in a head.
        tails: uint64[2, t], the orders of the last tiles as places among those left, by the parity of their inversions.
    """
    last = min(TAIL, tiles)
    first = tiles - last
    heads = np.array([*itertools.permutations(range(tiles), first)], np.uint64).reshape(math.perm(tiles, first), first)
    every = np.arange(tiles)
    left = (heads[:, :, None] != every).all(axis=1)
    rests = np.nonzero(left)[1].reshape(-1, last)
    smaller = (heads[:, :, None] > rests[:, None, :]).sum(axis=(1, 2))
    smaller += sum(((heads[:, [i]] > heads[:, i + 1 :]).sum(axis=1) for i in range(first)), np.int64(0))
    tails: tuple[list[int], list[int]] = ([], [])
    for tail in itertools.permutations(range(last)):
        inversions = sum(a > b for a, b in itertools.combinations(tail, 2))
        tails[inversions % 2].append(sum(place << 4 * i for i, place in enumerate(tail)))
    return _packed(heads), _packed(rests.astype(np.uint64)), (smaller % 2).astype(np.uint8), np.array(tails, np.uint64)


def _packed(tiles: Array) -> Array:
    shifts = 4 * np.arange(tiles.shape[1], dtype=np.uint64)
    words: Array = (tiles << shifts).sum(axis=1, dtype=np.uint64)
    return words


def size_of(cells: int) -> int:
    """Return how many boards there are: half of the orders of the cells."""
    return math.factorial(cells) // 2


def number_of_board(cells: Any, ones: Any, half: Any) -> Any:
    """Return the number of a board: uint64.

    cells: 4 bits a cell; ones: 1 in each cell; half: the orders of the tiles that can be reached with the blank in one
    cell.
    """
    shift = np.uint64(trailing_zeros((cells - ones) & ~cells & (ones << THREE))) - THREE  # the blank's: the lowest 0
    below = (ONE << shift) - ONE
    tiles = ((cells & below) | ((cells >> FOUR) & ~below)) - (ones >> FOUR)
    seen, rank, left = ZERO, ZERO, np.uint64(bit_count(ones)) - ONE
    while left > TWO:
        tile = tiles & TILE
        tiles >>= FOUR
        bit = ONE << tile
        rank = rank * left + tile - np.uint64(bit_count(seen & (bit - ONE)))
        seen |= bit
        left -= ONE
    return (shift >> TWO) * half + rank


def board_of_number(
    number: Any, ones: Any, half: Any, odd: Any, heads: Any, rests: Any, parities: Any, tails: Any
) -> Any:
    """Return the board of a number: uint64, 4 bits a cell.

    ones, half: see `number_of_board`; odd: a bit for each cell of the blank, whether the tiles have an odd number of
    inversions then; heads, rests, parities, tails: see `orders`.
    """
    blank = number // half
    rank = number - blank * half
    size = np.uint64(tails.shape[1])
    head = rank // size
    tail = tails[(np.uint64(parities[head]) ^ odd >> blank) & ONE, rank - head * size]
    rest, tiles = rests[head], heads[head]
    shift = np.uint64(0)
    left = np.uint64(bit_count(ones)) - ONE
    last = min(left, np.uint64(TAIL))
    shift = (left - last) << TWO
    for _ in range(last):
        tiles |= ((rest >> ((tail & TILE) << TWO)) & TILE) << shift
        tail >>= FOUR
        shift += FOUR
    tiles += ones >> FOUR
    below = (ONE << (blank << TWO)) - ONE
    return (tiles & below) | ((tiles & ~below) << FOUR)
