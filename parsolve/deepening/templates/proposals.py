"""Expand in two steps, for rules that look large tables up: templates that `Rules` specialises for a puzzle's rules.

`propose` writes children and begins to load what they need of the tables, `admit` reads it and says which children
stay. In between, other rows are expanded, so that nobody waits for the memory.

`propose`, `admit` and `solved` are injected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.marks import injected, never_inline
from parsolve.deepening.templates.subtree import NOT_HERE, SPARSE, TOO_LARGE

AHEAD = np.uint64(32)
"""How many children are proposed, if there are enough, before the first of them is admitted. 16 and 64 were no better
on 15-puzzles by patterns of 7 and 8 tiles."""

ONE = np.uint64(1)

propose: Callable[..., Any] = injected("propose")
admit: Callable[..., Any] = injected("admit")
solved: Callable[..., Any] = injected("solved")


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
    """Do as `subtree.count_subtree` does, several rows at a time: their children are proposed behind the queue, and
    those that are admitted move up.

    Args:
        rows: record[first + largest + AHEAD, plus the rows of one expansion, or more].
        tables, first, last, limit, passed, largest, stack, free, listing: see there.

    Returns:
        See there.
    """
    never_inline()
    tops, solutions = stack
    at, top, found = first, last, 0
    end = first + largest
    while at < top:
        begin, each, behind = at, top, top  # rows[begin:at] have proposed rows[each:behind]
        while at < each and behind - each < AHEAD:
            here = rows[at]
            if solved(tables, here):
                if here.cost > passed:
                    if here.cost != limit or (listing and SPARSE * (found + 1) > np.int64(at - first)):
                        return np.int64(at - first), NOT_HERE
                    if listing:
                        solutions[free + np.uint64(found)] = at
                    found += 1
            else:
                behind = np.uint64(propose(tables, here, limit, rows, np.int64(behind)))
            tops[free + at - first] = behind
            at += ONE
        for parent in range(begin, at):
            stop = tops[free + parent - first]
            while each < stop:
                if admit(tables, rows[each], limit):
                    if each != top:
                        rows[top] = rows[each]
                    top += ONE
                each += ONE
            tops[free + parent - first] = top
        if top > end:
            return np.int64(at - first), TOO_LARGE
    return np.int64(at - first), found
