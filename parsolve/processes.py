"""Processes that end with the one that started them, and processes that may be forked."""

import contextlib
import ctypes
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
"""From <linux/prctl.h>."""


def die_with(parent: int) -> None:
    """Have the system kill this process when its parent ends (Linux), and end at once if it has ended already.

    The end of a connection tells as well, but not while a puzzle's code holds the interpreter's lock. The system goes
    by the thread that started this process.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def set_name(name: str) -> None:
    """Let `ps` and `pgrep` show this process under a name of at most 15 bytes (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


HARMLESS = frozenset({"signals"})
"""Threads that hold no lock while they wait: the command line's, which waits for signals."""

_own = False


def own_process() -> None:
    """Declare that nobody but parsolve runs in this process: it may be forked."""
    global _own
    _own = True


def owns_process() -> bool:
    """Return whether nobody but parsolve runs in this process."""
    return _own


def may_fork() -> bool:
    """Return whether a copy of this process can go on where this one stands: another thread might hold a lock that the
    copy waits for, and only a command line knows what threads there are. Not on macOS, whose frameworks do not allow
    it."""
    others = {thread.name for thread in threading.enumerate() if thread is not threading.main_thread()}
    return (
        _own
        and sys.platform == "linux"
        and threading.current_thread() is threading.main_thread()
        and others <= HARMLESS
    )
