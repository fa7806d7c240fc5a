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
from numba import types
from numba.extending import intrinsic

LARGEST = 4096
"""Nodes of a subtree at most: measured on 15-puzzles; the queue, 64 kB there, fits a processor's second cache."""

TOO_LARGE, NOT_HERE = -1, -2
"""Instead of the solutions, where the walk must search."""

ONE = np.uint64(1)

expand: Callable[..., Any]
solved: Callable[..., Any]


@intrinsic
def on_its_own(typing: Any) -> Any:
    """Keep LLVM from inlining the function that this stands in: so its loop has all registers, and its caller's too."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


def count_subtree(tables: Any, rows: Any, first: Any, last: Any, limit: Any, largest: Any, listing: Any) -> Any:
    """Count the nodes and solutions of the subtrees of some rows, these included.

    Args:
        tables: the puzzle's.
        rows: record[at least first + largest, and what one expansion writes]; overwritten from `last` on.
        first, last: uint64: the rows are `rows[first:last]`, at most `largest`.
        limit: the limit on cost + bound.
        largest: uint64: how many nodes there may be.
        listing: whether solutions are listed.

    Returns:
        Nodes and solutions. Where the walk must search instead the nodes were visited in vain, and the solutions are
        TOO_LARGE: there are more nodes; or NOT_HERE: a solution is to be listed, or costs less than the limit.
    """
    on_its_own()
    at, top, found = first, last, 0
    end = first + largest
    while at < top:
        # Rows further on in the queue are known here: what their rules will look up in large tables can be prefetched.
        here = rows[at]
        at += ONE
        if solved(tables, here):
            if listing or here.cost != limit:
                return np.int64(at - first), NOT_HERE
            found += 1
            continue
        top = np.uint64(expand(tables, here, limit, rows, np.int64(top)))
        if top > end:
            return np.int64(at - first), TOO_LARGE
    return np.int64(at - first), found
