"""Tell a listener which kernel is being compiled."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Protocol


class CompilationListener(Protocol):
    """Receives each kernel that is compiled; see `search.watch.Listener`."""

    def compilation_started(self, template: str) -> None: ...


_listener: ContextVar[CompilationListener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def reporting_to(listener: CompilationListener) -> Iterator[None]:
    """Tell a listener of each kernel that this thread compiles in the body."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_compilation(template: str) -> None:
    """Tell the present listener that a kernel of a template is compiled."""
    listener = _listener.get()
    if listener is not None:
        listener.compilation_started(template)
