"""A process's requests to the system: to end with its parent, to have a name, to ignore signals."""

import contextlib
import ctypes
import functools
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
"""From <linux/prctl.h>."""

IGNORED = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach all processes of a terminal, a service or a SLURM job: the pool's own process decides."""


def die_with_parent(parent: int) -> None:
    """Ask the system to kill this process when its parent ends (Linux), and end at once if it has ended already.

    The end of the connection also shows that, but not while a task holds the interpreter lock. The system watches the
    thread that started this process.
    """
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def set_process_name(name: str) -> None:
    """Let `ps` and `pgrep` show this process under a name of at most 15 bytes (Linux)."""
    _prctl(PR_SET_NAME, name.encode())


def ignored_signals() -> list[signal.Signals]:
    return [signal.Signals[name] for name in IGNORED]


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Block the signals that workers ignore: a process started meanwhile inherits that until it ignores them itself."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ignored_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@functools.cache
def _system() -> Any:
    """The C library. Loaded once: forked processes inherit it, which saves each a third of a millisecond."""
    return ctypes.CDLL(None)


def _prctl(option: int, value: int | bytes) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            _system().prctl(option, value)
