"""Compile a puzzle's plain rules into kernels.

Each puzzle class has its own copy of each template, with the rules injected as its globals: closures made by a factory
could not be cached. One kernel serves every instance of a class, because tables are arguments.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numba

from parsolve.errors import BadPuzzle
from parsolve.kernel import chains, dense, fingerprint, intrinsics, layer, search, subtree
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
    dense: "DenseKernel | None"
    chains: "ChainsKernel | None"


class LayerKernel(NamedTuple):
    """The compiled functions of breadth-first search, for a puzzle class that gives a key."""

    expand_layer: Callable[..., bool]
    merge_duplicates: Callable[..., bool]
    grow_table: Callable[..., None]
    inspect_rows: Callable[..., None]


class DenseKernel(NamedTuple):
    """The compiled functions of breadth-first search over numbered states, for a puzzle class that gives `index`."""

    expand_words: Callable[..., int]
    expand_layer: Callable[..., bool]  # with numbers for keys
    index_rows: Callable[..., None]
    unindex_rows: Callable[..., None]


class ChainsKernel(NamedTuple):
    """The compiled functions of breadth-first search over keys, for a puzzle class that gives `unkey`."""

    expand_buckets: Callable[..., None]
    mark_keys: Callable[..., None]
    key_rows: Callable[..., None]
    unkey_rows: Callable[..., None]
    expand_entries: Callable[..., None]  # with the costs above the keys
    mark_entries: Callable[..., None]
    reverse_keys: Callable[..., None] | None  # None where there is no `reverse`


TEMPLATES = ("compile", "search", "subtree", "layer", "keys", "intrinsics", "lanes", "atomics")
"""The modules of this folder that a kernel is made from."""

DENSE_TEMPLATES, CHAINS_TEMPLATES = ("dense",), ("chains",)
"""The same of kernels for numbered states and for keys, beside those."""

NO_RETURN = {
    "expand": "returns nothing: end it with 'return top'",
    "solved": "returns nothing: write 'return' before what says whether a state is solved",
    "key": "returns nothing: end it with 'return' and the key",
    "weight": "returns nothing: end it with 'return' and two numbers",
    "index": "returns nothing: end it with 'return' and the number of the state",
    "entry": "returns nothing: end it with 'return' and the place in the table",
}
"""What to say of a rule that returns nothing."""

_kernels: dict[tuple[type[Puzzle], bool], Kernel] = {}


def kernel_of(cls: type[Puzzle], has_cost: bool) -> Kernel:
    """Return the kernel of a puzzle class; it is compiled on its first call with new argument types.

    Args:
        cls: the class.
        has_cost: whether its solutions differ in cost.

    Raises:
        BadPuzzle: a rule never returns a value, or helpers call each other in a circle.
    """
    if (cls, has_cost) not in _kernels:
        for name in NO_RETURN:
            if returns_nothing(getattr(cls, name, None)):  # compiled code would take it for 0 or False
                raise BadPuzzle(f"{cls.__name__}: the rule {name!r}{place_of(getattr(cls, name))} {NO_RETURN[name]}")
        weight = getattr(cls, "weight", None)
        source = fingerprint.of_class(cls)
        # A class of the main module is a different class in every process, and so are its types.
        cacheable = not source.opaque and cls.__module__ != "__main__"
        sources = f"{cls.__module__} {source.digest()} {has_cost} {_digest(TEMPLATES)}"
        helpers: dict[types.FunctionType, Any] = {}
        rules = {
            "expand": compiled(cls.expand, helpers, forceinline=True),
            "expand_far": compiled(cls.expand, helpers),
            "solved": compiled(cls.solved, helpers, forceinline=True),
            "weight": compiled(weight, helpers) if weight is not None else None,
            "weigh": weight is not None,
            "watch": has_cost,  # without costs the limit cuts nothing
        }

        def kernel(template: Callable[..., Any], variant: str = "", more: str = "", **names: Any) -> Any:
            dispatcher = numba.njit(nogil=True)(_with_globals(template, names))
            name = f"{cls.__name__}-{template.__name__}{variant}"
            dispatcher._cache = KernelCache(name, sources + more if cacheable else "")
            return dispatcher

        def dense_kernel() -> DenseKernel:
            more = f" {_digest(DENSE_TEMPLATES)}"
            numbering: dict[str, Any] = {"index": cls.index, "unindex": cls.unindex, "entry": cls.entry or dense.itself}
            inlined: dict[types.FunctionType, Any] = {}  # a call would cost more than what it does
            names = rules | {
                name: compiled(rule, inlined, {"forceinline": True}, forceinline=True)
                for name, rule in numbering.items()
            }
            return DenseKernel(
                kernel(dense.expand_words, more=more, **names),
                kernel(layer.expand_layer, "-numbered", key=names["index"], **rules),
                kernel(dense.index_rows, more=more, **names),
                kernel(dense.unindex_rows, more=more, **names),
            )

        def chains_kernel() -> ChainsKernel:
            more = f" {_digest(CHAINS_TEMPLATES)}"
            unkey: Any = cls.unkey
            names = rules | {"key": key, "unkey": compiled(unkey, helpers, forceinline=True), "costly": False}
            entries = names | {"costly": True}
            templates = (chains.expand_buckets, chains.mark_keys, chains.key_rows, chains.unkey_rows)
            reverse = compiled(cls.reverse, helpers, forceinline=True) if cls.reverse is not None else None
            kernels = [kernel(template, more=more, **names) for template in templates]
            kernels += [kernel(template, "-entries", more=more, **entries) for template in templates[:2]]
            back = None if reverse is None else kernel(chains.reverse_keys, more=more, reverse=reverse, **names)
            return ChainsKernel._make([*kernels, back])

        count_subtree = numba.njit(nogil=True)(_with_globals(subtree.count_subtree, rules))
        key = compiled(cls.key, helpers, forceinline=True) if cls.key is not None else None
        # A queue cannot tell when a subtree for the transposition table ends; and the weight of a solved state may take
        # more nodes than the budget has.
        subtrees = {"count_subtree": count_subtree, "list_subtree": list_subtree(), "queue": weight is None}
        _kernels[cls, has_cost] = Kernel(
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
                kernel(layer.grow_table),
                kernel(layer.inspect_rows, key=key, **rules),
            ),
            dense_kernel() if cls.index is not None else None,
            chains_kernel() if cls.unkey is not None else None,
        )
    return _kernels[cls, has_cost]


def _digest(templates: Iterable[str]) -> str:
    return fingerprint.of_files(Path(__file__).with_name(f"{name}.py") for name in templates)


@cache
def list_subtree() -> Any:
    """Return `subtree.list_subtree` compiled; it is cached by itself, because it is the same for all puzzles."""
    dispatcher = compiled(subtree.list_subtree, {}, nogil=True)
    dispatcher._cache = KernelCache("list_subtree", fingerprint.of_files([Path(subtree.__file__)]))
    return dispatcher


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a plain function compiled and kept in the kernel cache: for tables that Python would take long to make.

    It is compiled on its first call with new argument types.
    """
    source = fingerprint.Fingerprint()
    source.add(function.__qualname__, function)
    sources = f"{source.digest()} {fingerprint.of_files([Path(intrinsics.__file__)])}"
    dispatcher = compiled(function, {}, nogil=True)
    dispatcher._cache = KernelCache(function.__name__, "" if source.opaque else sources)
    return dispatcher  # type: ignore[no-any-return]


def compiled(
    rule: Callable[..., Any],
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
    if not isinstance(rule, types.FunctionType):
        return rule
    names = {}
    for name in global_names(rule):
        value = rule.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value is not rule and value not in intrinsics.TAUGHT:
            if value not in helpers:
                helpers[value] = None  # being compiled
                helpers[value] = compiled(value, helpers, for_helpers, **for_helpers)
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
