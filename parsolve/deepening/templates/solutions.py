"""Count solved rows in a run of the depth-first walk, and write their paths. These functions call no rules."""

from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE
from parsolve.compiler.keys import words_of
from parsolve.compiler.marks import inlined
from parsolve.deepening.templates.run import FULL, NO_ROOM, PAUSED, SEARCHING, TOO_MANY

MANY = 1 << 62
"""The most solutions that a run counts, unless one row alone stands for more; the caller adds up any number of runs."""


def take_solution(rows: Any, nexts: Any, run: Any, depth: Any, at: Any, paths: Any) -> Any:
    """Count a solved row, and write its path if solutions are listed; return the status of the run.

    Args:
        rows, nexts, paths: see `search`.
        run: RUN.
        depth, at: level of the row, and the row after it.
    """
    if paths.shape[1] > 0:
        if run.stored == paths.shape[0]:
            return FULL
        if np.int64(depth) >= paths.shape[1]:
            return NO_ROOM
        paths[run.stored, 0] = depth
        nexts[depth] = at
        for level in range(1, np.int64(depth) + 1):
            paths[run.stored, level] = rows[nexts[level] - ONE].move
        run.stored += 1
    run.found += 1
    return PAUSED if run.found >= run.enough else SEARCHING


def take_weight(run: Any, weight: Any) -> Any:
    """Count what a solved state stands for; return the status of the run.

    Args:
        run: RUN.
        weight: what the rule `weight` returned: the numbers of solutions and nodes.
    """
    # `words_of` takes only whole numbers.
    solutions, nodes = np.int64(words_of(weight[0])[0]), np.int64(words_of(weight[1])[0])
    if solutions < 0 or not 0 <= nodes < MANY:
        return TOO_MANY
    if not add_solutions(run, solutions):
        return FULL
    run.nodes += nodes
    return PAUSED if run.nodes >= run.budget or run.found >= run.enough else SEARCHING


@inlined
def add_solutions(run: Any, number: Any) -> Any:
    """Count solutions; return False, and count none, if that is too many for one run."""
    if run.found > 0 and number > MANY - run.found:
        return False
    run.found += number
    return True
