"""Few combinations instead of all, where each one starts processes."""

import itertools
from collections.abc import Sequence
from typing import Any


def pairs(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations of the factors' values in which each two values of two factors occur together.

    For any two factors and one value of each there is at least one combination with both. Nothing is said of three: a
    fault that needs three certain values at once may be missed. The same factors give the same combinations in the same
    order, some as many as the two longest factors have together, and each has a pair that no earlier one has.

    Args:
        factors: at least two, with at least one value each.
    """
    rows = list(itertools.product(*map(range, map(len, factors))))
    missing = {pair for row in rows for pair in _pairs_of(row)}
    chosen = []
    while missing:
        row = max(rows, key=lambda each: len(missing & _pairs_of(each)))  # the first of those with the most
        missing -= _pairs_of(row)
        chosen.append(tuple(values[which] for values, which in zip(factors, row, strict=True)))
    return chosen


def _pairs_of(row: tuple[int, ...]) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the pairs of factors, each with the number of its value."""
    return set(itertools.combinations(enumerate(row), 2))
