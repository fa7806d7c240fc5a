"""Whether this process may be forked."""

import os
import sys
import threading

HARMLESS = frozenset({"signals"})
"""Threads that hold no lock while they wait: the command line's, which waits for signals."""

_own = False


def claim_process() -> None:
    """Declare that only parsolve's code runs in this process: it may be forked."""
    global _own
    _own = True


def owns_process() -> bool:
    """Return whether only parsolve's code runs in this process, unless a test says how workers start."""
    return _own and "PARSOLVE_START_METHOD" not in os.environ


def may_fork() -> bool:
    """Return whether a fork of this process can continue safely: another thread might hold a lock for which the fork
    would wait, and only a command line knows its threads. False on macOS, whose frameworks forbid it."""
    main = threading.main_thread()
    others = {thread.name for thread in threading.enumerate() if thread is not main}
    is_alone = threading.current_thread() is main and others <= HARMLESS
    return owns_process() and sys.platform == "linux" and is_alone
