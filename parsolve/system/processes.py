"""Whether this process may be forked, and where it runs."""

import contextlib
import os
import socket
import sys
import threading
from pathlib import Path

HARMLESS = frozenset({"signals"})
"""Threads that hold no lock while they wait: the command line's, which waits for signals."""

_own = False


def own_process() -> None:
    """Declare that only parsolve's code runs in this process: it may be forked."""
    global _own
    _own = True


def owns_process() -> bool:
    """Return whether only parsolve's code runs in this process."""
    return _own


def may_fork() -> bool:
    """Return whether a fork of this process can continue safely: another thread might hold a lock for which the fork
    would wait, and only a command line knows its threads. False on macOS, whose frameworks forbid it."""
    others = {thread.name for thread in threading.enumerate() if thread is not threading.main_thread()}
    return (
        _own
        and sys.platform == "linux"
        and threading.current_thread() is threading.main_thread()
        and others <= HARMLESS
    )


def this_place() -> str:
    """Return where this process runs, in words: its number, its present core where the system says it, its machine."""
    core = ""
    with contextlib.suppress(OSError, IndexError):  # Linux alone has it: proc(5), the 39th field of stat
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        core = f" on core {fields[36]}"
    return f"process {os.getpid()}{core} of {socket.gethostname()}"
