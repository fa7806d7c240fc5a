"""The file of a journal: a plain file that one process at a time writes, whatever name it is opened by.

The lock is on the file itself (its inode), so a hard link, a symlink or a bind mount cannot circumvent it, and it ends
with its process. It is on a byte far beyond those that SQLite locks and writes, and belongs to the open file: SQLite's
own locks belong to the process, and SQLite drops all of them at the end of each transaction.
"""

import contextlib
import fcntl
import os
import stat
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from parsolve.errors import BadInput, JournalGone

LOCK = 1 << 62
"""The locked byte."""

SIDE_FILES = ("-journal", "-wal", "-shm")
"""The endings of SQLite's temporary files beside a database."""

_ROLLBACK = bytes.fromhex("d9d505f920a163d7")  # how a rollback journal begins: sqlite.org/fileformat.html, 3

# `struct flock`: type, whence, start, length, process on Linux; macOS has the numbers first, and Python does not name
# its commands (xnu, bsd/sys/fcntl.h).
_LINUX = sys.platform == "linux"
_SETLK, _GETLK = (fcntl.F_OFD_SETLK, fcntl.F_OFD_GETLK) if _LINUX else (90, 92)
_LAYOUT = "hhqqi" if _LINUX else "qqihh"
_KIND = 0 if _LINUX else 3
_WORDS = (fcntl.F_WRLCK, os.SEEK_SET, LOCK, 1, 0) if _LINUX else (LOCK, 1, 0, fcntl.F_WRLCK, os.SEEK_SET)
_WRITER = struct.pack(_LAYOUT, *_WORDS)

_open: set[tuple[int, int]] = set()
"""The files that this process writes, by device and inode. They are not opened a second time: POSIX locks, which SQLite
uses, end when the process closes any handle of the file."""

_opening = threading.Lock()
"""Held while a file is opened: the second of two threads finds it in `_open`, and opens and closes nothing."""


class JournalFile:
    """A journal's file, open for writing by this process alone until it is closed; made if missing.

    Raises:
        BadInput: it is not a plain file, cannot be written, or another process writes it; or there is a file beside it
            that SQLite would take for its own.
    """

    def __init__(self, path: Path) -> None:
        self.path = require_plain(path)
        with _opening:
            with _as_bad_input(path):
                if path.exists() and _identity(path) in _open:
                    raise BadInput(f"the journal {path} is in use by this process")
                self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
            self._identity = _identity(self._handle)
            try:
                self._lock()
            except BaseException:
                os.close(self._handle)
                raise
            _open.add(self._identity)

    def _lock(self) -> None:
        with _as_bad_input(self.path):
            try:
                fcntl.fcntl(self._handle, _SETLK, _WRITER)
            except (BlockingIOError, PermissionError):
                raise BadInput(f"the journal {self.path} is in use by {_owner(self._identity)}") from None
            require_own_side_files(self.path)
        self.require_in_place()

    def require_in_place(self) -> None:
        """Check that the path still leads to the open file.

        Raises:
            JournalGone: it was deleted, moved or replaced.
        """
        try:
            there = _identity(self.path) == self._identity
        except OSError:
            there = False
        if not there:
            raise JournalGone(
                f"the journal {self.path} was deleted, moved or replaced while it was in use: the search ends here;"
                " the moved file can be resumed under its new name"
            )

    def close(self) -> None:
        """Unlock and close; after SQLite has closed its own handles."""
        _open.discard(self._identity)
        os.close(self._handle)


def require_plain(path: Path) -> Path:
    """Return the path of a plain file, or of a missing one.

    Raises:
        BadInput: it is something else, or its folder is missing.
    """
    with _as_bad_input(path):
        if not os.path.isdir(path.parent):
            raise BadInput(f"there is no folder {path.parent} for the journal {path.name}: make it first")
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return path
    if stat.S_ISDIR(mode):
        raise BadInput(f"the journal is a file, not the folder {str(path)!r}: name a file")
    if not stat.S_ISREG(mode):
        raise BadInput(f"the journal {path} is not a plain file: name another one")
    return path


def require_own_side_files(path: Path) -> None:
    """Check that SQLite's temporary files beside a journal belong to it: SQLite would remove them.

    Raises:
        BadInput: one does not; the message names it.
    """
    with _as_bad_input(path):
        real = os.path.realpath(path)
        if _identity(real) in _open:
            return  # checked already; reading it here would end SQLite's locks
        for ending in SIDE_FILES:
            beside = Path(real + ending)
            # A finished rollback journal may begin with zeros; no journal has a write-ahead log.
            own = (_ROLLBACK, bytes(8), b"") if ending == "-journal" else ()
            with contextlib.suppress(FileNotFoundError):  # its writer removes it at the end of each transaction
                if _head(beside) not in own:
                    other = f"{beside} does not belong to the journal {path.name}"
                    raise BadInput(f"{other}: move it, or name another journal")


def require_own_name(path: Path, written_as: str) -> None:
    """Check that no temporary files are left under another name, by which the journal was last written: what a killed
    process has left half written is rolled back only under the same name.

    Raises:
        BadInput: there are some; the message says what to do.
    """
    with _as_bad_input(path), contextlib.suppress(FileNotFoundError):
        real = os.path.realpath(path)
        left = Path(f"{written_as}-journal")
        is_other = written_as not in ("", real) and os.path.lexists(left)
        if is_other and _head(left) not in (bytes(8), b""):  # zeros: nothing was changed yet
            raise BadInput(
                f"the journal {real} was last written as {written_as} by a process that was killed, and {left} belongs"
                " to it: use that name once, or move both files together"
            )


def is_locked(path: Path) -> bool:
    """Return whether any user's process writes a journal that this process has open, without taking a lock."""
    with contextlib.suppress(OSError), _opening:  # the file is gone, or its system has no locks
        identity = _identity(path)
        if identity in _open:
            return True
        # By the handle that SQLite has: to close one of our own would end the POSIX locks of all readers here.
        for handle in map(int, os.listdir("/dev/fd")):
            with contextlib.suppress(OSError):
                if _identity(handle) == identity:
                    kind = struct.unpack(_LAYOUT, fcntl.fcntl(handle, _GETLK, _WRITER))[_KIND]
                    return bool(kind != fcntl.F_UNLCK)
    return False


def _owner(identity: tuple[int, int]) -> str:
    """Return which process holds the lock, if the system reports it (Linux)."""
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if _identity(descriptor) == identity:
                process = descriptor.parents[1]
                if "OFDLCK" in (process / "fdinfo" / descriptor.name).read_text():
                    return f"process {process.name}"
    return "another process"


def _identity(file: Path | str | int) -> tuple[int, int]:
    state = os.stat(file)
    return state.st_dev, state.st_ino


def _head(file: Path) -> bytes | None:
    """Return the first bytes of a plain file; None for anything else."""
    if not stat.S_ISREG(file.lstat().st_mode):
        return None
    with file.open("rb") as opened:
        return opened.read(8)


@contextlib.contextmanager
def _as_bad_input(path: Path) -> Iterator[None]:
    """Raise the system's errors about a path as bad input."""
    try:
        yield
    except BadInput:
        raise
    except (OSError, ValueError) as error:
        raise BadInput(f"the journal {path} cannot be opened: {getattr(error, 'strerror', None) or error}") from error
