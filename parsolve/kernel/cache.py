"""The kernel cache: one self-checking file a compiled kernel, in a folder of parsolve's own.

numba's own cache serves stale kernels after a called function's file changed, raises on a damaged file and
fails where the home is not writable; and it must stay as it is for the user's own numba code. So a dispatcher
of ours gets this cache object instead.

Kernels are pickles, and a pickle can run anything: the folder, all above it and each file must be such that nobody but
this user and root can have written them.
"""

import contextlib
import errno
import hashlib
import logging
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.serialize import dumps

from parsolve.activity import current as activity
from parsolve.kernel import fingerprint

log = logging.getLogger(__name__)

compiling: ContextVar[Callable[[], None]] = ContextVar("compiling", default=lambda: None)
"""Called before a kernel that is not in the cache is compiled."""


@contextlib.contextmanager
def telling_once(tell: Callable[[], None] | None = None) -> Iterator[list[bool]]:
    """Call `tell`, by default who is told anyway, before the first kernel that is compiled in the body; the list is
    empty as long as none is."""
    told: list[bool] = []
    listener = tell or compiling.get()

    def once() -> None:
        if not told:
            told.append(True)
            listener()

    token = compiling.set(once)
    try:
        yield told
    finally:
        compiling.reset(token)


OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

KEPT = 200
"""How many kernels the folder holds at most; the ones not used for longest go first."""


@cache
def folder() -> Path | None:
    """Where kernels are kept: $PARSOLVE_CACHE_DIR where that is set, else the user's cache folder, else one in the
    temporary folder; None where there is no such place that can be written and trusted, which is logged once."""
    reasons = []
    for place in _places():
        try:
            return _owned(place)
        except _Untrusted as error:
            _warn_once(f"the kernel cache {place} is not used: {error}")
        except OSError as error:
            reasons.append(f"{place}: {error.strerror or error}")
    if reasons:
        _warn_once(
            f"kernels are compiled each time, for they cannot be kept ({'; '.join(reasons)}):"
            " set PARSOLVE_CACHE_DIR to a folder that can be written"
        )
    return None


def _places() -> Iterator[Path]:
    chosen = os.environ.get("PARSOLVE_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    with contextlib.suppress(RuntimeError):  # no home
        home = Path.home()
        base = home / "Library/Caches" if sys.platform == "darwin" else home / ".cache"
        yield Path(os.environ.get("XDG_CACHE_HOME") or base) / "parsolve"
    try:
        temporary = tempfile.gettempdir()
    except OSError:  # all are full or read-only
        temporary = "/tmp"
    yield Path(temporary) / f"parsolve-{os.getuid()}"


class _Untrusted(Exception):
    """Another user could have written what would be unpickled here."""


def _owned(place: Path) -> Path:
    """Make a folder if need be and return its true path, if nobody but this user and root can have written there.

    Raises:
        _Untrusted: somebody else can.
        OSError: it cannot be made or written.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = place.resolve()
    state = place.stat()
    if state.st_uid != os.getuid():
        raise _Untrusted("it is not this user's own")
    if state.st_mode & OTHERS_WRITE:
        raise _Untrusted("others can write there (chmod go-w)")
    for parent in place.parents:
        state = parent.stat()
        if state.st_uid not in (0, os.getuid()):
            raise _Untrusted(f"{parent} is another user's")
        if state.st_mode & OTHERS_WRITE and not state.st_mode & stat.S_ISVTX:
            raise _Untrusted(f"others can write in {parent} (chmod go-w)")
    tempfile.TemporaryFile(dir=place).close()
    return place


def _read_own(file: Path) -> bytes:
    """Read a file of the cache.

    Raises:
        _Untrusted: it is not this user's own plain file.
        OSError: it cannot be read.
    """
    try:
        # Without waiting for who writes into a FIFO; and what is looked at is what is read.
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _Untrusted("it is a symbolic link") if error.errno == errno.ELOOP else error from None
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise _Untrusted("it is no plain file")
        if state.st_uid != os.getuid() or state.st_mode & OTHERS_WRITE:
            raise _Untrusted("others can write it")
        with contextlib.suppress(OSError):
            os.utime(handle)
        with open(handle, "rb", closefd=False) as file_:
            return file_.read()
    finally:
        os.close(handle)


@cache
def _warn_once(text: str) -> None:
    log.warning("%s", text)


class KernelCache(_Cache):  # type: ignore[misc]
    """Stands in for the cache of one numba dispatcher.

    Args:
        name: begins the file names, for people.
        source: a fingerprint of everything that the kernel is compiled from; empty: not to be kept.
    """

    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._source = source

    @property
    def cache_path(self) -> str | None:
        return str(folder()) if folder() else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        file = self._file(sig, target_context.codegen())
        if file is not None:
            try:
                digest, data = _read_own(file).split(b"\n", 1)
                if hashlib.sha256(data).hexdigest().encode() != digest:
                    raise ValueError("checksum")
                return CompileResultCacheImpl.rebuild(None, target_context, pickle.loads(data))
            except FileNotFoundError:
                pass
            except Exception as error:
                _warn_once(f"a kernel in the cache cannot be used and is compiled again: {error}")
        compiling.get()()
        activity.pause()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        activity.resume()  # it is compiled
        file = self._file(sig, data.codegen)
        if file is None or data.library.has_dynamic_globals:
            return
        content = dumps(CompileResultCacheImpl.reduce(None, data))
        try:
            handle, draft = tempfile.mkstemp(dir=file.parent, prefix=".draft-")
            with os.fdopen(handle, "wb") as out:
                out.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
            os.replace(draft, file)
            _drop_old(file.parent)
        except OSError as error:
            _warn_once(f"the kernel cache {file.parent} cannot be written: {error.strerror or error}")

    def _file(self, sig: Any, codegen: Any) -> Path | None:
        place = folder()
        if place is None or not self._source:
            return None
        key = "\n".join((self._name, self._source, str(sig), repr(codegen.magic_tuple()), fingerprint.of_python()))
        return place / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.kernel"

    def enable(self) -> None:
        """numba's interface; this cache is always on."""

    def disable(self) -> None:
        """numba's interface; this cache is always on."""

    def flush(self) -> None:
        """numba's interface; nothing is held back."""


def _drop_old(place: Path) -> None:
    kernels = []
    for file in place.iterdir():
        with contextlib.suppress(OSError):
            if file.suffix == ".kernel":
                kernels.append((file.stat().st_mtime, file))
            elif file.name.startswith(".draft-") and file.stat().st_mtime < time.time() - 3600:
                file.unlink()  # left by a process that was killed while writing
    for _, file in sorted(kernels)[:-KEPT]:
        with contextlib.suppress(OSError):
            file.unlink()
