"""Count the solutions of the n queens puzzle that a turn of the board leaves unchanged.

Given these numbers, the solutions that differ under all eight symmetries number (all + half turn + 2 * quarter turn) /
8 for n > 1: no solution is its own mirror image, so only the turns count in Burnside's lemma.
"""

from typing import Any

import numpy as np
from numpy import uint64

from parsolve.compiler.bits import trailing_zeros
from parsolve.compiler.rows import zeros


def count_turned(n: Any, quarter: Any) -> Any:
    """Return the number of solutions unchanged by half a turn (OEIS A032522), or by a quarter turn (A033148).

    Place whole orbits of the turn, each time with a queen in the outermost free row at the top.
    All queens placed are unchanged by the turn, so one queen of an orbit is attacked exactly if each is. The queens of
    one orbit attack each other exactly if they are on a long diagonal. `taken` holds the columns; a quarter turn takes
    the same rows.
    """
    one, end = uint64(1), uint64(n - 1)
    every = (one << uint64(n)) - one
    depths = n + 1
    free, taken, rows = zeros(depths, np.uint64), zeros(depths, np.uint64), zeros(depths, np.uint64)
    rising, falling = zeros(depths, np.uint64), zeros(depths, np.uint64)
    # The queens of an orbit are off the long diagonals; on an odd board the centre is an orbit by itself.
    rising[0] = falling[0] = one << end
    taken[0] = one << (end >> one) if n % 2 else uint64(0)
    queens, size = n // 2 * 2, 4 if quarter else 2
    if queens % size:
        return uint64(0)
    if queens == 0:
        return one
    last = queens // size - 1
    free[0] = every & ~(taken[0] | rising[0] | falling[0] >> end)
    count = uint64(0)
    depth = 0
    while depth >= 0:
        queen = free[depth] & (uint64(0) - free[depth])
        if not queen:
            depth -= 1
            continue
        free[depth] ^= queen
        if depth == last:
            count += one
            continue
        row, column = rows[depth], uint64(trailing_zeros(queen))
        taken_now = taken[depth] | queen | one << (end - column)
        # Diagonals by row + column, and by column - row + n - 1.
        rise = rising[depth] | one << (row + column) | one << (end + end - row - column)
        fall = falling[depth] | one << (end + column - row) | one << (end + row - column)
        if quarter:
            taken_now |= one << row | one << (end - row)
            rise |= one << (column + end - row) | one << (end - column + row)
            fall |= one << (end + end - row - column) | one << (row + column)
        depth += 1
        row = uint64(trailing_zeros(~taken_now)) if quarter else row + one
        rows[depth], taken[depth], rising[depth], falling[depth] = row, taken_now, rise, fall
        free[depth] = every & ~(taken_now | rise >> row | fall >> (end - row))
    return count
