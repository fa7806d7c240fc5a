"""Whether this process may be forked."""

import sys
import threading

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
