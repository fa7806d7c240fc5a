"""Expand many states, each once: a template that `Rules` specialises for a puzzle's rules.

`expand_far`, `solved`, `watch` and `jump` are injected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.marks import injected, inlined
from parsolve.problem.states import NO_LIMIT

NEXT, TOP, CUT = range(3)
"""Where an expansion stands: the next state, the end of the rows, and `Outcome.cut`."""

SOLVED = -1
"""Instead of a number of children: the state is solved, and is not expanded."""

expand_far: Callable[..., Any] = injected("expand_far")
solved: Callable[..., Any] = injected("solved")
watch: bool = injected("watch")
jump: bool = injected("jump")


def expand_rows(tables: Any, rows: Any, limit: Any, room: Any, counts: Any, at: Any) -> Any:
    """Write the children of the first rows, until all are expanded or the room is used up; return how many are.

    Args:
        tables: the puzzle's lookups.
        rows: record[rows]: the states, then their children.
        limit: limit of the iteration.
        room: the last row from which children may be written.
        counts: int64[states], written: the number of each state's children, or SOLVED.
        at: int64[3], updated: NEXT, TOP and CUT.
    """
    place, top, cut = at[NEXT], at[TOP], at[CUT]
    while place < counts.size and top <= room:
        here = rows[place]
        if solved(tables, here):
            counts[place] = SOLVED
        else:
            end = np.int64(expand_far(tables, here, NO_LIMIT if jump else limit, rows, np.int64(top)))
            if jump:
                end, cut = within(rows, np.int64(top), end, limit, cut)
            elif watch and cut == 0:
                every = np.int64(expand_far(tables, here, NO_LIMIT, rows, np.int64(end))) - end
                cut = np.int64(every > end - top)
            counts[place] = end - top
            top = end
        place += 1
    at[NEXT], at[TOP], at[CUT] = place, top, cut
    return place


@inlined
def within(rows: Any, begin: Any, end: Any, limit: Any, cut: Any) -> Any:
    """Keep those of some rows that meet a limit; return their end, and the least cost + bound that is cut off."""
    kept = begin
    for at in range(begin, end):
        row = rows[at]
        least = np.int64(row.cost) + np.int64(row.bound)
        if least <= limit:
            rows[kept] = row
            kept += 1
        elif cut == 0 or least < cut:
            cut = least
    return kept, cut
