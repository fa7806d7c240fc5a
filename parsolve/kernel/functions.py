"""Compile plain Python functions, with the functions that they call by name."""

import types
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numba
from numba.core.caching import FunctionCache

from parsolve.errors import BadPuzzle
from parsolve.kernel.bytecode import global_names
from parsolve.kernel.cache import KernelCache
from parsolve.kernel.identity import identity_of
from parsolve.kernel.lowering import TAUGHT
from parsolve.kernel.uncompiled import runnable
from parsolve.text import place_of

INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of `numba.njit` for what only compiled functions call: without them a third of the time goes into wrappers that
nobody calls."""


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a plain function compiled and kept in the kernel cache: for tables that Python would take long to make.

    It is compiled on its first call with new argument types.
    """
    return kept(compiled(function, {}, nogil=True), function.__name__)


def kept(dispatcher: Any, name: str) -> Callable[..., Any]:
    """Return a dispatcher whose kernels are kept in the cache, by what it does; where numba is told to compile nothing,
    the plain function, which can be called alike.

    Args:
        dispatcher: what `numba.njit` has returned.
        name: of the kernel, for people.
    """
    if numba.config.DISABLE_JIT:
        return runnable(dispatcher)

    def identity() -> str:
        found = identity_of({"kernel": dispatcher}, compiled=True)
        return "" if found.opaque else found.digest

    dispatcher._cache = KernelCache(name, identity)
    return dispatcher  # type: ignore[no-any-return]


def compiled(
    rule: Any,
    helpers: dict[types.FunctionType, Any],
    for_helpers: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> Any:
    """Return a rule as a numba dispatcher; the plain functions that it calls by name are compiled with it.

    Args:
        rule: a plain function, or one that its author has already compiled.
        helpers: the functions compiled so far, so that each is compiled once; extended.
        for_helpers: their options for `numba.njit`.
        options: those of the rule.

    Raises:
        BadPuzzle: functions call each other in a circle.
    """
    if _is_kept_by_numba(rule):
        own = {name: value for name, value in rule.targetoptions.items() if name != "nopython"}
        return compiled(rule.py_func, helpers, for_helpers, **own)
    if not isinstance(rule, types.FunctionType):
        return rule
    values = ((name, rule.__globals__.get(name)) for name in rule.__code__.co_names)
    called = {
        name: value for name, value in values if isinstance(value, types.FunctionType) or _is_kept_by_numba(value)
    }
    names = {}
    for name in global_names(rule) if called else ():  # of what may be attributes too, the globals
        value = called.get(name)
        if value is not None and value is not rule and value not in TAUGHT:
            if value not in helpers:
                helpers[value] = None  # being compiled
                helpers[value] = compiled(value, helpers, for_helpers, **for_helpers, **INNER)
            if helpers[value] is None:
                raise BadPuzzle(
                    f"{rule.__name__!r} and {name!r} call each other in a circle{place_of(rule)}, which compiled code"
                    " cannot: use a loop"
                )
            names[name] = helpers[value]
    return numba.njit(**options)(with_globals(rule, names))


def _is_kept_by_numba(value: Any) -> bool:
    """Return whether numba's own cache has what is compiled of a function (`cache=True`): it does not notice an edit of
    what the function calls, so that it is compiled anew."""
    return isinstance(getattr(value, "_cache", None), FunctionCache)


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
