"""Pairs of halves without a common diagonal, counted 512 at a time, or one by one if they are few."""

from typing import Any

import numpy as np
from numpy import uint64

from parsolve.compiler.rows import empty, zeros
from parsolve.puzzles.queens.quadrants.lanes import LANES, WORDS, add_counts, any_lane, fill, load, store, total
from parsolve.puzzles.queens.quadrants.quarters import LONG, SHORT

GROUPS = 3
"""Halves without a long diagonal, with one, with both."""

CHUNKS = 5  # pieces of a mask, each looked up in a table of its own
ROWS = 64  # of a square of bits
DEEPEST = 32  # more than the keys
FEW = 32 * LANES  # halves: the lanes of their blocks share hardly any key
SINGLY = 1 << 10  # pairs that are compared faster than a block is made


def pieces_of(n: Any, first: Any) -> Any:
    """Return the beginnings and numbers of bits of the pieces of a mask, if keys begin at the bit `first`: uint64."""
    low = min(uint64(SHORT + 4 - 2 * n), first)
    return low, (first - low + uint64(CHUNKS - 1)) // uint64(CHUNKS)


def empty_table(n: Any, first: Any) -> Any:
    """Return room for the lookup tables, the planes of a block and its open lanes by depth, uint64[...]."""
    blocks = (uint64(CHUNKS) << pieces_of(n, first)[1]) + uint64(ROWS + DEEPEST + 1)
    return empty(blocks * uint64(WORDS), np.uint64)


def count_pairs(
    n: Any,
    keys: Any,
    first: Any,
    table: Any,
    one: Any,
    one_kinds: Any,
    group: Any,
    other: Any,
    other_kinds: Any,
    weights: Any,
) -> Any:
    """Return the weighted number of fitting pairs of one side's group and the other side's groups.

    The longer list goes into blocks, if it is long: the longer, the more keys the lanes of a block have in common.
    """
    begin, end = one_kinds[group << keys], one_kinds[(group + uint64(1)) << keys]
    size = uint64(0)
    for i in range(uint64(GROUPS)):
        if weights[i]:
            size += other_kinds[(i + uint64(1)) << keys] - other_kinds[i << keys]
    if (end - begin) * size <= uint64(SINGLY):
        return compare(keys, one[begin:end], other, other_kinds, weights)
    whole = end - begin >= size or size < uint64(FEW)
    blocks, others, kinds, weight = one, other, other_kinds, weights
    if not whole:  # group by group of the other side
        blocks, others, kinds, weight = other, one, one_kinds[group << keys :], zeros(GROUPS, np.uint64)
    count = uint64(0)
    for i in range(uint64(1) if whole else uint64(GROUPS)):
        if not whole:
            weight[0] = weights[i]
            begin, end = other_kinds[i << keys], other_kinds[(i + uint64(1)) << keys]
        if whole or weights[i]:
            count += meet(n, keys, first, table, blocks, begin, end, others, kinds, weight)
    return count


def compare(keys: Any, one: Any, other: Any, other_kinds: Any, weights: Any) -> Any:
    """Return the weighted number of fitting pairs of some halves and the other side's groups, pair by pair."""
    even, short = uint64(0x5555_5555_5555_5555), (uint64(1) << uint64(LONG)) - uint64(1)
    count = uint64(0)
    for i in range(uint64(GROUPS)):
        if weights[i]:
            others = other[other_kinds[i << keys] : other_kinds[(i + uint64(1)) << keys]]
            for half in one:
                met = ((half & even) << uint64(1) | half >> uint64(1) & even) & short  # as seen from the other side
                fits = uint64(0)
                for each in others:
                    fits += uint64(met & each == uint64(0))
                count += weights[i] * fits
    return count


def meet(
    n: Any, keys: Any, first: Any, table: Any, east: Any, begin: Any, end: Any, west: Any, kinds: Any, weights: Any
) -> Any:
    """Return the weighted number of fitting pairs, of east halves from begin to end and west halves by their groups.

    Bit-sliced: a block has a lane for each of 512 east halves. For each of CHUNKS pieces of a mask, a table gives the
    lanes without any diagonal of the west half's piece. The east halves are sorted by their keys, so that the lanes of
    a block share most of these: the tree of the west's keys is searched only where a lane is still open.

    kinds: where each kind of west half begins, see `sort`; weights: by the group. East and west may change places.
    """
    one, words = uint64(1), uint64(WORDS)
    low, width = pieces_of(n, first)
    size = words << width
    at = uint64(0) - (uint64(table.ctypes.data) >> uint64(3)) & uint64(WORDS - 1)  # blocks on cache lines
    planes = at + uint64(CHUNKS) * size
    alive = planes + uint64(ROWS) * words  # the lanes open by depth in the tree of keys
    zero = fill(uint64(0))
    none, single, double = zero, zero, zero  # by the long diagonals in the west
    group = one << keys
    below = zeros(group + one, np.uint64)  # the number of counted halves of the west with a smaller key
    for i in range(uint64(GROUPS)):
        if weights[i]:
            for each in range(group):
                below[each + one] += kinds[i * group + each + one] - kinds[i * group]
    while begin < end:
        lanes = min(end - begin, uint64(LANES))
        for i in range(uint64(ROWS)):
            store(table, planes + words * i, load(east, begin + words * i))
        transpose(table, planes)
        for i in range(words):
            here = (lanes + words - one - i) // words
            table[alive + i] = ~uint64(0) if here == uint64(64) else (one << here) - one
        for chunk in range(uint64(CHUNKS)):
            fill_table(table, at + chunk * size, planes, low + chunk * width, width)
        key, depth = uint64(0), uint64(0)
        while True:
            lanes_open = load(table, alive + words * depth)
            is_open = below[key + (group >> depth)] > below[key] and any_lane(lanes_open)
            if is_open and depth < keys:
                # Down, without the bit first.
                depth += one
                store(table, alive + words * depth, lanes_open)
                continue
            if is_open:
                if weights[0]:
                    none = count_fits(west, kinds[key], kinds[key + one], table, at, low, width, lanes_open, none)
                if weights[1]:
                    kind = key + group
                    single = count_fits(west, kinds[kind], kinds[kind + one], table, at, low, width, lanes_open, single)
                if weights[2]:
                    kind = key + uint64(2) * group
                    double = count_fits(west, kinds[kind], kinds[kind + one], table, at, low, width, lanes_open, double)
            # To the next: the deepest bit that is not set yet.
            while depth > uint64(0) and key >> (keys - depth) & one:
                key ^= one << (keys - depth)
                depth -= one
            if depth == uint64(0):
                break
            bit = keys - depth
            key |= one << bit
            before = load(table, alive + words * (depth - one))
            plane = load(table, planes + words * ((first + bit) ^ one))
            store(table, alive + words * depth, before & ~plane)
        begin += uint64(LANES)
    return weights[0] * total(none) + weights[1] * total(single) + weights[2] * total(double)


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
            change = (first >> step ^ second) & low
            store(rows, lower, second ^ change)
            store(rows, upper, first ^ change << step)
        step >>= uint64(1)
        mask ^= mask << step


def fill_table(table: Any, at: Any, planes: Any, bit: Any, width: Any) -> Any:
    """Store table[value]: the lanes that have none of the diagonals in value, out of the diagonals from bit on."""
    store(table, at, fill(~uint64(0)))
    for i in range(width):
        plane = load(table, planes + uint64(WORDS) * ((bit + i) ^ uint64(1)))
        size = uint64(WORDS) << i
        for value in range(uint64(0), size, uint64(WORDS)):
            store(table, at + size + value, load(table, at + value) & ~plane)


def count_fits(
    west: Any, begin: Any, end: Any, table: Any, at: Any, low: Any, width: Any, lanes: Any, sums: Any
) -> Any:
    """Return the sums and how often a half of the west from begin to end fits a half in the lanes."""
    size = uint64(WORDS) << width
    mask = size - uint64(WORDS)
    at1, at2, at3, at4 = at + size, at + size * uint64(2), at + size * uint64(3), at + size * uint64(4)
    low1, low2, low3, low4 = low + width, low + width * uint64(2), low + width * uint64(3), low + width * uint64(4)
    for i in range(begin, end):
        half = west[i] * uint64(WORDS)  # shifted, so that each piece of it is a place in the table
        fits = lanes & load(table, at + (half >> low & mask))
        fits = fits & load(table, at1 + (half >> low1 & mask))
        fits = fits & load(table, at2 + (half >> low2 & mask))
        fits = fits & load(table, at3 + (half >> low3 & mask))
        fits = fits & load(table, at4 + (half >> low4 & mask))
        sums = add_counts(sums, fits)
    return sums
