"""Keep compiled kernels on disk: one file for each, with its own checksum, in parsolve's own cache folder.

numba's own cache serves stale kernels after the file of a called function has changed, raises on a damaged file and
fails where the home folder is not writable; and its settings belong to the user's own numba code. So the dispatchers of
parsolve get a `KernelCache` instead.

Kernels are pickles, and a pickle can run any code: they are read as `cachefolder` reads, or not at all.
"""

import contextlib
import hashlib
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Any

from numba import types
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.serialize import dumps

from parsolve.activity import current as activity
from parsolve.cachefolder import delete_old, folder, read_sealed, warn_once, write_sealed
from parsolve.kernel.identity import of_python
from parsolve.kernel.turns import turns

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


class Readying(threading.local):
    """How long this thread loads and compiles kernels: no search counts that as its own time, whenever it happens."""

    def __init__(self) -> None:
        self._begun: list[float] = []
        self._seconds = 0.0

    def begin(self) -> None:
        """Note that a kernel is asked for."""
        self._begun.append(time.perf_counter())

    def end(self) -> None:
        """Note that it is there. One that another one needs is part of that one's time."""
        begun = self._begun.pop()
        if not self._begun:
            self._seconds += time.perf_counter() - begun

    def lap(self) -> float:
        """Return the seconds since the last call. No kernel is being compiled now: one that did not end has failed."""
        seconds, self._seconds = self._seconds, 0.0
        self._begun.clear()
        turns.clear()
        return seconds


readying = Readying()


MAX_KERNELS = 2000
"""How many kernels the folder holds at most, of 20 to 200 kB; the least recently used are deleted first. Whoever has
more in use compiles all of them again and again, as the tests once did."""


class KernelCache(_Cache):  # type: ignore[misc]
    """The cache object of one numba dispatcher.

    Args:
        name: of the kernel; the file names begin with it.
        identity: returns what tells the kernel from all others that do something else; empty if it must not be kept.
    """

    def __init__(self, name: str, identity: Callable[[], str]) -> None:
        self._name = name
        self._identity_of = identity

    @cached_property
    def _identity(self) -> str:
        return self._identity_of()

    @property
    def cache_path(self) -> str | None:
        return str(folder()) if folder() else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        readying.begin()
        kernel = self._loaded(sig, target_context)
        if kernel is None:
            compiling.get()()
            activity.pause()
            if turns.begin(self._file(sig, target_context.codegen())):
                kernel = self._loaded(sig, target_context)
            if kernel is None:
                return None
            turns.end()
            activity.resume()
        readying.end()
        return kernel

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        file = self._file(sig, target_context.codegen())
        if file is not None:
            try:
                return CompileResultCacheImpl.rebuild(None, target_context, pickle.loads(read_sealed(file)))
            except FileNotFoundError:
                pass
            except Exception as error:
                warn_once(f"a kernel in the cache cannot be used and is compiled again: {error}")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        activity.resume()  # it is compiled
        self._save(sig, data)
        turns.end()
        readying.end()

    def _save(self, sig: Any, data: Any) -> None:
        file = self._file(sig, data.codegen)
        if file is None or data.library.has_dynamic_globals:
            return
        content = dumps(CompileResultCacheImpl.reduce(None, data))
        try:
            write_sealed(file, content)
            delete_old(file.parent, "*.kernel", MAX_KERNELS)
        except OSError as error:
            warn_once(
                f"kernels are compiled each time, because they cannot be kept ({file.parent}:"
                f" {error.strerror or error}): free space there, or set PARSOLVE_CACHE_DIR to another folder"
            )

    def _file(self, sig: Any, codegen: Any) -> Path | None:
        place = folder()
        if place is None or not self._identity:
            return None
        arguments = ", ".join(map(_type_text, sig))
        if "__main__." in arguments:  # another class in each process
            return None
        key = "\n".join((self._identity, arguments, repr(codegen.magic_tuple()), of_python()))
        return place / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.kernel"

    def enable(self) -> None:
        """Do nothing: this cache is always on."""

    def disable(self) -> None:
        """Do nothing: this cache is always on."""

    def flush(self) -> None:
        """Do nothing: there is no index in memory."""


def _type_text(kind: Any) -> str:
    """Return the type of an argument as text, with a NamedTuple's module and fields, which numba leaves out."""
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    cls = getattr(kind, "instance_class", tuple)
    items = ", ".join(map(_type_text, kind.types))
    return f"{cls.__module__}.{cls.__qualname__}{getattr(cls, '_fields', ())}({items})"
