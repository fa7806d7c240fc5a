"""Say how plain Python functions are compiled, with the functions that they call by name, before anything is."""

import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from parsolve.kernel.cache import CompiledFunction
from parsolve.kernel.uncompiled import is_plain, runnable


class Inner(NamedTuple):
    """A function that only compiled ones call.

    Attributes:
        function: a plain function, or one that its author has already compiled.
        inline: whether it is inlined.
        inline_helpers: whether the functions that it calls are inlined too.
    """

    function: Any
    inline: bool = False
    inline_helpers: bool = False


def inner(function: Any, inline: bool = False, inline_helpers: bool = False) -> Any:
    """Return what a template calls, see `Inner`; the plain function where nothing is compiled."""
    return function if is_plain() else Inner(function, inline, inline_helpers)


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a plain function compiled and kept in the kernel cache: for tables that Python would take long to make.

    It is compiled on its first call with arguments of new kinds. It may return numbers, arrays, and tuples of them.
    """
    return kept(function, function.__name__, {})


def kept(function: Callable[..., Any], name: str, helpers: dict[Any, Any]) -> Callable[..., Any]:
    """Return a function that is compiled when it is called and kept in the cache, by what it does; where numba is told
    to compile nothing, the plain function, which can be called alike.

    Args:
        function: a plain function.
        name: of the template, for people.
        helpers: the functions that have been compiled for others like it, so that each is compiled once; extended.
    """
    return runnable(function) if is_plain() else CompiledFunction(function, name, helpers)


def with_globals(function: Callable[..., Any], names: Mapping[str, Any]) -> types.FunctionType:
    """Return a copy of a function of which some globals are others."""
    assert isinstance(function, types.FunctionType)
    made = types.FunctionType(
        function.__code__,
        function.__globals__ | dict(names),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = function.__module__
    made.__qualname__ = function.__qualname__
    return made
