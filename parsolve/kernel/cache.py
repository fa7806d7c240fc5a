"""Keep compiled kernels on disk: one file for each, with its own checksum, in parsolve's own cache folder.

numba's own cache serves stale kernels after the file of a called function has changed, raises on a damaged file and
fails where the home folder is not writable; and its settings belong to the user's own numba code. So the dispatchers of
parsolve get a `KernelCache` instead.

Kernels are pickles, and a pickle can run any code: the folder, its parents and each file are used only if nobody but
this user and root can have written them.
"""

import contextlib
import errno
import hashlib
import logging
import os
import pickle
import stat
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


def compiling_message(name: str) -> str:
    """Return what to tell a person while a puzzle's kernel is compiled."""
    return f"compiling the kernel of {name} ({'once; kept for the next time' if folder() else 'not kept'})"


@contextlib.contextmanager
def telling_once(tell: Callable[[], None] | None = None) -> Iterator[list[bool]]:
    """Call `tell`, by default the present listener, before the first kernel that is compiled in the body.

    Yields:
        A list that is empty until a kernel is compiled.
    """
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

MAX_KERNELS = 1000
"""How many kernels the folder holds at most, some 100 kB each; the least recently used are deleted first. Whoever uses
more compiles all of them again and again, as the tests once did."""


@cache
def folder() -> Path | None:
    """Return the folder where kernels are kept, or None, with one warning, if there is none to write to and to trust.

    It is $PARSOLVE_CACHE_DIR if that is set, else the user's cache folder, else one in the temporary folder.
    """
    reasons = []
    for place in _places():
        try:
            return _require_owner(place)
        except _Untrusted as error:
            _warn_once(f"the kernel cache {place} is not used: {error}")
        except OSError as error:
            reasons.append(f"{place}: {error.strerror or error}")
    if reasons:
        _warn_once(
            f"kernels are compiled each time, because they cannot be kept ({'; '.join(reasons)}):"
            " set PARSOLVE_CACHE_DIR to a folder that can be written"
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
        if place.is_absolute():  # older versions give ~/… then
            yield place
    try:
        temporary = tempfile.gettempdir()
    except OSError:  # every candidate is full or read-only
        temporary = "/tmp"
    yield Path(temporary) / f"parsolve-{os.getuid()}"


class _Untrusted(Exception):
    """Raised for what another user could have written: it must not be unpickled."""


def _require_owner(place: Path) -> Path:
    """Return the resolved path of a folder that only this user and root can write to; create it if it is missing.

    Raises:
        _Untrusted: somebody else can write there.
        OSError: it cannot be created or written.
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
    """Return the bytes of a cache file.

    Raises:
        _Untrusted: it is not a plain file that only this user can write.
        OSError: it cannot be read.
    """
    try:
        # O_NONBLOCK: a FIFO would wait for a writer. The open file is checked, so that it is the one that is read.
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _Untrusted("it is a symbolic link") if error.errno == errno.ELOOP else error from None
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise _Untrusted("it is not a plain file")
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
    """The cache object of one numba dispatcher.

    Args:
        name: of the kernel; the file names begin with it.
        source: a fingerprint of everything that the kernel is compiled from; empty if it must not be kept.
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
            _write(file, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
            _delete_old(file.parent)
        except OSError as error:
            _warn_once(
                f"kernels are compiled each time, because they cannot be kept ({file.parent}:"
                f" {error.strerror or error}): free space there, or set PARSOLVE_CACHE_DIR to another folder"
            )

    def _file(self, sig: Any, codegen: Any) -> Path | None:
        place = folder()
        if place is None or not self._source:
            return None
        key = "\n".join((self._name, self._source, str(sig), repr(codegen.magic_tuple()), fingerprint.of_python()))
        return place / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.kernel"

    def enable(self) -> None:
        """Do nothing: this cache is always on."""

    def disable(self) -> None:
        """Do nothing: this cache is always on."""

    def flush(self) -> None:
        """Do nothing: there is no index in memory."""


def _write(file: Path, content: bytes) -> None:
    """Write a file as a whole, so that other processes see all of it or nothing.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        os.replace(draft, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def _delete_old(place: Path) -> None:
    kernels = []
    for file in place.iterdir():
        with contextlib.suppress(OSError):
            if file.suffix == ".kernel":
                kernels.append((file.stat().st_mtime, file))
            elif file.name.startswith(".draft-") and file.stat().st_mtime < time.time() - 3600:
                file.unlink()  # a process was killed while it wrote this
    for _, file in sorted(kernels)[:-MAX_KERNELS]:
        with contextlib.suppress(OSError):
            file.unlink()
