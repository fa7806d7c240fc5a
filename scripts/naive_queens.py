"""N queens as a user would count them, mirrored: `python scripts/naive_queens.py 12 2` is n = 12 by two processes."""

import itertools
import multiprocessing
import sys
import time

import numba


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def count(full: int, rows: int, rising: int, falling: int) -> int:
    if rows == full:
        return 1
    total, free = 0, full & ~(rows | rising | falling)
    while free:
        queen = free & -free
        free ^= queen
        total += count(full, rows | queen, (rising | queen) << 1, (falling | queen) >> 1)
    return total


def begun(n: int, first: int, second: int) -> int:
    if abs(first - second) < 2 or (2 * first + 1 == n and second > first):
        return 0
    one, two = 1 << first, 1 << second
    return 2 * int(count((1 << n) - 1, one | two, (one << 1 | two) << 1, (one >> 1 | two) >> 1))


if __name__ == "__main__":
    n, processes = map(int, sys.argv[1:])
    pairs = [(n, first, second) for first in range((n + 1) // 2) for second in range(n)]
    with multiprocessing.Pool(processes) as pool:
        each = itertools.starmap if processes == 1 else pool.starmap
        for _ in range(25):  # the first compiles, or loads what is kept
            began = time.perf_counter()
            found = sum(each(begun, pairs))
            print(n, found, f"{time.perf_counter() - began:.6f} s")
