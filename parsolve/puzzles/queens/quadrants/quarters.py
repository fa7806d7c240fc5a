"""Quarters of a board: the placements of queens on each, as masks of the diagonals that cross the middle line."""

from typing import Any

import numpy as np
from numpy import int64, uint64

from parsolve.compiler.bits import bit_count, trailing_zeros
from parsolve.compiler.rows import empty, zeros
from parsolve.puzzles.queens.quadrants.lanes import WORDS

SHORT = 52
"""The number of bits in a mask for the diagonals other than the board's long ones, enough for 28 queens."""

LONG = 56
"""The first of the bits of the long diagonals, two of them, in a mask."""

SHARED = 6
"""Maximum number of diagonals that a half must hold by which its quarters are listed."""

MEETING = 1 << 58  # marks the one diagonal on which only quarters of one half meet
BARRED = 1 << 63  # marks squares that queens of the east need not use, by symmetry


def queen_bits(n: int) -> np.ndarray[Any, Any]:
    """Return bits[side, row, column], uint64[2, n, n - n // 2]: the lines occupied by a queen.

    Columns are counted from the middle line; sides are east and west. The other half is attacked only along diagonals
    that cross the middle line. The bits below `SHORT` are these except the board's two long ones, the most central in
    the highest bits; the long ones come from `LONG` on, both if the centre of the board is held, then `MEETING`. Bits
    2i and 2i + 1 change places between the sides: an even board then has the same bits on both, being its own mirror
    image.
    """
    bits = np.zeros((2, n, n - n // 2), np.uint64)
    places = places_of_diagonals(n, False), places_of_diagonals(n, True)
    for side, row, column in np.ndindex(bits.shape):
        word = MEETING if row == column else 0
        for kind in range(2):  # falling and rising diagonals, as seen from the middle line to the east
            gap = row + column if kind == side else row - column - 1
            if 0 <= gap < n - 1:
                word |= 1 << (places[kind][gap] ^ side)
        if side == 0 and n % 2:
            if column == 0 and row == n // 2:
                word |= 3 << LONG
            elif word >> LONG & 3:
                word |= BARRED
        bits[side, row, column] = word
    return bits


def places_of_diagonals(n: int, rising: bool) -> dict[int, int]:
    """Return the bits of the east's diagonals by the gap between rows in which they cross the middle line."""
    long = n // 2 - 1 if rising or n % 2 == 0 else n // 2  # where the board's long diagonal crosses
    others = sorted((gap for gap in range(n - 1) if gap != long), key=lambda gap: (abs(gap - long), gap))
    return {long: LONG + rising} | {gap: SHORT - 2 - 2 * place + rising for place, gap in enumerate(others)}


def choose(members: Any, size: Any) -> Any:
    """Return the number of subsets of some size."""
    sets: Any = 1
    for i in range(int64(size)):  # signed and unsigned would mix to floating point
        sets = sets * (int64(members) - i) // (i + 1)
    return sets


def ranks_of_sets(width: int) -> np.ndarray[Any, Any]:
    """Return for each set of columns the number of smaller sets with equally many members, int64[2^width]."""
    ranks, seen = np.empty(1 << width, np.int64), [0] * (width + 1)
    for columns in range(1 << width):
        size = columns.bit_count()
        ranks[columns] = seen[size]
        seen[size] += 1
    return ranks


def columns_of(n: Any, quarter: Any) -> Any:
    """Return the number of columns of a quarter: 0 and 1 are the east's, 2 and 3 the west's."""
    return (n + 1 - quarter // 2) // 2


def shares_of(held: Any) -> Any:
    """Return the number of shares into which the placements on the same columns are divided, see `share_of`."""
    return uint64(1) << min(uint64(bit_count(held)), uint64(SHARED))


def share_of(mask: Any, held: Any) -> Any:
    """Return which of the lowest SHARED diagonals in `held` a placement holds: a number with a bit for each."""
    share, bit = uint64(0), uint64(0)
    while held and bit < uint64(SHARED):
        share |= (mask >> uint64(trailing_zeros(held)) & uint64(1)) << bit
        held &= held - uint64(1)
        bit += uint64(1)
    return share


def list_quarter(
    bits: Any,
    quarter: Any,
    n: Any,
    rows: Any,
    columns: Any,
    barred: Any,
    held: Any,
    ranks: Any,
    places: Any,
    words: Any,
) -> Any:
    """Place a queen in each row of a quarter; count the placements by column set in places, or, given words, list them.

    quarter: 0 and 1 are the north and the south of the east, 2 and 3 of the west; rows: bits of the quarter's rows;
    columns: bits of the open columns; barred: the lines that no queen may occupy, see `queen_bits`; held: the diagonals
    that the half must hold; ranks: see `ranks_of_sets`; places: int64[column sets * shares], by rank and share.
    """
    listing, shares = words.size > 0, uint64(shares_of(held))
    if not rows:
        if listing:
            words[places[0]] = uint64(0)
        places[0] += 1
        return
    side, first, width = quarter // 2, quarter % 2 * (n // 2), bits.shape[2]
    row = empty(33, np.uint64)
    free, open_ = empty(33, np.uint64), zeros(33, np.uint64)
    masks, held_there = empty(32 * width, np.uint64), empty(32 * width, np.uint64)  # by depth and column
    depth = 0
    for i in range(32):
        if rows >> i & 1:
            row[depth] = i
            for column in range(width):
                mask = bits[side, first + i, column]
                masks[depth * width + column] = mask
                held_there[depth * width + column] = share_of(mask, held)
                open_[depth] |= uint64(mask & barred == uint64(0)) << uint64(column)
            open_[depth] &= columns
            depth += 1
    last = depth - 1
    taken, falling, rising = zeros(33, np.uint64), zeros(33, np.uint64), zeros(33, np.uint64)
    word, share = zeros(33, np.uint64), zeros(33, np.uint64)
    depth = 0
    free[0] = open_[0]
    while depth >= 0:
        left, squares = free[depth], uint64(depth * width)
        if depth == last:
            now, mask, part = taken[depth], word[depth], share[depth]
            while left:
                square = squares + uint64(trailing_zeros(left))
                place = uint64(ranks[now | left & (uint64(0) - left)]) * shares + (part | held_there[square])
                if listing:
                    words[uint64(places[place])] = mask | masks[square]
                places[place] += 1
                left &= left - uint64(1)
            depth -= 1
            continue
        if not left:
            depth -= 1
            continue
        queen = left & (uint64(0) - left)
        free[depth] = left ^ queen
        square = squares + uint64(trailing_zeros(left))
        gap = row[depth + 1] - row[depth]
        falls = (falling[depth] | queen) >> gap
        rises = (rising[depth] | queen) << gap
        now = taken[depth] | queen
        mask = word[depth] | masks[square]
        part = share[depth] | held_there[square]
        depth += 1
        taken[depth], word[depth], share[depth] = now, mask, part
        falling[depth], rising[depth] = falls, rises
        free[depth] = open_[depth] & ~(now | falls | rises)


def list_quarters(n: Any, bits: Any, ranks: Any, quarters: Any, rows: Any, barred: Any, held: Any) -> Any:
    """List the placements of several row sets; `quarters`, `rows`, `barred` and `held` are as in `list_quarter`, one
    for each list.

    Returns:
        where: int64[lists], starts: int64[...], words: uint64[WORDS more than placements]: the placements of list i
        begin at starts[where[i] + rank of the column set * shares + share] in words. A list of more rows than columns
        has where[i] = -1.
    """
    where = np.full(rows.size, -1)
    size = 0
    for i in range(rows.size):
        width, queens = columns_of(n, quarters[i]), bit_count(rows[i])
        if queens <= width:
            where[i] = size
            size += choose(width, queens) * int64(shares_of(held[i])) + 1
    places, starts = zeros(size, np.int64), zeros(size, np.int64)
    words = empty(0, np.uint64)
    for listing in range(2):  # count the placements, then list them
        for i in range(rows.size):
            if where[i] >= 0:
                columns = (uint64(1) << uint64(columns_of(n, quarters[i]))) - uint64(1)
                at = places[where[i] :]
                list_quarter(bits, quarters[i], n, rows[i], columns, barred[i], held[i], ranks, at, words)
        if not listing:
            begin = 0
            for i in range(size):
                starts[i] = begin
                begin += places[i]
                places[i] = starts[i]
            words = zeros(begin + WORDS, np.uint64)
    return where, starts, words


def list_all_quarters(n: Any, bits: Any, ranks: Any) -> Any:
    """List every row set of the four quarters: where, int64[4, row sets], starts and words as of `list_quarters`.

    On an even board the quarters of the west are those of the east.
    """
    different, north, row_sets = 2 if n % 2 == 0 else 4, 1 << (n // 2), 1 << (n - n // 2)
    size = different // 2 * (north + row_sets)
    quarters, rows = empty(size, np.int64), empty(size, np.uint64)
    i = 0
    for quarter in range(different):
        for each in range(row_sets if quarter % 2 else north):
            quarters[i], rows[i] = quarter, each
            i += 1
    barred, held = np.full(size, uint64(BARRED)), zeros(size, np.uint64)
    listed, starts, words = list_quarters(n, bits, ranks, quarters, rows, barred, held)
    where = np.full((4, row_sets), -1)
    for i in range(size):
        for quarter in range(quarters[i], 4, different):
            where[quarter, rows[i]] = listed[i]
    return where, starts, words
