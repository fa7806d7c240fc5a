"""Who is using a journal: told by a lock of the operating system, which goes with its process however that ends."""

import contextlib
import fcntl
import os
import socket
from pathlib import Path

from parsolve.errors import BadInput


class Lock:
    """A lock on a journal, held by the process that made this object until it is released or the process ends. It is on
    a file beside the journal: SQLite has locks of its own on the journal itself.

    Args:
        journal: the journal's path.

    Raises:
        BadInput: another process holds it; says which.
    """

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + ".lock")
        while True:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                who = os.pread(self._handle, 200, 0).decode(errors="replace").strip() or "another process"
                os.close(self._handle)
                raise BadInput(f"{journal} is in use by {who}") from None
            # Its last holder may have removed it just now.
            with contextlib.suppress(FileNotFoundError):
                if os.stat(self._path).st_ino == os.fstat(self._handle).st_ino:
                    break
            os.close(self._handle)
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

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
