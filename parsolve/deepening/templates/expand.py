"""Expand many states, each once: a template that `CompiledRules` specialises for a puzzle's rules.

`expand_far` and `solved` are injected.
"""

from typing import Any

import numpy as np

from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand_far, solved

NEXT, TOP = range(2)
"""Where an expansion stands: the next state, and the end of the rows."""

SOLVED = -1
"""Instead of a number of children: the state is solved, and is not expanded."""


def expand_rows(tables: Any, rows: Any, room: Any, counts: Any, at: Any) -> Any:
    """Write the children of the first rows, until all are expanded or the room is used up; return how many are.

    Args:
        tables: the puzzle's lookups.
        rows: record[rows]: the states, then their children.
        room: the last row from which children may be written.
        counts: int64[states], written: the number of each state's children, or SOLVED.
        at: int64[2], updated: NEXT and TOP.
    """
    place, top = at[NEXT], at[TOP]
    while place < counts.size and top <= room:
        here = rows[place]
        if solved(tables, here):
            counts[place] = SOLVED
        else:
            end = np.int64(expand_far(tables, here, NO_LIMIT, rows, np.int64(top)))
            counts[place] = end - top
            top = end
        place += 1
    at[NEXT], at[TOP] = place, top
    return place
