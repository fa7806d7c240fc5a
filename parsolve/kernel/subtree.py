"""Small subtrees counted breadth-first, as a template that `specialise` compiles for a puzzle's rules.

The walk over levels (`search`) waits: for each row until the one before is written, and after each branch that the
processor predicts wrongly. In a queue the next rows are there long before their turn, so that it works on several at
once: 1.5 times the nodes a second. But it has nowhere to pause, and paths and order only afterwards, for few solutions.
So it counts whole subtrees, and leaves all that are too large or too dense to the walk.

`expand` and `solved` are injected by `specialise`; `list_subtree` needs neither and is compiled once for all puzzles.
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

SPARSE = 128
"""Nodes visited at least for each solution that is listed from a queue: where they are denser, the walk is faster."""

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


def count_subtree(
    tables: Any,
    rows: Any,
    first: Any,
    last: Any,
    limit: Any,
    largest: Any,
    tops: Any,
    solutions: Any,
    free: Any,
    listing: Any,
) -> Any:
    """Count the nodes and solutions of the subtrees of some rows, these included.

    Args:
        tables: the puzzle's.
        rows: record[at least first + largest, and what one expansion writes]; overwritten from `last` on.
        first, last: uint64: the rows are `rows[first:last]`, at most `largest`.
        limit: the limit on cost + bound.
        largest: uint64: how many nodes there may be.
        tops, solutions: uint64[at least free + largest]: what `list_subtree` needs, written from `free` on.
        listing: whether solutions are listed.

    Returns:
        Nodes and solutions. Where the walk must search instead the nodes were visited in vain, and the solutions are
        TOO_LARGE: there are more nodes; or NOT_HERE: solutions to be listed are too dense, or one costs less than the
        limit.
    """
    on_its_own()
    at, top, found = first, last, 0
    end = first + largest
    while at < top:
        # Rows further on in the queue are known here: what their rules will look up in large tables can be prefetched.
        here = rows[at]
        if solved(tables, here):
            if here.cost != limit or (listing and SPARSE * (found + 1) > np.int64(at - first)):
                return np.int64(at - first), NOT_HERE
            if listing:
                solutions[free + np.uint64(found)] = at
            found += 1
        else:
            top = np.uint64(expand(tables, here, limit, rows, np.int64(top)))
            if top > end:
                return np.int64(at - first), TOO_LARGE
        if listing:
            tops[free + at - first] = top
        at += ONE
    return np.int64(at - first), found


def list_subtree(
    moves: Any, first: Any, last: Any, nexts: Any, ends: Any, depth: Any, found: Any, paths: Any, stored: Any
) -> Any:
    """Write the paths of the solutions that `count_subtree` has found, in depth-first order.

    Args:
        moves, first, last: of the rows, as it left them.
        nexts, ends: uint64[...]: the stack down to level `depth`, whose current row these rows are the children of;
            from `depth + 2` on, the tops and the solutions that it wrote.
        found: how many solutions.
        paths: uint16[solutions, 1 + moves], the solution buffer.
        stored: its row where the first one is written.

    Returns:
        False if it has no room for as many, or for so many moves.
    """
    on_its_own()
    if stored + found > paths.shape[0]:
        return False
    free, levels = depth + ONE + ONE, np.int64(depth)
    for number in range(found):
        place = stored + number
        row, length = ends[free + np.uint64(number)], levels + 1
        while row >= last:
            row = parent_of(row, first, nexts, free)
            length += 1
        if length >= paths.shape[1]:
            return False
        paths[place, 0] = length
        row = ends[free + np.uint64(number)]
        for level in range(length, levels + 1, -1):
            paths[place, level] = moves[row]
            row = parent_of(row, first, nexts, free)
        paths[place, levels + 1] = moves[row]
        for level in range(1, levels + 1):
            paths[place, level] = moves[nexts[level] - ONE]
        # By their moves, which rise among siblings; no solution continues another.
        while place > stored and comes_before(paths, place, place - 1, levels + 1):
            for level in range(max(paths[place, 0], paths[place - 1, 0]) + 1):
                paths[place, level], paths[place - 1, level] = paths[place - 1, level], paths[place, level]
            place -= 1
    return True


def parent_of(row: Any, first: Any, tops: Any, free: Any) -> Any:
    """The row that a row of a queue is a child of: the first one whose expansion ended beyond it."""
    low, high = np.uint64(0), row - first
    while low < high:
        middle = (low + high) >> ONE
        if tops[free + middle] > row:
            high = middle
        else:
            low = middle + ONE
    return first + low


def comes_before(paths: Any, one: Any, other: Any, level: Any) -> Any:
    """Whether a path comes before another in depth-first order; they differ from `level` on at the earliest."""
    while paths[one, level] == paths[other, level]:
        level += 1
    return paths[one, level] < paths[other, level]
