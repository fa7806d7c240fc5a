"""What callers hand over besides a puzzle and a request: checked, and heeded by the search."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from parsolve.errors import GuardStop
from parsolve.executors.adapter import Adapter
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import Listener
from parsolve.text import shown

REFRESH = 0.2
"""Seconds between two calls of `progress` at one limit."""

Cancel = threading.Event | Callable[[], bool]
Shown = Literal[True] | Callable[[Progress], None]

TAKEN: dict[str, tuple[Callable[[Any], bool], str]] = {
    "journal": (lambda value: isinstance(value, str | Path), "a file's path"),
    "name": (lambda value: isinstance(value, str), "a text"),
    "progress": (lambda value: isinstance(value, bool) or callable(value), "True or a function"),
    "cancel": (lambda value: callable(value) or hasattr(value, "is_set"), "an event or a function"),
    "on_solution": (callable, "a function"),
    "listener": (lambda value: isinstance(value, Listener), "a parsolve.Listener"),
    "executor": (lambda value: isinstance(value, Adapter) or hasattr(value, "submit"), "an executor"),
}
"""What each argument is: what recognizes it, and in words."""


def require(function: str, takes: type, options: Mapping[str, Any], **given: Any) -> None:
    """Require that a function takes these options, and what else it is given.

    Raises:
        TypeError: it does not.
    """
    known = {*takes.__annotations__, *given}
    for name in options.keys() - known:
        raise TypeError(f"{function} takes no {name}: it takes {', '.join(sorted(known))}")
    for name, value in given.items():
        is_right, wanted = TAKEN[name]
        if value is not None and not is_right(value):
            raise TypeError(f"{name} is {wanted}, not {shown(value)}")


def stop_conditions(timeout: float | None, cancel: Cancel | None) -> Callable[[], None]:
    """Return what raises GuardStop once the time is up, from now on, or the caller has cancelled."""
    end = time.monotonic() + (timeout or 0.0)

    def check() -> None:
        if timeout is not None and time.monotonic() > end:
            raise GuardStop(f"the time is up: timeout {timeout:g} s")
        if is_set(cancel):
            raise GuardStop("cancelled")

    return check


class Begun(Listener):
    """Has the result that a search fills, however it ends."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def search_started(self, result: Result) -> None:
        self.result = result


class Calls(Listener):
    """Calls a function with the progress: at each limit, and several times a second."""

    def __init__(self, function: Callable[[Progress], None]) -> None:
        self._function, self._next, self._limit = function, 0.0, -1

    def progress_made(self, progress: Progress) -> None:
        now = time.monotonic()
        if now >= self._next or progress.limit != self._limit:
            self._next, self._limit = now + REFRESH, progress.limit
            self._function(progress)


@contextlib.contextmanager
def bar() -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar on stderr, or in a notebook: the share of the running iteration."""
    from tqdm.auto import tqdm  # tqdm chooses between the two once

    form = "{desc}|{bar}| {percentage:3.0f}% {elapsed} {postfix}"
    with contextlib.closing(tqdm(total=1.0, leave=False, bar_format=form)) as drawn:

        def show(progress: Progress) -> None:
            drawn.n = progress.share
            drawn.set_description_str(f"limit {progress.limit}", refresh=False)
            drawn.set_postfix_str(f"{progress.nodes:,} nodes, {progress.found:,} solutions", refresh=False)
            drawn.update(0)

        yield show


def is_set(cancel: Cancel | None) -> bool:
    """Return whether a search is to be cancelled."""
    if cancel is None:
        return False
    return bool(cancel()) if callable(cancel) else cancel.is_set()  # also of multiprocessing and asyncio
