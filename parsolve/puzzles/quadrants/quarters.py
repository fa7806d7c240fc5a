"""Quarters of a board: the placements of queens on each, as masks of the diagonals that cross the middle line."""

from typing import Any

import numpy as np
from numba import int64, uint64

BARRED = 1 << 63  # marks squares that queens of the east need not use, by symmetry


def key_bits(n: Any) -> Any:
    """How many diagonals the halves are sorted by, an even number: more for longer lists."""
    return uint64(2) if n < 19 else uint64(4)


def queen_bits(n: int) -> np.ndarray:
    """bits[side, row, column]: what a queen occupies, columns counted from the middle line; sides are east and west.

    A half is met by the other half only along diagonals that cross the middle line. The lowest bits are the keys, the
    most central diagonals but for the board's two long ones; then the long ones, the centre of the board, and a
    diagonal that only quarters meet on; then the other diagonals. Bits 2i and 2i + 1 change places between the
    sides: an even board then has the same bits on both, as its sides are mirror images.
    """
    keys, gaps = int(key_bits(n)), range(n - 1)
    longs = (n - 1) // 2 if n % 2 == 0 else n // 2, n // 2 - 1  # the gaps between rows where the long ones cross
    places = []
    for kind, long in enumerate(longs):  # falling and rising diagonals, as seen from the middle line to the east
        others = sorted((gap for gap in gaps if gap != long), key=lambda gap: abs(gap - long))
        place = {gap: 2 * i + kind + (4 if 2 * i >= keys else 0) for i, gap in enumerate(others)}
        places.append(place | {long: keys + kind})
    bits = np.zeros((2, n, n - n // 2), np.uint64)
    for side, row, column in np.ndindex(bits.shape):
        word = 8 << keys if row == column else 0
        for kind, gap in enumerate((row - column - 1, row + column) if side else (row + column, row - column - 1)):
            if gap in gaps:
                word |= 1 << (places[kind][gap] ^ side)
        if side == 0 and n % 2:
            if column == 0 and row == n // 2:
                word |= 7 << keys
            elif word >> keys & 3:
                word |= BARRED
        bits[side, row, column] = word
    return bits


def ones(word: Any) -> Any:
    """The number of bits in a word."""
    count = uint64(0)
    while word:
        word &= word - uint64(1)
        count += uint64(1)
    return count


def choose(members: Any, size: Any) -> Any:
    """The number of sets of a size out of so many members."""
    sets = 1
    for i in range(int64(size)):  # signed and unsigned would mix to floating point
        sets = sets * (int64(members) - i) // (i + 1)
    return sets


def ranks_of_sets(width: Any) -> Any:
    """For each set of columns, how many smaller ones have as many members."""
    ranks = np.empty(1 << width, np.int64)
    seen = np.zeros(width + 1, np.int64)
    for columns in range(1 << width):
        size = ones(uint64(columns))
        ranks[columns] = seen[size]
        seen[size] += 1
    return ranks


def list_quarter(bits: Any, side: Any, first: Any, rows: Any, width: Any, ranks: Any, places: Any, words: Any) -> Any:
    """Place a queen in each row of a quarter; count the placements by column set in places, or, given words, list them.

    first: the board's row where the quarter begins; rows: bits of the quarter's rows.
    """
    listing = words.size > 0
    if not rows:
        if listing:
            words[places[0]] = uint64(0)
        places[0] += 1
        return
    one = uint64(1)
    free = np.empty(32, np.uint64)
    taken = np.zeros(33, np.uint64)
    falling = np.zeros(33, np.uint64)
    rising = np.zeros(33, np.uint64)
    word = np.zeros(33, np.uint64)
    row = np.empty(33, np.int64)
    every = (one << uint64(width)) - one
    depth = 0
    for i in range(32):
        if rows >> i & 1:
            row[depth] = i
            depth += 1
    last = depth - 1
    depth = 0
    free[0] = every
    while depth >= 0:
        if not free[depth]:
            depth -= 1
            continue
        queen = free[depth] & (uint64(0) - free[depth])
        free[depth] ^= queen
        columns = taken[depth] | queen
        mask = word[depth] | bits[side, first + row[depth], ones(queen - one)]
        if mask & uint64(BARRED):
            continue
        if depth == last:
            rank = ranks[columns]
            if listing:
                words[places[rank]] = mask
            places[rank] += 1
            continue
        gap = uint64(row[depth + 1] - row[depth])
        falls = (falling[depth] | queen) >> gap
        rises = (rising[depth] | queen) << gap
        depth += 1
        taken[depth] = columns
        word[depth] = mask
        falling[depth] = falls
        rising[depth] = rises
        free[depth] = every & ~(columns | falls | rises)


def list_quarters(n: Any, bits: Any, wanted: Any) -> Any:
    """List the placements of the wanted row sets of the four quarters (east: north, south; west: north, south).

    Those of a row set begin at starts[where[quarter, rows] + rank of the column set] in words. On an even board the
    quarters of the west are those of the east.
    """
    quarters = 2 if n % 2 == 0 else 4
    south, row_sets = n // 2, 1 << (n - n // 2)
    ranks = ranks_of_sets(n - n // 2)
    where = np.full((4, row_sets), -1)
    size = 0
    for quarter in range(quarters):
        width = (n + 1 - quarter // 2) // 2
        for rows in range(row_sets if quarter % 2 else 1 << south):
            queens = ones(uint64(rows))
            if wanted[quarter, rows] and queens <= width:
                where[quarter, rows] = size
                size += choose(width, queens) + 1
    places, starts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    words = np.empty(0, np.uint64)
    for listing in range(2):  # count the placements, then list them
        for quarter in range(quarters):
            side, first = quarter // 2, quarter % 2 * south
            width = (n + 1 - side) // 2
            for rows in range(row_sets):
                at = where[quarter, rows]
                if at >= 0:
                    list_quarter(bits, side, first, rows, width, ranks, places[at:], words)
        if not listing:
            begin = 0
            for i in range(size):
                starts[i] = begin
                begin += places[i]
                places[i] = starts[i]
            words = np.empty(begin, np.uint64)
    if quarters == 2:
        for rows in range(row_sets):
            where[2, rows], where[3, rows] = where[0, rows], where[1, rows]
    return where, starts, words


def list_some_quarters(n: Any, bits: Any, rows: Any, others: Any) -> Any:
    """The quarters for one row set and its complement."""
    high = n - n // 2
    wanted = np.zeros((4, 1 << high), np.bool_)
    south = uint64(n // 2)
    north = (uint64(1) << south) - uint64(1)
    west = 0 if n % 2 == 0 else 2
    wanted[0, rows & north] = True
    wanted[1, rows >> south] = True
    wanted[west, others & north] = True
    wanted[west + 1, others >> south] = True
    return list_quarters(n, bits, wanted)
