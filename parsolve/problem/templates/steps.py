"""The rule `expand` for templates: made from `propose` and `admit` if a puzzle gives these, and not inlined.

`propose`, `admit` and `expand` are injected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.marks import injected, never_inline

propose: Callable[..., Any] = injected("propose")
admit: Callable[..., Any] = injected("admit")


def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
    """Like `Puzzle.expand`, by `propose` and `admit`."""
    end = propose(tables, here, limit, rows, top)
    for each in range(top, end):
        if admit(tables, rows[each], limit):
            if each != top:
                rows[top] = rows[each]
            top += 1
    return top


def expand_far(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
    """Call `expand` with the same arguments: for callers that would gain nothing from inlining it."""
    never_inline()
    # int64, so that `expand` is not compiled again for a constant limit.
    return expand(tables, here, np.int64(limit), rows, top)
