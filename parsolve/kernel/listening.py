"""Tell who listens which kernel is compiled, and how long that takes, as the kernels in the cache took."""

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
"""How many kernels are asked how long they took to compile, at most."""

HEAD = 1 << 14
"""Bytes that a kernel's file is read of: more than its checksum and head have."""


class CompilationListener(Protocol):
    """Is told of each kernel that is compiled; see `search.watch.Listener`."""

    def compilation_started(self, template: str, seconds: float | None) -> None: ...
    def compilation_ended(self) -> None: ...


_listener: ContextVar[CompilationListener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def telling(listener: CompilationListener) -> Iterator[None]:
    """Tell a listener of each kernel that this thread compiles in the body."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextlib.contextmanager
def told(template: str, file: Path | None) -> Iterator[None]:
    """Tell the present listener that a kernel is compiled in the body.

    Args:
        template: the name of its template.
        file: where it is to be kept; None for nowhere.
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
    """Return the median of the seconds that kernels of a template took to compile; None where none is kept.

    Args:
        template: its name.
        file: of one of them: the others lie beside it.
    """
    taken = []
    alike = file.parent.glob(f"{template}-{'[0-9a-f]' * 32}.kernel")
    for other in itertools.islice(alike, ASKED):
        # Whatever a file holds: this is a guess, and only who loads a kernel must say what is wrong with it.
        with contextlib.suppress(Exception), open_own(other, use=False) as handle:
            taken.append(float(json.loads(os.read(handle, HEAD).split(b"\n")[1])["seconds"]))
    return sorted(taken)[len(taken) // 2] if taken else None  # `statistics` takes long to import
