"""Run kernels as plain Python: for debuggers, and for tests of the engine's logic.

If numba is to compile nothing (NUMBA_DISABLE_JIT=1), templates and rules stay plain functions. Here they are made
to behave like compiled ones: fields are attributes, small integers are widened to 64 bits when they are read and cut
when they are written, a cost that does not fit becomes the greatest that does, and words overflow without a warning.
"""

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from parsolve.compiler.bits import MASK


def imported(name: str) -> Any:
    """Return a module that this process has imported; None if it has not. If another thread imports it just now, this
    waits for the end: a part of it is of no use."""
    return importlib.import_module(name) if name in sys.modules else None


def is_plain() -> bool:
    """Return whether numba is to compile nothing, without importing it."""
    numba = imported("numba")
    return bool(numba.config.DISABLE_JIT if numba else int(os.environ.get("NUMBA_DISABLE_JIT") or 0))


class PlainArray(np.ndarray[Any, Any]):
    """An array whose items are read and written as by compiled code: words stay words, other numbers are widened."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        return value.item() if isinstance(value, np.generic) and not isinstance(value, np.uint64) else value

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, np.asarray(value).astype(self.dtype))

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))


class PlainRow(np.void):  # type: ignore[misc] # final in numpy's stubs only
    """A row of an array of states, a view: its fields are its attributes, see `row_type`."""

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: Any, value: Any) -> None:
        setattr(self, name, value)

    def __repr__(self) -> str:
        return " ".join(f"{name}={self[name]}" for name in self.dtype.fields or ())


@functools.cache
def row_type(state: np.dtype[Any]) -> np.dtype[Any]:
    """Return a state's dtype as one whose items are rows with attributes."""
    fields = {name: _attribute(name, state[name]) for name in state.names or ()}
    return np.dtype((type("PlainRow", (PlainRow,), fields), state))


def _attribute(name: str, field: np.dtype[Any]) -> property:
    read, write = np.void.__getitem__, np.void.__setitem__
    most = np.iinfo(field).max if name == "cost" else 0

    def read_array(row: PlainRow) -> Any:
        return read(row, name).view(PlainArray)

    def write_array(row: PlainRow, value: Any) -> None:
        read(row, name).view(PlainArray)[...] = value

    def read_word(row: PlainRow) -> Any:
        return read(row, name)

    def read_number(row: PlainRow) -> Any:
        return read(row, name).item()

    def write_number(row: PlainRow, value: Any) -> None:
        write(row, name, np.uint64(int(value) & MASK).astype(field))

    def write_cost(row: PlainRow, value: Any) -> None:  # see `translation.Lowering`
        write(row, name, min(int(value) & MASK, most))

    if field.shape:
        return property(read_array, write_array)
    return property(read_word if field == np.uint64 else read_number, write_cost if name == "cost" else write_number)


def runnable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a plain template as a function that is called like a compiled one: with rows and tuples of arrays."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*map(_argument, arguments))

    return run


def _argument(value: Any) -> Any:
    match value:
        case np.ndarray() | np.void() if value.dtype.names:
            return value.view(row_type(value.dtype))
        case np.ndarray() if value.dtype != np.uint64:  # words are not widened
            return value.view(PlainArray)
        case tuple():
            items = map(_argument, value)
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value
