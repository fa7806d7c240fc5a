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
    rows = itertools.product(*map(range, map(len, factors)))
    open_ = {row: {*itertools.combinations(enumerate(row), 2)} for row in rows}  # each factor with its value's number
    chosen = []
    while open_:
        row = max(open_, key=lambda each: len(open_[each]))  # the first of those with the most
        taken = open_[row].copy()
        for each in open_.values():
            each -= taken
        open_ = {each: left for each, left in open_.items() if left}
        chosen.append(tuple(values[which] for values, which in zip(factors, row, strict=True)))
    return chosen
