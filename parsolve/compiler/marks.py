"""Say how plain functions are compiled. Nothing here imports numba, which commands with cached kernels do without."""

import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

INLINED: set[Callable[..., Any]] = set()
"""The functions that are inlined wherever compiled code calls them."""

LOWERED: set[Callable[..., Any]] = set()
"""The functions whose bodies are for plain Python only: `lowering`, beside their module, says what they are in compiled
code."""


def injected(name: str) -> Any:
    """Stand for what a template is specialised with: a rule, a template, or a flag."""

    def missing(*_: Any) -> Any:
        raise NameError(f"{name!r} is injected into a template: call what is made of it for a puzzle's rules")

    return missing


def with_globals(
    function: Callable[..., Any], names: Mapping[str, Any], closure: tuple[types.CellType, ...] | None = None
) -> types.FunctionType:
    """Return a copy of a function with some of its globals replaced, and with a closure of its own if it is given."""
    assert isinstance(function, types.FunctionType)
    made = types.FunctionType(
        function.__code__,
        function.__globals__ | dict(names),
        function.__name__,
        function.__defaults__,
        closure or function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = function.__module__
    made.__qualname__ = function.__qualname__
    return made


def inlined(function: F) -> F:
    """Mark a function that is to be inlined."""
    INLINED.add(function)
    return function


def lowered(function: F) -> F:
    """Mark a function whose body is not compiled."""
    LOWERED.add(function)
    return function


@lowered
def never_inline() -> None:
    """Keep LLVM from inlining the function that calls this: its loop and the loop around it then have all registers."""


class Inner(NamedTuple):
    """A function that only compiled functions call: a plain one, or one that its author compiles.

    Attributes:
        inline: whether it is inlined.
    """

    function: Any
    inline: bool = False
