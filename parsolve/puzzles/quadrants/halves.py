"""Halves of a board: joined from quarters, sorted, and matched, 512 at a time."""

from typing import Any

import numpy as np
from numba import uint64

from parsolve.kernel.lanes import LANES, WORDS, add_counts, both, but_not, differ, down, fill, load, store, total, up
from parsolve.puzzles.quadrants.quarters import choose, key_bits, list_some_quarters, ones

CHUNKS = 5  # pieces of a mask, each looked up in a table of its own


def count(n: Any, rows: Any, bits: Any, where: Any, starts: Any, words: Any) -> Any:
    """The weighted number of solutions with these rows in the east, and the number of halves with them or the others.

    The board's two long diagonals hold a queen each at most. Their halves are four arms; a solution holds none, one, or
    two that are neighbours (or the centre of an odd board). Of the four turns of a solution with one arm, two have it
    in the west; with two arms, one has both there. So only halves of the east without arms count, against those of the
    west with a weight of 2 for each arm. Without any arm the mirror of east and west is still free: on an even board
    the row sets that are others' complements are left out, and solutions with these rows in the west count too; on an
    odd board the queen of the middle row is in the west, and with it in the centre nothing is left to choose.

    rows: of the east, a bit a row; bits, where, starts, words: see `quarters`.
    """
    rows, keys, middle = uint64(rows), key_bits(n), uint64(n // 2)
    others = rows ^ ((uint64(1) << uint64(n)) - uint64(1))
    if words.size == 0:
        where, starts, words = list_some_quarters(n, bits, rows, others)
    halves, in_east = join(n, 0, rows, where, starts, words)
    east, east_kinds = sort(halves, in_east, keys)
    halves, in_west = join(n, 1, others, where, starts, words)
    west, west_kinds = sort(halves, in_west, keys)
    # By the long diagonals in the west: none, one, the other, both. The east has none of them.
    weights = np.zeros(8, np.uint64)
    weights[0], weights[1], weights[2], weights[3] = 2, 2, 2, 4
    odd = n % 2 == 1
    if odd and rows >> middle & uint64(1):
        weights[0] = 0  # the mirror has the queen of the middle row in the west
    one_kind = uint64(1) << keys
    solutions = meet(n, keys, east, uint64(0), east_kinds[one_kind], west, west_kinds, weights)
    if odd:
        weights[0], weights[1], weights[2], weights[3] = 1, 0, 0, 0
        centre = uint64(7) << keys
        solutions += meet(n, keys, east, east_kinds[centre], east_kinds[centre + one_kind], west, west_kinds, weights)
    else:
        weights[0] = 0  # counted twice already
        solutions += meet(n, keys, west, uint64(0), west_kinds[one_kind], east, east_kinds, weights)
    return solutions, in_east + in_west


def join(n: Any, side: Any, rows: Any, where: Any, starts: Any, words: Any) -> Any:
    """All halves of a side that hold these rows: each northern quarter with each southern one on the other columns."""
    south_first = uint64(n // 2)
    north_rows = rows & ((uint64(1) << south_first) - uint64(1))
    north_at = where[2 * side, north_rows]
    south_at = where[2 * side + 1, rows >> south_first]
    sets = choose((n + 1 - side) // 2, ones(north_rows))
    room = 0
    for i in range(sets):
        north, south = north_at + i, south_at + sets - 1 - i
        room += (starts[north + 1] - starts[north]) * (starts[south + 1] - starts[south])
    halves = np.empty(room + 1, np.uint64)
    found = uint64(0)
    for i in range(sets):
        north, south = north_at + i, south_at + sets - 1 - i
        if starts[north + 1] - starts[north] > starts[south + 1] - starts[south]:
            north, south = south, north
        begin, end = uint64(starts[south]), uint64(starts[south + 1])
        for first in range(uint64(starts[north]), uint64(starts[north + 1])):
            mask = words[first]
            for second in range(begin, end):
                other = words[second]
                halves[found] = mask | other
                found += uint64((mask & other) == uint64(0))
    return halves, found


def sort(halves: Any, found: Any, keys: Any) -> Any:
    """Sort halves by the long diagonals they hold, then by their key diagonals; return where each kind begins."""
    kinds = uint64(8) << keys
    mask = kinds - uint64(1)
    begins = np.zeros(kinds + uint64(1), np.uint64)
    places = np.zeros(kinds, np.uint64)
    for i in range(found):
        places[halves[i] & mask] += uint64(1)
    for kind in range(kinds):
        begins[kind + uint64(1)] = begins[kind] + places[kind]
        places[kind] = begins[kind]
    ordered = np.empty(found + uint64(LANES), np.uint64)  # blocks may be read beyond the end
    for i in range(found):
        half = halves[i]
        kind = half & mask
        ordered[places[kind]] = half
        places[kind] += uint64(1)
    return ordered, begins


def meet(n: Any, keys: Any, east: Any, begin: Any, end: Any, west: Any, kinds: Any, weights: Any) -> Any:
    """The weighted number of fitting pairs, of east halves from begin to end and west halves by their arms.

    Bit-sliced: a block has a lane for each of 512 east halves. For each of CHUNKS pieces of a mask a table tells, by
    what a west half has there, which lanes have none of it.

    kinds: where each kind of west half begins, see `sort`; weights: by the kind's arms and centre.
    """
    one, words = uint64(1), uint64(WORDS)
    low = keys + uint64(4)  # the first bit looked up
    width = (uint64(2 * max(n, 4)) - low + uint64(CHUNKS - 1)) // uint64(CHUNKS)
    size = words << width
    table = np.zeros(uint64(CHUNKS) * size + uint64(64 + 2) * words, np.uint64)
    at = uint64(0) - (uint64(table.ctypes.data) >> uint64(3)) & uint64(WORDS - 1)  # blocks on cache lines
    planes = at + uint64(CHUNKS) * size
    alive = planes + uint64(64) * words
    count = uint64(0)
    while begin < end:
        lanes = min(end - begin, uint64(LANES))
        for i in range(uint64(64)):
            store(table, planes + words * i, load(east, begin + words * i))
        transpose(table, planes)
        for i in range(words):
            here = (lanes + words - one - i) // words
            table[alive + i] = ~uint64(0) if here == uint64(64) else (one << here) - one
        for chunk in range(uint64(1), uint64(CHUNKS)):
            fill_table(table, at + chunk * size, planes, low + chunk * width, width, fill(~uint64(0)))
        for key in range(one << keys):
            open_lanes = load(table, alive)
            for bit in range(keys):
                if key >> bit & one:
                    open_lanes = but_not(open_lanes, load(table, planes + words * (bit ^ one)))
            if total(add_counts(fill(uint64(0)), open_lanes)) == uint64(0):
                continue
            fill_table(table, at, planes, low, width, open_lanes)
            for kind in range(uint64(8)):
                if weights[kind]:
                    first, last = kinds[kind << keys | key], kinds[(kind << keys | key) + one]
                    count += weights[kind] * count_fits(west, first, last, table, at, low, width)
        begin += uint64(LANES)
    return count


def transpose(rows: Any, at: Any) -> Any:
    """Turn eight 64 x 64 squares of bits, lying side by side, about their diagonals."""
    step, mask = uint64(32), uint64(0xFFFFFFFF)
    while step:
        low = fill(mask)
        for i in range(uint64(32)):
            # The i-th row number without the bit of the step.
            upper = at + uint64(WORDS) * ((i & ~(step - uint64(1))) << uint64(1) | i & (step - uint64(1)))
            lower = upper + uint64(WORDS) * step
            first, second = load(rows, upper), load(rows, lower)
            change = both(differ(down(first, step), second), low)
            store(rows, lower, differ(second, change))
            store(rows, upper, differ(first, up(change, step)))
        step >>= uint64(1)
        mask ^= mask << step


def fill_table(table: Any, at: Any, planes: Any, bit: Any, width: Any, lanes: Any) -> Any:
    """table[value]: the lanes that have none of the diagonals in value, out of the diagonals from bit on."""
    store(table, at, lanes)
    for i in range(width):
        plane = load(table, planes + uint64(WORDS) * ((bit + i) ^ uint64(1)))
        size = uint64(WORDS) << i
        for value in range(uint64(0), size, uint64(WORDS)):
            store(table, at + size + value, but_not(load(table, at + value), plane))


def count_fits(west: Any, begin: Any, end: Any, table: Any, at: Any, low: Any, width: Any) -> Any:
    """How often a half of the west from begin to end fits a half in the lanes."""
    size = uint64(WORDS) << width
    mask = size - uint64(WORDS)
    at1, at2, at3, at4 = at + size, at + size * uint64(2), at + size * uint64(3), at + size * uint64(4)
    low1, low2, low3, low4 = low + width, low + width * uint64(2), low + width * uint64(3), low + width * uint64(4)
    sums = fill(uint64(0))
    for i in range(begin, end):
        half = west[i] * uint64(WORDS)  # shifted, so that each piece of it is a place in the table
        fits = load(table, at + (half >> low & mask))
        fits = both(fits, load(table, at1 + (half >> low1 & mask)))
        fits = both(fits, load(table, at2 + (half >> low2 & mask)))
        fits = both(fits, load(table, at3 + (half >> low3 & mask)))
        fits = both(fits, load(table, at4 + (half >> low4 & mask)))
        sums = add_counts(sums, fits)
    return total(sums)
