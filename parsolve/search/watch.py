"""Watches and listeners: reports of a search, and conditions that end it early.

Each method of a listener is named after an event; a listener overrides the methods of its events. It only listens: the
`check` of its `Watch` ends a search.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from parsolve.errors import GuardStop
from parsolve.puzzle.core import EngineName
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result

Cancel = threading.Event | Callable[[], bool]


class Listener:
    """Receives the events of a search, on the thread that called `solve`, and ignores them."""

    def search_started(self, result: Result) -> None:
        """The search has been validated and prepares itself; `result` is filled while it runs."""

    def warning_given(self, text: str) -> None:
        """A message for the user: the search will take days, or continues without its transposition table."""

    def compilation_started(self, template: str) -> None:
        """A kernel is not in the cache and is compiled, perhaps on another thread."""

    def table_progress_made(self, what: str, progress: Progress) -> None:
        """The table of an abstraction is not in the cache folder and is built; called after each level."""

    def table_built(self, what: str, seconds: float) -> None:
        """A table is ready."""

    def bound_changed(self, text: str) -> None:
        """The search continues with another lower bound; the text says which, and why."""

    def engine_chosen(self, engine: EngineName, text: str) -> None:
        """The search continues with this engine, or begins again; the text says why."""

    def iteration_started(self, limit: int) -> None:
        """An iteration has started, with this limit on the cost."""

    def progress_made(self, progress: Progress) -> None:
        """Nodes have been visited, or time has passed; called several times a second."""

    def solution_found(self, moves: tuple[int, ...]) -> None:
        """The next solution in depth-first order is known: all earlier branches are done."""

    def iteration_finished(self, iteration: Iteration) -> None:
        """An iteration has been searched to its end."""

    def search_resumed(self, share: float) -> None:
        """The search continues an earlier run, with this share of the iteration finished."""

    def search_paused(self, why: str) -> None:
        """The search cannot continue before the user acts, for example makes room on a full disk."""

    def worker_lost(self, why: str) -> None:
        """A worker was lost; its branches are searched again."""


class Listeners(Listener):
    """Passes all events on to several listeners."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = listeners


def _forwarding(name: str) -> Callable[..., None]:
    def tell(self: Listeners, *arguments: Any) -> None:
        for listener in self._listeners:
            getattr(listener, name)(*arguments)

    return tell


for _name, _method in vars(Listener).items():
    if callable(_method):
        setattr(Listeners, _name, _forwarding(_name))


@dataclass(frozen=True)
class Watch:
    """Reports of a search or other long work, and the conditions that end it.

    Attributes:
        listener: receives the events.
        check: called between outcomes and several times a second; any exception it raises ends the work.
        max_memory: bytes that this process may hold; by default what it has and most of the free memory. Never more
            than its control groups leave.
        on_solution: called with the moves of each solution as it becomes known, in depth-first order; None to keep them
            in the result.
    """

    listener: Listener = Listener()  # noqa: RUF009 (it has no state)
    check: Callable[[], None] = lambda: None
    max_memory: int | None = None
    on_solution: Callable[[tuple[int, ...]], None] | None = None


UNWATCHED = Watch()
"""A watch that reports nothing, and ends nothing."""


def stop_conditions(timeout: float | None, cancel: Cancel | None) -> Callable[[], None]:
    """Return what raises GuardStop once the time is up, from now on, or the caller has cancelled."""
    end = time.monotonic() + (timeout or 0.0)

    def check() -> None:
        if timeout is not None and time.monotonic() > end:
            raise GuardStop(f"the time is up: timeout {timeout:g} s")
        if is_set(cancel):
            raise GuardStop("cancelled")

    return check


def is_set(cancel: Cancel | None) -> bool:
    """Return whether a search is to be cancelled, by a function or an event, also one of multiprocessing or asyncio."""
    return cancel is not None and bool(cancel() if callable(cancel) else cancel.is_set())
