"""The time that a thread waits for kernels, and what listens and may end the waiting meanwhile."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class KernelTime(threading.local):
    """How long this thread has loaded and compiled kernels, which no search counts as its own time.

    Attributes:
        total: seconds so far.
    """

    def __init__(self) -> None:
        self._depth, self._begin = 0, 0.0
        self.total = 0.0

    @property
    def clock(self) -> float:
        """A time in seconds that stands still meanwhile."""
        return (self._begin if self._depth else time.perf_counter()) - self.total

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time of the body, which makes a kernel ready; calls may be nested."""
        if not self._depth:
            self._begin = time.perf_counter()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.total += time.perf_counter() - self._begin


kernel_time = KernelTime()

compilation_started: ContextVar[Callable[[str], None]] = ContextVar("started", default=lambda template: None)
"""Called with the template of each kernel that this thread begins to compile."""

compiling_check: ContextVar[Callable[[], None]] = ContextVar("compiling_check", default=lambda: None)
"""Called several times a second while this thread waits for a kernel; any exception it raises ends the waiting."""


@contextlib.contextmanager
def reporting_to(started: Callable[[str], None], check: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Call a function with the template of each kernel that is compiled for this thread in the body, which `check` may
    end."""
    tokens = compilation_started.set(started), compiling_check.set(check)
    try:
        yield
    finally:
        compilation_started.reset(tokens[0])
        compiling_check.reset(tokens[1])
