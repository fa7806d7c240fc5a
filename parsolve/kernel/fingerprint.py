"""Compute a fingerprint of everything that a puzzle's rules depend on.

It covers the bytes of every source file that the rules reach (through global names, `module.function`, closures,
compiled helpers and intrinsics) and the values of the globals and closure cells that they use. It is the key of the
kernel cache, and tells a worker or a resumed job whether a puzzle's file has changed.
"""

import enum
import functools
import hashlib
import marshal
import os
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

_TRUSTED = frozenset({"numpy", "numba", "llvmlite", *sys.stdlib_module_names})
"""Packages that `of_python` covers by version: their files and values are not read."""


_PLAIN = frozenset({type(None), bool, int, float, str, bytes})
"""Types whose texts tell values apart."""


class Fingerprint:
    """Collect functions and values, and all that they reach, into one digest.

    Attributes:
        opaque: whether the value of something that was reached is unknown: such a kernel must not be cached.
    """

    def __init__(self) -> None:
        self.opaque = False
        self._lines: set[str] = set()
        self._seen: set[int] = set()
        self._files: set[tuple[str, str | None]] = set()  # by module; hashed once
        self._kept: list[Any] = []  # an id is only good while its object lives
        self._bindings: list[tuple[Mapping[str, Any], str, Any]] = []
        self._arrays: list[tuple[np.ndarray[Any, Any], str]] = []

    def digest(self) -> str:
        """Return the fingerprint: 32 hexadecimal digits."""
        return hashlib.sha256("\n".join(sorted(self._lines)).encode()).hexdigest()[:32]

    @property
    def holds(self) -> bool:
        """Whether the names that were reached still mean the same: a cell of a notebook may have set a constant."""
        return all(names.get(name, self) is value for names, name, value in self._bindings) and all(
            _array_digest(array) == digest for array, digest in self._arrays
        )

    def add(self, where: str, value: Any) -> None:
        """Add a value that is used under the name `where`, and all that it reaches."""
        match value:
            case None | bool() | int() | float() | complex() | str() | bytes() | enum.Enum():
                self._line(where, repr(value))
            case np.ndarray():
                digest = _array_digest(value)
                self._arrays.append((value, digest))
                self._line(where, f"{value.dtype.descr} {value.shape} {digest}")
            case np.generic() | np.dtype():
                self._line(where, repr(value))
            case tuple() | list() if _PLAIN.issuperset(map(type, value)):
                self._line(where, repr(value))
            case tuple() | list():
                for number, item in enumerate(value):
                    self.add(f"{where}[{number}]", item)
            case frozenset() | set():
                self._line(where, repr(sorted(map(repr, value))))
            case dict():
                for name, item in value.items():
                    self.add(f"{where}[{name!r}]", item)
            case _:
                if id(value) not in self._seen:
                    self._seen.add(id(value))
                    self._kept.append(value)
                    self._add_object(where, value)

    def _add_object(self, where: str, value: Any) -> None:
        inner = getattr(value, "py_func", None) or getattr(value, "_defn", None)  # a dispatcher, an intrinsic
        if isinstance(value, functools._lru_cache_wrapper):
            inner = value.__wrapped__
        if isinstance(inner, types.FunctionType):
            self.add(where, inner)
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, staticmethod | classmethod):
            self.add(where, value.__func__)
        elif isinstance(value, property):
            self.add(where, value.fget)
        elif isinstance(value, types.ModuleType):
            self._add_file(value.__name__, getattr(value, "__file__", None))
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, numba.types.Type):
            self._line(where, repr(value))
            self._add_class(type(value))
        elif callable(value) and getattr(value, "__module__", None):
            if _package(value.__module__) not in _TRUSTED:
                self.opaque = True
            self._line(where, f"{value.__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}")
        else:
            self.opaque = True
            self._add_class(type(value))

    def _add_function(self, function: types.FunctionType) -> None:
        home = function.__globals__.get("__name__", "")
        if _package(home) in _TRUSTED:
            return self._line("function", f"{home}.{function.__qualname__}")
        self._add_file(home, function.__code__.co_filename, function.__code__)
        self.add(f"{function.__qualname__} defaults", function.__defaults__)
        self.add(f"{function.__qualname__} keyword defaults", function.__kwdefaults__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                self.add(f"{function.__qualname__} {name}", cell.cell_contents)
            except ValueError:  # an empty cell
                self.opaque = True
        names = set(_names(function.__code__))
        for name in sorted(names & function.__globals__.keys()):
            value = function.__globals__[name]
            self._bindings.append((function.__globals__, name, value))
            self.add(f"{function.__module__}.{name}", value)
            if isinstance(value, types.ModuleType) and _package(value.__name__) not in _TRUSTED:
                for attribute in sorted(names & vars(value).keys()):
                    self._bindings.append((vars(value), attribute, vars(value)[attribute]))
                    self.add(f"{value.__name__}.{attribute}", vars(value)[attribute])
        return None

    def _add_class(self, cls: type) -> None:
        for base in cls.__mro__:
            if _package(base.__module__) in _TRUSTED:
                self._line("class", f"{base.__module__}.{base.__qualname__}")
                continue
            self._line("class", base.__qualname__)
            file = getattr(sys.modules.get(base.__module__), "__file__", None)
            self._add_file(base.__module__, file)
            for name, value in vars(base).items():
                function = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
                # Without what dataclass and NamedTuple generate: it follows from the class's own file.
                if isinstance(function, types.FunctionType) and not _generated(function):
                    self._bindings.append((vars(base), name, value))
                    self.add(f"{base.__qualname__}.{name}", function)

    def _add_file(self, module: str, file: str | None, code: types.CodeType | None = None) -> None:
        if (module, file) in self._files:
            return None
        if _package(module) in _TRUSTED:
            return self._line("module", module)
        if file and Path(file).is_file():
            self._files.add((module, file))
            return self._line("file", f"{Path(file).name} {hashlib.sha256(Path(file).read_bytes()).hexdigest()}")
        if code is not None:  # from a prompt or exec
            return self._line("code", hashlib.sha256(marshal.dumps(code)).hexdigest())
        self.opaque = True
        return None

    def _line(self, where: str, text: str) -> None:
        self._lines.add(f"{where}: {text}")


def _package(module: str) -> str:
    return module.partition(".")[0]


def _generated(function: types.FunctionType) -> bool:
    file = function.__code__.co_filename
    return file.startswith("<") and not file.startswith(("<stdin", "<ipython", "<input", "<python"))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def of_class(cls: type) -> Fingerprint:
    """Return the fingerprint of a puzzle's class: of all its functions and all that they reach."""
    found = Fingerprint()
    found.add(cls.__qualname__, cls)
    return found


def _array_digest(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def of_files(files: Iterable[str | os.PathLike[str]]) -> str:
    """Return a digest of the bytes of some files."""
    total = hashlib.sha256()
    for file in files:
        total.update(hashlib.sha256(Path(file).read_bytes()).digest())
    return total.hexdigest()


def of_python() -> str:
    """Return the versions of interpreter and libraries, which compiled code depends on besides its source."""
    tag = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    return (
        f"{sys.version_info[:3]} {tag} numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
    )
