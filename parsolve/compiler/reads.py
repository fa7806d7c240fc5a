"""What was read to identify some functions and values, so that a change is seen without identifying them again."""

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MISSING: Any = object()
"""The value of a name that is not there."""


class Reads:
    """All that an identity was taken from: values of names, parts of functions, contents of what can be written to.

    Values of names are compared by `is`: an equal one that is not the same counts as a change.

    Attributes:
        is_fixed: whether numba keeps code that it has compiled of what was read, so that it would not see a change.
    """

    def __init__(self) -> None:
        self.is_fixed = False
        self._names: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        self._attributes: dict[tuple[int, str], tuple[Any, str, Any]] = {}
        self._functions: dict[int, tuple[FunctionType, Any, Any]] = {}
        self._cells: list[tuple[Any, str, Any]] = []
        self._contents: dict[int, tuple[Any, str, Any, Callable[[], Any]]] = {}

    def add_name(self, names: Mapping[str, Any], name: str) -> None:
        """Add the value of a name, or that it has none."""
        self._names.setdefault((id(names), name), (names, name, names.get(name, MISSING)))

    def add_attribute(self, owner: Any, name: str) -> None:
        """Add an attribute of a module or class."""
        self._attributes.setdefault((id(owner), name), (owner, name, getattr(owner, name, MISSING)))

    def add_class(self, cls: type) -> None:
        """Add all that is defined in a class itself."""
        names = vars(cls)
        for name in names:
            self.add_name(names, name)
        self.add_content(cls, cls.__name__, len(names), lambda: len(names))

    def add_function(self, function: FunctionType) -> None:
        """Add the parts of a function, with the contents of its cells."""
        self._functions[id(function)] = function, function.__code__, function.__defaults__
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._cells.append((cell, name, _content(cell)))

    def add_array(self, array: Array, name: str) -> None:
        """Add what is in an array, and how it lies in memory."""

        def content() -> Any:
            return array.dtype, array.shape, array.strides, array.tobytes()

        self.add_content(array, name, content(), content)

    def add_content(self, owner: Any, name: str, found: Any, find: Callable[[], Any]) -> None:
        """Add the content of a mutable object, and a function that reads it again."""
        self._contents.setdefault(id(owner), (owner, name, found, find))  # the owner lives, so its id is its own

    @property
    def change(self) -> str:
        """The name of something that is not as it was read; empty if all is."""
        # A loop for each kind: this is asked for each row of a batch.
        for names, name, value in self._names.values():
            if names.get(name, MISSING) is not value:
                return name
        for owner, name, value in self._attributes.values():
            if getattr(owner, name, MISSING) is not value:
                return name
        for function, code, defaults in self._functions.values():
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return function.__name__
        for cell, name, value in self._cells:
            if _content(cell) is not value:
                return name
        for _, name, found, find in self._contents.values():
            if find() != found:
                return name
        return ""


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return MISSING
