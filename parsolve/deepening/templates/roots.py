"""Search many roots in one call: a template that `CompiledRules` specialises for a puzzle's rules.

A small search takes less time than Python takes to begin it. So the roots of many such searches are handed over at
once; one that turns out to be large is left, for an engine that splits it.

`search` and `has_cost` are injected.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.marks import injected
from parsolve.deepening.templates.run import DONE, FULL, PAUSED
from parsolve.problem.templates.injected import has_cost
from parsolve.search.cuts import NEXT, NOTHING

ROOT = np.dtype(
    [
        ("first", "i8"),  # the place in `limits` of the first limit
        ("end", "i8"),  # the place after that of the last
        # Written.
        ("status", "i8"),  # DONE; else the search is not finished, whatever the reason
        ("nodes", "i8"),  # in all of its iterations
        ("found", "i8"),  # solutions of the last one
        ("iterations", "i8"),  # how many are finished
        ("stored", "i8"),  # how many of the listed paths are its
    ]
)
"""The search of one root."""

ITERATION = np.dtype([("limit", "i8"), ("nodes", "i8"), ("found", "i8")])
"""A finished iteration."""


class RootSearches(NamedTuple):
    """The roots of a call."""

    states: np.ndarray[Any, Any]  # record[n]
    searches: np.ndarray[Any, Any]  # ROOT[n]
    limits: np.ndarray[Any, Any]  # int64[any]: the limits to try, rising from the first of a root to its last
    iterations: np.ndarray[Any, Any]  # ITERATION[any]: written, those of all roots, one after the other
    budget: int  # the nodes after which no more roots are begun, and a root is left


search: Callable[..., Any] = injected("search")


def search_roots(tables: Any, rows: Any, stack: Any, runs: Any, paths: Any, memo: Any, roots: Any) -> Any:
    """Deepen roots one after the other, each until a limit is productive or its whole tree is searched.

    Args:
        tables, rows, stack, runs, paths, memo: see `search`; what `runs` asks besides limit and budget is given.
        roots: `RootSearches`.

    Returns:
        How many roots were searched: less than n if the budget is spent, or the iterations or paths have no room.
    """
    states, searches, limits, iterations, budget = roots
    nexts, ends = stack
    run = runs[0]
    spent, number = 0, 0
    run.stored = 0
    for place in range(states.size):
        root = searches[place]
        if spent >= budget or number + root.end - root.first > iterations.size:
            return place
        begun, stored, nodes, status = number, run.stored, 0, PAUSED
        for at in range(root.first, root.end):
            rows[0] = states[place]
            nexts[0], ends[0] = np.uint64(0), np.uint64(1)
            run.depth, run.nodes, run.found, run.cut = np.uint64(0), 0, 0, NOTHING if has_cost else NEXT
            run.limit, run.budget = limits[at], budget - nodes
            status = search(tables, rows, stack, runs, paths, memo)
            nodes += run.nodes
            if status == PAUSED and run.found >= run.enough:
                status = DONE
            if status != DONE:
                break
            iteration = iterations[number]
            iteration.limit, iteration.nodes, iteration.found = limits[at], run.nodes, run.found
            number += 1
            if run.found > 0 or run.cut == NOTHING or not has_cost:
                break
            status = PAUSED  # unless there is another limit, and it ends there
        spent += nodes
        if status != DONE:
            run.stored = stored
            if status == FULL and stored > 0:  # it may have room in an empty buffer
                return place
        root.status, root.nodes, root.found = status, nodes, run.found
        root.iterations, root.stored = number - begun, run.stored - stored
    return states.size
