"""Tell a listener which kernel is being compiled, and how long that takes, to judge by the kernels in the cache."""

import contextlib
import itertools
import json
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol

from parsolve.system.cachefolder import open_own

ASKED = 50
"""The most kernels whose time to compile is read."""

HEAD = 1 << 14
"""How many bytes of a kernel's file are read: more than its checksum and head have."""


class CompilationListener(Protocol):
    """Receives each kernel that is compiled; see `search.watch.Listener`."""

    def compilation_started(self, template: str, seconds: float | None) -> None: ...
    def compilation_ended(self) -> None: ...


_listener: ContextVar[CompilationListener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def reporting_to(listener: CompilationListener) -> Iterator[None]:
    """Tell a listener of each kernel that this thread compiles in the body."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextlib.contextmanager
def reported(template: str, file: Path | None) -> Iterator[None]:
    """Tell the present listener that a kernel is compiled in the body.

    Args:
        template: name of its template.
        file: where it will be kept; None if it is not kept.
    """
    listener = _listener.get()
    if listener is None:
        yield
        return
    listener.compilation_started(template, usual_seconds(template, file) if file else None)
    try:
        yield
    finally:
        listener.compilation_ended()


def usual_seconds(template: str, file: Path) -> float | None:
    """Return the median of the seconds that kernels of a template took to compile; None if none is kept.

    Args:
        template: its name.
        file: the file of one of them; the others are in the same folder.
    """
    taken = []
    alike = file.parent.glob(f"{template}-{'[0-9a-f]' * 32}.kernel")
    for other in itertools.islice(alike, ASKED):
        # An unreadable file is skipped: this is a guess, and what loads a kernel says what is wrong with it.
        with contextlib.suppress(Exception), open_own(other, use=False) as handle:
            taken.append(float(json.loads(os.read(handle, HEAD).split(b"\n")[1])["seconds"]))
    return sorted(taken)[len(taken) // 2] if taken else None  # `statistics` takes long to import
