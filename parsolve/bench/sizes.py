"""Sizes of the board that take about as long as wanted."""

from collections.abc import Callable

LARGEST = 27
"""The greatest size whose number of solutions is known."""

SMALLEST = 8

TRIED = 0.1
"""Seconds of a count from which the next sizes are predicted: shorter ones tell little."""

GROWTH = 6.0
"""The least factor by which the next size takes longer, where two sizes have not told."""


def size_for(seconds: float, timed: Callable[[int], float]) -> int:
    """Return the size whose count is expected to take nearest to some seconds, by ratio.

    Args:
        seconds: the seconds that are wanted.
        timed: counts a size, and returns how long that takes.
    """
    n, before, took = SMALLEST, 0.0, timed(SMALLEST)
    while n < LARGEST and took < min(TRIED, seconds):
        n += 1
        before, took = took, timed(n)
    growth = max(GROWTH, took / before) if before else GROWTH
    if before * took > seconds**2:  # the size before is nearer
        return n - 1
    while n < LARGEST and took * growth**0.5 < seconds:
        n, took = n + 1, took * growth
    return n
