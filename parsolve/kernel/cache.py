"""The kernel cache: one self-checking file a compiled kernel, in a folder of parsolve's own.

numba's own cache serves stale kernels after a called function's file changed, raises on a damaged file and
fails where the home is not writable; and it must stay as it is for the user's own numba code. So a dispatcher
of ours gets this cache object instead.
"""

import contextlib
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


KEPT = 200
"""How many kernels the folder holds at most; the ones not used for longest go first."""


@cache
def folder() -> Path | None:
    """Where kernels are kept: $PARSOLVE_CACHE_DIR, the user's cache folder, or one of our own in the temporary
    folder; None where no such place can be written. Kernels are pickles, so it must be ours alone."""
    chosen = os.environ.get("PARSOLVE_CACHE_DIR")
    places = [Path(chosen)] if chosen else []
    with contextlib.suppress(RuntimeError):  # no home
        home = Path.home()
        base = home / "Library/Caches" if sys.platform == "darwin" else home / ".cache"
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or base) / "parsolve")
    places.append(Path(tempfile.gettempdir()) / f"parsolve-{os.getuid()}")
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            state = place.stat()
            if state.st_uid != os.getuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                continue
            tempfile.TemporaryFile(dir=place).close()
        except OSError:
            continue
        return place
    return None


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
                digest, data = file.read_bytes().split(b"\n", 1)
                if hashlib.sha256(data).hexdigest().encode() != digest:
                    raise ValueError("checksum")
                found = CompileResultCacheImpl.rebuild(None, target_context, pickle.loads(data))
                with contextlib.suppress(OSError):
                    os.utime(file)
                return found
            except FileNotFoundError:
                pass
            except Exception as error:
                log.warning("a damaged kernel in the cache is made anew: %s", error)
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
            log.warning("the kernel cache cannot be written: %s", error)

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
