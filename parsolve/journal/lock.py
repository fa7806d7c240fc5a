"""Who is using a journal: told by a lock of the operating system, which goes with its process however that ends."""

import contextlib
import fcntl
import os
import socket
import time
from pathlib import Path

from parsolve.errors import BadInput

PATIENCE = 0.2
"""Seconds to try: who only asks whether a journal is in use holds its lock for a moment."""


class Lock:
    """A lock on a journal, held by the process that made this object until it is released or the process ends. It is on
    a file beside the journal: SQLite has locks of its own on the journal itself.

    Args:
        journal: the journal's path.

    Raises:
        BadInput: another process holds it; says which. Or it cannot be made.
    """

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + ".lock")
        until = time.monotonic() + PATIENCE
        try:
            while (handle := self._taken()) is None:
                if time.monotonic() > until:
                    raise BadInput(f"{journal} is in use by {self._holder()}")
                time.sleep(0.01)
        except OSError as error:
            raise BadInput(f"the journal {journal} cannot be locked: {error.strerror}") from error
        self._handle = handle
        with contextlib.suppress(OSError):  # on a full disk nobody is told who holds it
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def _taken(self) -> int | None:
        """The locked file's handle; None if another process has it."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.stat(self._path).st_ino == os.fstat(handle).st_ino:
                return handle
        except (BlockingIOError, FileNotFoundError):  # another has it, or has just removed it
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None

    def _holder(self) -> str:
        with contextlib.suppress(OSError):
            return self._path.read_text(errors="replace").strip() or "another process"
        return "another process"

    def release(self) -> None:
        """Let others use the journal."""
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def is_locked(journal: Path) -> bool:
    """Whether a process is using a journal."""
    try:
        handle = os.open(journal.with_name(journal.name + ".lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
