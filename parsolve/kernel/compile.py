"""From a puzzle's plain rules to compiled kernels.

Each template is made anew for each puzzle class, with the rules injected as its globals: a factory of closures
would never be cached. One kernel serves every instance of a class, because tables are arguments.
"""

import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba

from parsolve.errors import BadPuzzle
from parsolve.kernel import fingerprint, layer, search, subtree
from parsolve.kernel.bytecode import global_names, returns_nothing
from parsolve.kernel.cache import KernelCache
from parsolve.puzzle import Puzzle
from parsolve.text import place_of


class Kernel(NamedTuple):
    """The compiled functions of a puzzle class; see the templates for their arguments."""

    search: Callable[..., int]
    search_remembering: Callable[..., int] | None  # with the transposition table; None where there is no key
    restore: Callable[..., int]
    fingerprint: str
    layer: "LayerKernel | None"


class LayerKernel(NamedTuple):
    """The compiled functions of breadth-first search, for a puzzle class that gives a key."""

    expand_layer: Callable[..., bool]
    merge_duplicates: Callable[..., bool]
    grow: Callable[..., None]
    look: Callable[..., None]


NO_RETURN = {
    "expand": "returns nothing: end it with 'return top'",
    "solved": "returns nothing: write 'return' before what says whether a state is solved",
    "key": "returns nothing: end it with 'return' and the key",
    "worth": "returns nothing: end it with 'return' and two numbers",
}
"""What to say of a rule that returns nothing."""

_kernels: dict[type[Puzzle], Kernel] = {}


def kernel_of(cls: type[Puzzle]) -> Kernel:
    """The kernel of a puzzle class; made on first use, compiled on its first call with new argument types.

    Raises:
        BadPuzzle: a rule never returns a value, or helpers call each other in a circle.
    """
    if cls not in _kernels:
        for name in ("expand", "solved", "key"):
            if returns_nothing(getattr(cls, name)):  # compiled code would take it for 0 or False
                raise BadPuzzle(f"{cls.__name__}: the rule {name!r}{place_of(getattr(cls, name))} {NO_RETURN[name]}")
        source = fingerprint.of_class(cls)
        # A class typed into the main module is another class in every process, and so are its types.
        cacheable = not source.opaque and cls.__module__ != "__main__"
        sources = (
            f"{cls.__module__} {source.digest()} {fingerprint.of_files(sorted(Path(__file__).parent.glob('*.py')))}"
        )
        helpers: dict[types.FunctionType, Any] = {}
        rules = {
            "expand": compiled(cls.expand, helpers, forceinline=True),
            "expand_far": compiled(cls.expand, helpers),
            "solved": compiled(cls.solved, helpers, forceinline=True),
            "worth": compiled(cls.worth, helpers) if cls.worth is not None else None,
            "weigh": cls.worth is not None,
            "watch": cls.has_cost,  # where nothing has a cost nothing is cut
        }

        def kernel(template: Callable[..., Any], variant: str = "", **names: Any) -> Any:
            dispatcher = numba.njit(nogil=True)(_with_globals(template, names))
            name = f"{cls.__name__}-{template.__name__}{variant}"
            dispatcher._cache = KernelCache(name, sources if cacheable else "")
            return dispatcher

        count_subtree = numba.njit(nogil=True)(_with_globals(subtree.count_subtree, rules))
        key = compiled(cls.key, helpers, forceinline=True) if cls.key is not None else None
        # A queue does not know when a subtree that is to be remembered ends; and what a solved state is worth may take
        # more nodes than the budget has.
        subtrees = {"count_subtree": count_subtree, "list_subtree": list_subtree(), "queue": cls.worth is None}
        _kernels[cls] = Kernel(
            kernel(search.search, remember=False, **subtrees, **rules),
            kernel(search.search, "-remembering", remember=True, key=key, **subtrees | {"queue": False}, **rules)
            if key is not None
            else None,
            kernel(search.restore, **rules),
            source.digest(),
            None
            if key is None
            else LayerKernel(
                kernel(layer.expand_layer, key=key, **rules),
                kernel(layer.merge_duplicates),
                kernel(layer.grow),
                kernel(layer.look, key=key, **rules),
            ),
        )
    return _kernels[cls]


@cache
def list_subtree() -> Any:
    """`subtree.list_subtree` compiled: kept by itself, for it is the same for all puzzles."""
    dispatcher = compiled(subtree.list_subtree, {}, nogil=True)
    dispatcher._cache = KernelCache("list_subtree", fingerprint.of_files([Path(subtree.__file__)]))
    return dispatcher


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function compiled and kept in the kernel cache: for tables that Python would take long to make. Compiled
    on its first call with new argument types."""
    source = fingerprint.Fingerprint()
    source.add(function.__qualname__, function)
    dispatcher = compiled(function, {}, nogil=True)
    dispatcher._cache = KernelCache(function.__name__, "" if source.opaque else source.digest())
    return dispatcher  # type: ignore[no-any-return]


def compiled(rule: Callable[..., Any], helpers: dict[types.FunctionType, Any], **options: Any) -> Any:
    """A rule as a numba dispatcher, and with it the plain functions that it calls by name.

    Args:
        rule: a plain function, or one that its author has already compiled.
        helpers: the functions compiled so far, so that each is compiled once.
        options: for `numba.njit`.

    Raises:
        BadPuzzle: functions call each other in a circle.
    """
    if not isinstance(rule, types.FunctionType):
        return rule
    names = {}
    for name in global_names(rule):
        value = rule.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value is not rule:
            if value not in helpers:
                helpers[value] = None  # in the making
                helpers[value] = compiled(value, helpers)
            if helpers[value] is None:
                raise BadPuzzle(
                    f"{rule.__name__!r} and {name!r} call each other in a circle{place_of(rule)}, which compiled code"
                    " cannot: use a loop"
                )
            names[name] = helpers[value]
    return numba.njit(**options)(_with_globals(rule, names))


def _with_globals(function: Callable[..., Any], names: dict[str, Any]) -> types.FunctionType:
    assert isinstance(function, types.FunctionType)
    made = types.FunctionType(
        function.__code__,
        function.__globals__ | names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = function.__module__
    made.__qualname__ = function.__qualname__
    return made
