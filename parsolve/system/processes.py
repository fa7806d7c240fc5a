"""Whether this process may be forked."""

import sys
import threading

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
