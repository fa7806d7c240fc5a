"""Calls of rules that may never return.

A rule as plain Python runs on a budget of lines, for all callers of `check`. The budget cannot end a call into C that
never returns, nor a compiled rule. For these each call has a deadline, which the command line's supervisor watches; a
caller of the library must do that himself.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from parsolve.check.standins import Misuse
from parsolve.system.activity import current as activity
from parsolve.system.activity import doing

LINES = 2_000_000
"""Lines of Python that one call of a rule may run: about a second. A rule that needs more is too slow for a search."""

SECONDS = 5
"""The deadline of one call."""

ENTRIES, MOST_TIMES = 20_000, 20
"""A rule may read each entry of its tables: it gets its lines and seconds again for each `ENTRIES` of them, up to
`MOST_TIMES` times in all."""

ALL_LINES = 10_000_000
"""Lines of Python after which no further call of a puzzle's rules begins: about 20 seconds for all calls together."""

METHOD_SECONDS = 60
"""The deadline of a call of a puzzle's other methods."""


def on_time(what: str, function: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """Return what a function returns; under the command line, a call that takes too long ends the process with a
    message that names it.

    Args:
        what: the name of the call, such as `'expand' of Walk`.
        function: called without arguments.
        seconds: how long it may take.
    """
    with doing(what):
        activity.allow(seconds, f"no return within {seconds:g} s")
        try:
            return function()
        finally:
            activity.allow(None)


def on_budget(name: str, function: Callable[[], Any], lines: int) -> tuple[Any, int]:
    """Return a function's result, and the number of lines of Python that it ran, without those of the stand-ins.

    Raises:
        Misuse: it runs more than `lines`, in the rule of that name.
    """
    left = lines

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        left -= event == "line"
        if left < 0:
            place = f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}"
            raise Misuse(f"{name!r} does not return: {lines:,} lines of Python and no end ({place})", "endless")
        return count

    def enter(frame: FrameType, _event: str, _: Any) -> Any:
        return None if frame.f_code.co_filename.startswith(_OWN) else count

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        return function(), lines - left
    finally:
        sys.settrace(before)


_OWN = str(Path(__file__).parent)
