"""Processes that end with the one that started them."""

import contextlib
import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
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
