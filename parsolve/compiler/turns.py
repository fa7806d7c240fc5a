"""Let one process compile a kernel while others that need it wait."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from parsolve.system.cachefolder import DRAFT

PATIENCE = 60.0
"""Seconds to wait for another process, which may be stopped: then the kernel is compiled twice, which does no harm."""

PAUSE = 0.02


@contextlib.contextmanager
def turn(kernel: Path | None) -> Iterator[bool]:
    """Take the turn to compile a kernel in the body; yield whether another process had it until now.

    The lock is on a file beside the kernel's. Within a process, numba makes threads wait for each other. POSIX locks
    end with their process, work on network file systems, and stay with the parent of a forked process. If the file
    system has no locks, no process waits.

    Args:
        kernel: its file in the cache; None if it is not kept.
    """
    handle, waited = -1, False
    lock = kernel.with_name(f"{DRAFT}{kernel.name}.lock") if kernel else Path()  # deleted when old, like a draft
    with contextlib.suppress(OSError):
        if kernel:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            waited = _lock(handle)
    try:
        yield waited
    finally:
        if handle >= 0:
            with contextlib.suppress(OSError):
                lock.unlink()
            os.close(handle)


def _lock(handle: int) -> bool:
    """Lock a file; return whether that took some time.

    Raises:
        OSError: the file system has no locks.
    """
    begin = time.monotonic()
    waited = False
    while time.monotonic() < begin + PATIENCE:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return waited
        except (BlockingIOError, PermissionError):  # POSIX allows either
            waited = True
            time.sleep(PAUSE)
    return waited
