"""Small subtrees counted breadth-first, as a template that `specialise` compiles for a puzzle's rules.

The walk over levels (`search`) waits: for each row until the one before is written, and after each branch that the
processor predicts wrongly. In a queue the next rows are there long before their turn, so that it works on several at
once: 1.5 times the nodes a second. But a queue has no path, no order and nowhere to pause. So it counts whole subtrees
that need none of these, and leaves all others to the walk.

`expand` and `solved` are injected by `specialise`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

LARGEST = 4096
"""Nodes of a subtree at most: measured on 15-puzzles; the queue, 64 kB there, fits a processor's second cache."""

ONE = np.uint64(1)

expand: Callable[..., Any]
solved: Callable[..., Any]


def count_subtree(
    tables: Any, rows: Any, first: Any, last: Any, limit: Any, largest: Any, children: Any, listing: Any
) -> Any:
    """Count the nodes and solutions of the subtrees of some rows, these included.

    Args:
        tables: the puzzle's.
        rows: record[at least first + largest, and what one expansion writes]; overwritten from `last` on.
        first, last: uint64: the rows are `rows[first:last]`.
        limit: the limit on cost + bound.
        largest: uint64: how many nodes there may be.
        children: uint64: how many children a state may have.
        listing: whether solutions are listed.

    Returns:
        Nodes and solutions. The solutions are -1 where the walk must search instead: there are more nodes, a solution
        to list, one that costs less than the limit, or a state with more children. Then the nodes were visited in vain.
    """
    at, top, found = first, last, 0
    end = first + largest
    while at < top:
        # Rows further on in the queue are known here: what their rules will look up in large tables can be prefetched.
        here = rows[at]
        at += ONE
        if solved(tables, here):
            if listing or here.cost != limit:
                return np.int64(at - first), -1
            found += 1
            continue
        new = np.uint64(expand(tables, here, limit, rows, np.int64(top)))
        if new > end or new - top > children:
            return np.int64(at - first), -1
        top = new
    return np.int64(at - first), found
