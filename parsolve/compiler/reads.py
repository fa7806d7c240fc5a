"""What was read to identify some functions and values, so that a change is seen without identifying them again."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

MISSING: Any = object()
"""The value of a name that is not there."""


class Reads:
    """All that an identity was taken from: values of names, parts of functions, contents of what can be written to.

    Values are compared by `is`: an equal one that is not the same counts as a change. Contents are compared by `==`.

    Attributes:
        is_fixed: whether numba keeps code that it has compiled of what was read, so that it would not see a change.
    """

    def __init__(self) -> None:
        self.is_fixed = False
        self._values: dict[tuple[int, str], tuple[Callable[..., Any], Any, str, Any, str]] = {}
        self._contents: dict[int, tuple[Any, str, Any, Callable[[], Any]]] = {}

    def add(self, read: Callable[..., Any], owner: Any, name: str, shown: str = "") -> None:
        """Add the value that `read(owner, name, MISSING)` returns: `dict.get` of a global, or `getattr`.

        Args:
            shown: its name in `change`, if that is another.
        """
        key = id(owner), name  # the owner is kept, so its id is its own
        if key not in self._values:
            self._values[key] = read, owner, name, read(owner, name, MISSING), shown or name

    def add_function(self, function: FunctionType) -> None:
        """Add the parts of a function, with the contents of its cells."""
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.add(getattr, function, name, function.__name__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.add(content, cell, name)

    def add_content(self, owner: Any, name: str, find: Callable[[], Any]) -> None:
        """Add the content of a mutable object, by a function that reads it."""
        if id(owner) not in self._contents:
            self._contents[id(owner)] = owner, name, find(), find

    @property
    def change(self) -> str:
        """The name of something that is not as it was read; empty if all is."""
        for read, owner, name, value, shown in self._values.values():
            if read(owner, name, MISSING) is not value:
                return shown
        for _, name, found, find in self._contents.values():
            if find() != found:
                return name
        return ""


def content(cell: Any, _name: str, default: Any) -> Any:
    """Return the content of a cell; `default` if it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return default


def own(cls: type, name: str, default: Any) -> Any:
    """Return what a class itself has by a name."""
    return vars(cls).get(name, default)
