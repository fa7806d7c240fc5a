"""Let one process compile a kernel while the others that want it too wait for it."""

import contextlib
import fcntl
import os
import threading
import time
from pathlib import Path

from parsolve.system.cachefolder import DRAFT

PATIENCE = 60.0
"""Seconds to wait for another process, which may be stopped: then the kernel is compiled twice, which does no harm."""

PAUSE = 0.02


class Turns(threading.local):
    """The kernels that this thread compiles now, each with a lock on a file beside it: one compiles what another needs.

    In a process, numba has the threads wait for each other. The locks are POSIX's: they end with their process, work on
    network file systems and stay with the parent of a forked process. Where there are none, nobody waits.
    """

    def __init__(self) -> None:
        self._locks: list[tuple[int, Path]] = []

    def begin(self, kernel: Path | None) -> bool:
        """Take the turn to compile a kernel; return whether another process had it until now.

        Args:
            kernel: its file in the cache; None where it is not kept.
        """
        handle, waited = -1, False
        lock = kernel.with_name(f"{DRAFT}{kernel.name}.lock") if kernel else Path()  # deleted as an old draft is
        try:
            if kernel:
                handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                waited = _lock(handle)
        except OSError:
            pass
        self._locks.append((handle, lock))
        return waited

    def end(self) -> None:
        """Give the last turn away."""
        handle, lock = self._locks.pop()
        if handle >= 0:
            with contextlib.suppress(OSError):
                lock.unlink()
            os.close(handle)

    def clear(self) -> None:
        """Give all turns away: what was to be compiled has failed."""
        while self._locks:
            self.end()


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


turns = Turns()
