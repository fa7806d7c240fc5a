"""Halves of a board: joined from quarters, sorted, and counted in pairs."""

from typing import Any

import numpy as np
from numpy import int64, uint64

from parsolve.compiler.bits import bit_count
from parsolve.compiler.rows import empty, zeros
from parsolve.puzzles.queens.quadrants.lanes import LANES, WORDS, fill, load, pack
from parsolve.puzzles.queens.quadrants.pairs import GROUPS, count_pairs, empty_table
from parsolve.puzzles.queens.quadrants.parts import masks_of_part
from parsolve.puzzles.queens.quadrants.quarters import BARRED, LONG, SHORT, choose, columns_of, list_quarters, shares_of


def key_bits(n: Any, fixed: Any) -> Any:
    """Return the number of diagonals by which halves are sorted, an even number, with `fixed` levels of parts above.

    If possible 30 are left: tables of 6 bits each, five of them, stay in the fastest cache.
    """
    return uint64(min(12, max(4, 2 * n - 34 - 2 * fixed)))


def count(n: Any, rows: Any, bits: Any, ranks: Any, where: Any, starts: Any, words: Any, part: Any, level: Any) -> Any:
    """Return the weighted number of solutions with these rows in the east, in a part, and the number of its halves.

    The board's two long diagonals hold a queen each at most. Their halves are four arms; a solution holds none, one, or
    two that are neighbours (or the centre of an odd board). Of the four turns of a solution with one arm, two have it
    in the west; with two arms, one has both there. So only halves of the east without arms count, against those of the
    west with a weight of 2 for each arm. Without any arm the mirror of east and west is still free: on an even board
    the row sets that are others' complements are left out, and solutions with these rows in the west count too; on an
    odd board the queen of the middle row is in the west, and with it in the centre nothing is left to choose.

    rows: the east's, a bit a row; bits, ranks, where, starts, words: see `quarters`; without words the quarters are
    listed here; part, level: see `parts`.
    """
    rows, middle, south = uint64(rows), uint64(n // 2), uint64(n // 2)
    keys = key_bits(n, level)
    first = uint64(SHORT - 2 * level) - keys
    others = rows ^ ((uint64(1) << uint64(n)) - uint64(1))
    north = (uint64(1) << south) - uint64(1)
    quarters = empty(4, np.uint64)
    quarters[0], quarters[1], quarters[2], quarters[3] = rows & north, rows >> south, others & north, others >> south
    held, east_barred, west_held, west_barred = masks_of_part(uint64(part), level)
    at = empty(4, np.int64)
    if words.size == 0:
        barred, shared = empty(4, np.uint64), empty(4, np.uint64)
        barred[:2], barred[2:] = east_barred | uint64(BARRED), west_barred | uint64(BARRED)
        shared[:2], shared[2:] = held, west_held
        at, starts, words = list_quarters(n, bits, ranks, np.arange(4), quarters, barred, shared)
    else:
        for i in range(4):
            at[i] = where[i, quarters[i]]
    sets = choose(columns_of(n, 0), bit_count(quarters[0]))
    halves, in_east = join(sets, at[0], at[1], starts, words, held)
    east, east_kinds = sort(halves, in_east, keys, first)
    sets = choose(columns_of(n, 2), bit_count(quarters[2]))
    halves, in_west = join(sets, at[2], at[3], starts, words, west_held)
    west, west_kinds = sort(halves, in_west, keys, first)
    # By the long diagonals in the west: none, one, both. The east has none of them, or the centre with both.
    weights = zeros(GROUPS, np.uint64)
    weights[0], weights[1], weights[2] = 2, 2, 4
    odd = n % 2 == 1
    if odd and rows >> middle & uint64(1):
        weights[0] = 0  # the mirror image has the queen of the middle row in the west
    table = empty_table(n, first)
    solutions = uint64(0)
    one, one_kinds, group, other, other_kinds = east, east_kinds, uint64(0), west, west_kinds
    for step in range(2):
        if step == 1 and odd:
            weights[0], weights[1], weights[2] = 1, 0, 0
            group = uint64(2)
        elif step == 1:
            weights[0] = 0  # counted twice already
            one, one_kinds, other, other_kinds = west, west_kinds, east, east_kinds
        solutions += count_pairs(n, keys, first, table, one, one_kinds, group, other, other_kinds, weights)
    return solutions, in_east + in_west


def join(sets: Any, north_at: Any, south_at: Any, starts: Any, words: Any, held: Any) -> Any:
    """Join each northern quarter with each southern one on the other columns, if they do not attack each other.

    `north_at` and `south_at`: the beginnings of the quarters' lists in `starts`; `held`: the diagonals that each half
    must hold. The southern quarter must hold those that the northern one does not: each share of the first is joined
    with one of the others.

    Returns:
        The halves, uint64[more than found], and how many are found.
    """
    lists = sets * int64(shares_of(held))
    room = 0
    for i in range(lists):
        north, south = north_at + i, south_at + lists - 1 - i
        room += (starts[north + 1] - starts[north]) * (starts[south + 1] - starts[south])
    halves = empty(room + WORDS, np.uint64)
    beyond = zeros(2 * WORDS, np.uint64)  # from WORDS - i on: i zeros and then ones
    beyond[WORDS:] = ~uint64(0)
    found, step = uint64(0), uint64(WORDS)
    for i in range(lists):
        north, south = north_at + i, south_at + lists - 1 - i
        if starts[north + 1] - starts[north] > starts[south + 1] - starts[south]:
            north, south = south, north
        begin, end = uint64(starts[south]), uint64(starts[south + 1])
        if begin == end:
            continue
        last = begin + (end - begin - uint64(1)) // step * step
        outside = load(beyond, step - (end - last))
        for first in range(uint64(starts[north]), uint64(starts[north + 1])):
            mask = words[first]
            missing = held & ~mask
            one, seen, missed = fill(mask), fill(mask | missing), fill(missing)
            for second in range(begin, last, step):
                other = load(words, second)
                found += pack(halves, found, one | other, (seen & other) ^ missed)
            other = load(words, last)
            found += pack(halves, found, one | other, (seen & other) ^ missed | outside)
    return halves, found


def sort(halves: Any, found: Any, keys: Any, first: Any) -> Any:
    """Sort halves by group and key.

    Returns:
        The halves, uint64[found and more]; where each kind begins, uint64[kinds + 1], see `kind_of`.
    """
    kinds = uint64(GROUPS) << keys
    begins = zeros(kinds + uint64(1), np.uint64)
    places = zeros(kinds, np.uint64)
    for i in range(found):
        places[kind_of(halves[i], keys, first)] += uint64(1)
    for kind in range(kinds):
        begins[kind + uint64(1)] = begins[kind] + places[kind]
        places[kind] = begins[kind]
    ordered = empty(found + uint64(LANES), np.uint64)  # blocks may be read beyond the end
    for i in range(found):
        half = halves[i]
        kind = kind_of(half, keys, first)
        ordered[places[kind]] = half
        places[kind] += uint64(1)
    return ordered, begins


def kind_of(half: Any, keys: Any, first: Any) -> Any:
    """Return a half's place in the order: its long diagonals, then its key, `keys` bits from the bit `first` on."""
    group = (half >> uint64(LONG) & uint64(1)) + (half >> uint64(LONG + 1) & uint64(1))
    return group << keys | half >> first & ((uint64(1) << keys) - uint64(1))
