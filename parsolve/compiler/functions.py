"""Choose which plain Python functions are compiled, and which of them are kept in the cache."""

from collections.abc import Callable
from typing import Any

from parsolve.compiler.cache import CompiledFunction
from parsolve.compiler.marks import Inner
from parsolve.compiler.uncompiled import is_plain, runnable


def inner(function: Any, inline: bool = False, inline_helpers: bool = False) -> Any:
    """Return a function for templates to call, see `Inner`; the plain function if nothing is compiled."""
    return function if is_plain() else Inner(function, inline, inline_helpers)


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled and kept in the kernel cache: for lookups that take plain Python long to make.

    It is compiled on its first call with arguments of new kinds. It may return numbers, arrays, and tuples of them.
    """
    return kept(function, function.__name__, {})


def kept(
    function: Callable[..., Any], name: str, helpers: dict[Any, Any], check: Callable[[], None] = lambda: None
) -> Callable[..., Any]:
    """Return a function that is compiled when it is called, and kept in the cache by its identity; if numba is told to
    compile nothing, the plain function, which is called in the same way.

    Args:
        function: a plain function.
        name: name of the template.
        helpers: the functions compiled so far for the same rules, so that each is compiled once; extended.
        check: raises an exception if what the function reads is not what the caller has identified.
    """
    return runnable(function) if is_plain() else CompiledFunction(function, name, helpers, check)
