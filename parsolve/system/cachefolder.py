"""The user's cache folder, which keeps compiled kernels and tables of distances.

Its files can run code, or decide an answer: the folder, its parents and each file are used only if nobody but this user
and root can have written them. Files are written as a whole, so other processes see a complete file or none.
"""

import contextlib
import errno
import hashlib
import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

DRAFT = ".draft-"
"""Prefix of the names of unfinished files."""

DRAFT_SECONDS = 3600
"""Age from which a draft belongs to a killed process."""


@cache
def folder() -> Path | None:
    """Return the cache folder; None, with one warning, if no folder can be written and trusted.

    It is $PARSOLVE_CACHE_DIR if set, otherwise the user's cache folder, otherwise one in the temporary folder.
    """
    reasons = []
    for place in _places():
        try:
            return _require_owner(place)
        except Untrusted as error:
            warn_once(f"the cache folder {place} is not used: {error}")
        except OSError as error:
            reasons.append(f"{place}: {error.strerror or error}")
    if reasons:
        warn_once(
            "kernels are compiled, and tables built, each time, because they cannot be kept"
            f" ({'; '.join(reasons)}): set PARSOLVE_CACHE_DIR to a folder that can be written"
        )
    return None


def _places() -> Iterator[Path]:
    chosen = os.environ.get("PARSOLVE_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    from platformdirs import user_cache_path  # 3 ms

    with contextlib.suppress(RuntimeError):  # there is no home folder
        place = user_cache_path("parsolve")
        if place.is_absolute():  # older versions return ~/… then
            yield place
    try:
        temporary = tempfile.gettempdir()
    except OSError:  # every candidate is full or read-only
        temporary = "/tmp"
    yield Path(temporary) / f"parsolve-{os.getuid()}"


class Untrusted(Exception):
    """Raised for a file that another user could have written: it must not be read."""


def _require_owner(place: Path) -> Path:
    """Return the resolved path of a folder that only this user and root can write to; create it if it is missing.

    Raises:
        Untrusted: another user can write there.
        OSError: it cannot be created or written.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = place.resolve()
    state = place.stat()
    if state.st_uid != os.getuid():
        raise Untrusted("it is not this user's own")
    if state.st_mode & OTHERS_WRITE:
        raise Untrusted("others can write there (chmod go-w)")
    for parent in place.parents:
        state = parent.stat()
        if state.st_uid not in (0, os.getuid()):
            raise Untrusted(f"{parent} is another user's")
        if state.st_mode & OTHERS_WRITE and not state.st_mode & stat.S_ISVTX:
            raise Untrusted(f"others can write in {parent} (chmod go-w)")
    tempfile.TemporaryFile(dir=place).close()
    return place


@contextlib.contextmanager
def open_own(file: Path, use: bool = True) -> Iterator[int]:
    """Open a file of the folder for reading.

    Args:
        file: which.
        use: whether to record that it is used now.

    Yields:
        The handle.

    Raises:
        Untrusted: it is not a plain file that only this user can write.
        OSError: it cannot be opened.
    """
    try:
        # O_NONBLOCK: a FIFO would wait for a writer. The open file itself is checked, not its path.
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Untrusted("it is a symbolic link") if error.errno == errno.ELOOP else error from None
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise Untrusted("it is not a plain file")
        if state.st_uid != os.getuid() or state.st_mode & OTHERS_WRITE:
            raise Untrusted("others can write it")
        if use:
            with contextlib.suppress(OSError):
                os.utime(handle)
        yield handle
    finally:
        os.close(handle)


def read_own(file: Path) -> bytes:
    """Return the bytes of a file of the folder.

    Raises:
        Untrusted, OSError: see `open_own`.
    """
    with open_own(file) as handle, open(handle, "rb", closefd=False) as file_:
        return file_.read()


def read_sealed(file: Path) -> bytes:
    """Return the content written by `write_sealed`.

    Raises:
        Untrusted: see `open_own`; or its bytes have changed.
        OSError: see `open_own`.
    """
    digest, _, content = read_own(file).partition(b"\n")
    if hashlib.sha256(content).hexdigest().encode() != digest:
        raise Untrusted("its checksum is another one")
    return content


def write_sealed(file: Path, content: bytes) -> None:
    """Write a small file of the folder with a checksum; see `write_whole`."""
    write_whole(file, [hashlib.sha256(content).hexdigest().encode() + b"\n" + content])


def write_whole(file: Path, pieces: Iterable[bytes | memoryview], sync: bool = False) -> None:
    """Write a file of the folder as a whole.

    Args:
        file: its path; an existing file is replaced.
        pieces: its bytes.
        sync: whether to wait until they are on disk, so that a crash of the machine leaves all or nothing too.

    Raises:
        OSError: it cannot be written.
        BaseException: any exception that `pieces` raises; nothing is left behind.
    """
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=DRAFT)
    try:
        with os.fdopen(handle, "wb") as out:
            for piece in pieces:
                out.write(piece)
            if sync:
                out.flush()
                os.fsync(out.fileno())
        os.replace(draft, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    _delete_drafts(file.parent)


def _delete_drafts(place: Path) -> None:
    """Delete unfinished files of killed processes."""
    for file in place.glob(f"{DRAFT}*"):
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < time.time() - DRAFT_SECONDS:
                file.unlink()


def delete_old(place: Path, pattern: str, most: int) -> None:
    """Delete all files of a pattern except the `most` last used."""
    files = []
    for file in place.glob(pattern):
        with contextlib.suppress(OSError):
            files.append((file.stat().st_mtime, file))
    for _, file in sorted(files)[:-most]:
        with contextlib.suppress(OSError):
            file.unlink()


@cache
def warn_once(text: str) -> None:
    """Log a warning, the first time."""
    log.warning("%s", text)
