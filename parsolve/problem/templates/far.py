"""The rule `expand` for templates, not inlined. `expand` is injected."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.marks import injected, never_inline

expand: Callable[..., Any] = injected("expand")


def expand_far(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
    """Call `expand` with the same arguments: for callers that would gain nothing from inlining it."""
    never_inline()
    # int64, so that `expand` is not compiled again for a constant limit.
    return expand(tables, here, np.int64(limit), rows, top)
