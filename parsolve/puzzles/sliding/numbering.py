"""Numbers of reachable boards: the blank's cell and the rank of the tiles, half of whose orders are reachable.

A rank is lexicographic, in mixed radix: each digit counts the smaller tiles among the following ones. Parity decides
which half of the orders is reachable, so the last two tiles need no digit. The way back splits a rank into a head and
the order of the last tiles, each looked up.
"""

import itertools
import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import bit_count, trailing_zeros
from parsolve.puzzles.sliding.geometry import Array

MOST_NUMBERED = 12
"""Larger boards have more states than fit in memory, and their tables grow as fast."""

MOST_TILES = MOST_NUMBERED - 1

DIGITS = MOST_TILES - 2
"""Digits of a rank: the last two tiles need none."""

TAIL = 6
"""Number of last tiles, whose orders are looked up."""

TAILS = np.uint64(math.factorial(TAIL) // 2)
"""Number of their orders of one parity. Boards with fewer tiles have fewer, with smaller ranks."""

EXACT = np.uint64(53)
"""A number below 2^28 times the inverse of `half`, in units of 2^-53, is below 2^64, and its quotient is exact if
`half` is below 2^25: at up to MOST_NUMBERED cells."""

ZERO, ONE, TWO, THREE, FOUR, TILE = (np.uint64(number) for number in (0, 1, 2, 3, 4, 15))


class Numbering(NamedTuple):
    """The lookups for numbering boards."""

    half: np.uint64  # number of reachable orders with the blank in one cell; 0: boards are not numbered
    inverse: np.uint64  # 2^53 / half, rounded up: a product takes a tenth of the time of a quotient
    ones: np.uint64  # 1 in each cell
    lift: np.uint64  # the summand that turns tiles, from 1, into the last of MOST_TILES, from 0
    gap: np.uint64  # 4 * the number of missing tiles
    front: np.uint64  # the missing tiles, in order
    behind: np.uint64  # 4 * the number of tiles before the last ones
    odd: np.uint64  # a bit for each cell of the blank: whether the tiles then have an odd number of inversions
    arrivals: Array  # uint16[cells]: `move` without a history, by the blank's cell
    heads: Array  # uint64[h], see `orders`
    rests: Array  # uint64[h]
    parities: Array  # uint8[h]
    tails: Array  # uint64[2, t]


def numbering_of(goal: Sequence[int], columns: int, arrivals: Sequence[int]) -> Numbering:
    """Return the lookups for numbering the boards of a goal, by cell; for `arrivals` see `Numbering`."""
    cells = len(goal)
    inversions = sum(a > b > 0 for a, b in itertools.combinations(goal, 2))
    home = goal.index(0) // columns
    # A tile that moves up or down passes columns - 1 others.
    odd = sum(1 << blank for blank in range(cells) if (inversions + (blank // columns - home) * (columns - 1)) % 2)
    numbered = is_numbered(cells, columns)
    missing = max(0, MOST_NUMBERED - cells)
    half = size_of(cells) // cells if numbered else 0
    return Numbering(
        np.uint64(half),
        np.uint64(-(-(2 ** int(EXACT)) // half) if numbered else 0),
        np.uint64(sum(1 << 4 * cell for cell in range(cells))),
        np.uint64((missing - 1) * sum(1 << 4 * tile for tile in range(cells - 1)) % 2**64),
        np.uint64(4 * missing),
        np.uint64(sum(tile << 4 * tile for tile in range(missing))),
        np.uint64(4 * max(0, cells - 1 - TAIL)),
        np.uint64(odd),
        np.array(arrivals, np.uint16),
        *(orders(cells - 1) if numbered else NO_ORDERS),
    )


def is_numbered(cells: int, columns: int) -> bool:
    """Return whether boards are numbered: not large ones, and not a single line, where tiles never pass each other."""
    return 4 <= cells <= MOST_NUMBERED and 1 < columns < cells


@cache
def orders(tiles: int) -> tuple[Array, Array, Array, Array]:
    """Return the lookups for the ranks of some tiles, from 0.

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


NO_ORDERS = (np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.uint8), np.zeros((2, 0), np.uint64))


def size_of(cells: int) -> int:
    """Return the number of boards: half of the orders of the cells."""
    return math.factorial(cells) // 2


def number_of_board(cells: Any, numbering: Any) -> Any:
    """Return the number of a board, 4 bits a cell: uint64."""
    ones = numbering.ones
    shift = shift_of_blank(cells, ones)
    below = (ONE << shift) - ONE
    tiles = ((cells & below) | ((cells >> FOUR) & ~below)) + numbering.lift
    # Smaller boards count as if the lowest of MOST_TILES came first, in order, which adds nothing: so the compiler
    # knows the number of iterations.
    tiles = tiles << numbering.gap | numbering.front
    seen, rank = ZERO, ZERO
    for digit in range(DIGITS):
        tile = (tiles >> np.uint64(4 * digit)) & TILE
        bit = ONE << tile
        rank = rank * np.uint64(MOST_TILES - digit) + tile - np.uint64(bit_count(seen & (bit - ONE)))
        seen |= bit
    return (shift >> TWO) * numbering.half + rank


def board_of_number(number: Any, numbering: Any) -> Any:
    """Return the board of a number, 4 bits a cell: uint64."""
    ones = numbering.ones
    blank = blank_of_number(number, numbering)
    rank = number - blank * numbering.half
    head = rank // TAILS
    odd = np.uint64(numbering.parities[head]) ^ numbering.odd >> blank
    tail = numbering.tails[odd & ONE, rank - head * TAILS]
    rest, tiles = numbering.rests[head], numbering.heads[head]
    shift = numbering.behind
    for place in range(TAIL):  # with fewer tiles, the rest is cut off
        tiles |= ((rest >> (((tail >> np.uint64(4 * place)) & TILE) << TWO)) & TILE) << shift
        shift += FOUR
    tiles &= (ones >> FOUR) * TILE
    tiles += ones >> FOUR
    below = (ONE << (blank << TWO)) - ONE
    return (tiles & below) | ((tiles & ~below) << FOUR)


def blank_of_number(number: Any, numbering: Any) -> Any:
    """Return the cell of the blank on the board of a number: uint64."""
    return number * numbering.inverse >> EXACT


def shift_of_blank(cells: Any, ones: Any) -> Any:
    """Return 4 * the blank's cell: uint64. Subtracting 1 from each cell borrows only for the blank."""
    return np.uint64(trailing_zeros((cells - ones) & ~cells & (ones << THREE))) - THREE
