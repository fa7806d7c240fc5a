"""Count small subtrees breadth-first: a template that `CompiledRules` specialises for a puzzle's rules.

The depth-first walk (`search`) waits for each row until the previous one is written, and after each branch that the
processor mispredicts. In a queue the next rows are written long before they are read, so that the processor works on
several at once: 1.5 times the nodes a second. But a queue cannot pause, and it knows paths and their order only
afterwards. So only whole subtrees are counted like this; those that are too large or too dense are left to the walk.

`expand` and `solved` are injected, and `expand_far` into other templates; `list_subtree` needs no rules.
"""

from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE, TWO
from parsolve.compiler.marks import inlined, never_inline
from parsolve.problem.templates.injected import expand, solved

LARGEST = 4096
"""The most nodes of a subtree, as measured on 15-puzzles: their queue is 64 kB, which fits a second-level cache."""

TOO_LARGE, NOT_HERE = -1, -2
"""Returned instead of the number of solutions if the walk must search the subtree."""

SPARSE = 128
"""The least number of nodes for each solution that is listed from a queue; the walk lists denser solutions faster."""

IN_VAIN = 128
"""Nodes to wait before the next try, for each node that `count_subtree` visited in vain."""

SMALLEST = 32
"""The most nodes of a subtree at the start: it grows with the search, so that a short one loses little."""

LEFTS = 32
"""Up to here it matters how far cost + bound is from the limit: this and the depth predict a subtree's size."""


def count_subtree(
    tables: Any,
    rows: Any,
    first: Any,
    last: Any,
    limit: Any,
    passed: Any,
    largest: Any,
    stack: Any,
    free: Any,
    listing: Any,
) -> Any:
    """Count the nodes and solutions of the subtrees of some rows, these included.

    Args:
        tables: the puzzle's lookups.
        rows: record[first + largest + the rows of one expansion, or more]; overwritten from `last` on.
        first, last: uint64: the rows are `rows[first:last]`, at most `largest`.
        limit: the limit on cost + bound.
        passed: solutions that cost no more than this end a path and are not counted.
        largest: uint64: the most nodes.
        stack: `Stack`, with `largest` places or more from `free` on, which are written for `list_subtree`: the tops,
            which are where the queue ended after each of its rows, and the solutions.
        free: uint64: the first of these places.
        listing: whether solutions are listed.

    Returns:
        The number of nodes and of solutions. If the walk must search instead, the nodes were visited in vain, and the
        second number is TOO_LARGE (there are more nodes) or NOT_HERE (the solutions to be listed are too dense, or one
        costs less than the limit and more than `passed`).
    """
    never_inline()
    tops, solutions = stack
    at, top, found = first, last, 0
    end = first + largest
    while at < top:
        here = rows[at]
        if solved(tables, here):
            if here.cost > passed:
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


@inlined
def most_nodes(run: Any, left: Any, depth: Any, block: Any) -> Any:
    """Return how many nodes the subtrees of a block may have to be counted breadth-first; 0 to leave them to the walk.

    Args:
        run: `run.RUN`.
        left: how far the parent's cost + bound is from the limit.
        depth: the parent's level.
        block: how many rows the block has.
    """
    most = SMALLEST + (run.earlier + run.nodes) // IN_VAIN
    if most > run.largest:
        most = run.largest
    # A run must be able to pause when its budget is spent.
    fits = block <= most and run.nodes + most < run.budget
    return most if fits and run.nodes >= run.resume and depth >= run.shallowest[clamped(left)] else 0


@inlined
def clamped(left: Any) -> Any:
    """Return the room left below the limit as a place in `shallowest`."""
    if left < 0:
        return 0
    return left if left < LEFTS else LEFTS - 1


def learn(run: Any, left: Any, depth: Any, most: Any, visited: Any, found: Any) -> Any:
    """Count what `count_subtree` has returned, and learn from it when to try it next; return whether it has succeeded.

    Args:
        run, left, depth: see `most_nodes`.
        most: the most nodes that were allowed.
        visited, found: the nodes and solutions.
    """
    place = clamped(left)
    if found >= 0:
        run.nodes += visited
        run.found += found
        if run.nodes >= run.calm and depth == run.shallowest[place] > 0:
            run.shallowest[place] -= 1
            run.calm = run.nodes + IN_VAIN * most
    elif found == TOO_LARGE:
        run.calm = run.nodes + IN_VAIN * visited
        for more in range(place, LEFTS):  # the more room, the larger the subtree
            if run.shallowest[more] <= depth:
                run.shallowest[more] = depth + 1
    else:
        run.resume = run.nodes + IN_VAIN * visited
    return found >= 0


def take_subtree(rows: Any, first: Any, last: Any, stack: Any, depth: Any, found: Any, paths: Any, run: Any) -> Any:
    """List the solutions of `count_subtree` if they are listed; return their number, or NOT_HERE.

    Args:
        rows, first, last, stack, depth, found, paths: see `list_subtree`.
        run: `run.RUN`.
    """
    if run.doubts > 0 and run.found + found >= run.doubt:
        return NOT_HERE
    if paths.shape[1] > 0:
        if not list_subtree(rows, first, last, stack, depth, found, paths, run.stored):
            return NOT_HERE
        run.stored += found
    return found


def list_subtree(rows: Any, first: Any, last: Any, stack: Any, depth: Any, found: Any, paths: Any, stored: Any) -> Any:
    """Write the paths of the solutions that `count_subtree` has found, in depth-first order.

    Args:
        rows, first, last: as `count_subtree` left them.
        stack: down to level `depth`, of whose current row these rows are the children; from `depth + 2` on, the tops
            and solutions of `count_subtree`.
        found: the number of solutions.
        paths: uint16[solutions, 1 + moves], the solution buffer.
        stored: the first row of it to write.

    Returns:
        False if the buffer has no room for the solutions, or for their moves.
    """
    never_inline()
    if stored + found > paths.shape[0]:
        return False
    nexts, ends = stack
    free, levels = depth + TWO, np.int64(depth)
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
            paths[place, level] = rows[row].move
            row = parent_of(row, first, nexts, free)
        paths[place, levels + 1] = rows[row].move
        for level in range(1, levels + 1):
            paths[place, level] = rows[nexts[level] - ONE].move
        # Sort by moves, which rise among siblings; no solution continues another.
        while place > stored and comes_before(paths, place, place - 1, levels + 1):
            for level in range(max(paths[place, 0], paths[place - 1, 0]) + 1):
                paths[place, level], paths[place - 1, level] = paths[place - 1, level], paths[place, level]
            place -= 1
    return True


def parent_of(row: Any, first: Any, tops: Any, free: Any) -> Any:
    """Return the parent of a row in a queue: the first row whose expansion ended after it."""
    low, high = np.uint64(0), row - first
    while low < high:
        middle = (low + high) >> ONE
        if tops[free + middle] > row:
            high = middle
        else:
            low = middle + ONE
    return first + low


def comes_before(paths: Any, one: Any, other: Any, level: Any) -> Any:
    """Return whether a path comes before another in depth-first order; they are equal before `level`."""
    while paths[one, level] == paths[other, level]:
        level += 1
    return paths[one, level] < paths[other, level]
