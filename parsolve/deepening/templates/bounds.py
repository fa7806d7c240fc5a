"""Look for wrong costs and bounds near a solution: templates that `CompiledRules` specialises for a puzzle's rules.

A lower bound that is too high hides solutions, and a wrong cost or count then looks right. So near the end of some
solutions the search is repeated by cost alone, as long as that takes few nodes. On the path to them no cost may fall.

`expand_far`, `solved`, `bound_too_high` and `bounded` are injected.
"""

from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE, TWO
from parsolve.compiler.marks import injected, never_inline
from parsolve.deepening.templates.run import FALLS, SEARCHING, TOO_HIGH
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand_far, solved

MOST_NEAR = np.uint64(1024)
"""The most states to visit below a state of the path."""

OFTEN = 1 << 9
"""Costs and lower bounds are looked at for the last time after this many solutions."""

bounded: bool = injected("bounded")


def doubtful(tables: Any, rows: Any, nexts: Any, run: Any, depth: Any, first: Any, cost: Any) -> Any:
    """Return FALLS or TOO_HIGH if a cost or a bound near a solution is wrong, else SEARCHING; set after how many
    solutions to look again: at growing intervals.

    Args:
        tables, rows, nexts, depth, first, cost: see `bound_too_high`.
        run: RUN.
    """
    never_inline()
    run.doubt = run.found + 1 + run.doubts
    run.doubts = 2 * run.doubts if run.doubts < OFTEN else 0
    after = np.int64(cost)
    for level in range(np.int64(depth) - 1, -1, -1):
        before = np.int64(rows[nexts[level] - ONE].cost)
        if before > after:
            return FALLS
        after = before
    if bounded and bound_too_high(tables, rows, nexts, depth, first, cost):
        return TOO_HIGH
    return SEARCHING


def bound_too_high(tables: Any, rows: Any, nexts: Any, depth: Any, first: Any, cost: Any) -> Any:
    """Return whether a state near a solution has a bound that exceeds its distance from a solved state.

    Args:
        tables: the puzzle's lookups.
        rows: record[first + MOST_NEAR + the rows of one expansion, or more]; overwritten from `first` on.
        nexts: uint64[depth + 2 + MOST_NEAR or more]: the stack, down to the level `depth`, whose current row is solved;
            overwritten from `depth + 2` on.
        first: uint64: the first free row.
        cost: cost of the solution.
    """
    never_inline()
    level, free = depth, depth + TWO
    while level > 0:
        level -= ONE
        start = nexts[level] - ONE
        at, top = start, first
        while True:
            here = rows[at]
            if solved(tables, here):
                row = at
                while row != start:
                    if np.int64(rows[row].cost) + np.int64(rows[row].bound) > np.int64(here.cost):
                        return True
                    row = nexts[free + row - first]
                if np.int64(rows[start].cost) + np.int64(rows[start].bound) > np.int64(here.cost):
                    return True
            else:
                end = np.uint64(expand_far(tables, here, NO_LIMIT, rows, np.int64(top)))
                if end > first + MOST_NEAR:
                    return False
                for child in range(top, end):
                    if here.cost <= rows[child].cost <= cost:  # a cost that falls has overflowed
                        if child != top:
                            rows[top] = rows[child]
                        nexts[free + top - first] = at
                        top += ONE
            at = first if at == start else at + ONE
            if at == top:
                break
    return False
