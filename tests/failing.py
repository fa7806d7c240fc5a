"""Output that fails at the n-th call, as SQLite tests itself: by its hook for system calls, and by Python's own."""

import _sqlite3
import builtins
import contextlib
import ctypes
import errno
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REASON = errno.ENOSPC


class Countdown:
    """Counts calls, and says which ones fail.

    Args:
        first: the number of the first call that fails, from 0 on.
        last: that of the last one.

    Attributes:
        calls: number of calls so far.
    """

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last, self.calls = first, last, 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.first < self.calls <= self.last + 1

    @property
    def has_failed(self) -> bool:
        return self.calls > self.first


def require_one_line(error: BaseException) -> None:
    """Accept an error that says in one line what failed."""
    assert "\n" not in str(error)


class _Vfs(ctypes.Structure):
    """The part of SQLite's `sqlite3_vfs` up to its hooks; see sqlite.org/c3ref/vfs.html."""

    _fields_ = (
        [(name, ctypes.c_int) for name in ("version", "size", "longest")]
        + [(f"pointer{number}", ctypes.c_void_p) for number in range(16)]
        + [(name, ctypes.c_void_p) for name in ("set", "get", "following")]
    )


_INT, _SIZE, _POINTER = ctypes.c_int, ctypes.c_ssize_t, ctypes.c_void_p

CALLS = {
    "write": (_SIZE, _INT, _POINTER, _SIZE),
    "pwrite": (_SIZE, _INT, _POINTER, _SIZE, ctypes.c_int64),
    "pwrite64": (_SIZE, _INT, _POINTER, _SIZE, ctypes.c_int64),
    "ftruncate": (_INT, _INT, ctypes.c_int64),
    "unlink": (_INT, ctypes.c_char_p),
}
"""SQLite's system calls that change files, with what they return and take."""


def _failing(original: Callable[..., Any], countdown: Countdown) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        if not countdown():
            return original(*arguments)
        ctypes.set_errno(REASON)
        return -1

    return call


@contextlib.contextmanager
def failing_sqlite(countdown: Countdown) -> Iterator[None]:
    """Have SQLite's calls fail that change files."""
    library = ctypes.CDLL(_sqlite3.__file__)  # which finds the functions of the library that it needs
    try:
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
    except AttributeError:
        pytest.skip("Python's SQLite shows no functions of its own")
    address = library.sqlite3_vfs_find(None)
    vfs = address.contents
    replace = ctypes.CFUNCTYPE(_INT, _POINTER, ctypes.c_char_p, _POINTER)(vfs.set)
    find = ctypes.CFUNCTYPE(_POINTER, _POINTER, ctypes.c_char_p)(vfs.get)
    kept = []
    for name, types in CALLS.items():
        place, kind = find(address, name.encode()), ctypes.CFUNCTYPE(*types, use_errno=True)
        if place:
            kept.append(kind(_failing(kind(place), countdown)))
            replace(address, name.encode(), ctypes.cast(kept[-1], _POINTER))
    try:
        yield
    finally:
        for name in CALLS:
            replace(address, name.encode(), None)


@contextlib.contextmanager
def failing_python(countdown: Countdown, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have Python's calls fail that write to files, sync and rename them, and open them for writing."""

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            if countdown():
                raise OSError(REASON, os.strerror(REASON))
            return function(*arguments, **more)

        return call

    def opened(function: Callable[..., Any], at: int) -> Callable[..., Any]:
        """`at`: the place of the mode among the arguments."""

        def call(*arguments: Any, **more: Any) -> Any:
            mode = arguments[at] if len(arguments) > at else "r"
            made = (counted(function) if "w" in mode else function)(*arguments, **more)
            return _Written(made, counted) if "w" in mode else made

        return call

    with monkeypatch.context() as patch:
        for name in ("pwrite", "fsync", "replace", "posix_fallocate"):
            patch.setattr(os, name, counted(getattr(os, name)))
        patch.setattr(os, "fdopen", opened(os.fdopen, 1))
        patch.setattr(builtins, "open", opened(open, 1))
        patch.setattr(io, "open", opened(io.open, 1))
        patch.setattr(Path, "replace", counted(Path.replace))
        yield


class _Written:
    """A file whose writing counts."""

    def __init__(self, file: Any, counted: Callable[..., Any]) -> None:
        self._file = file
        self.write = counted(file.write)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> "_Written":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
