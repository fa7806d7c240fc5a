"""Compile a puzzle's plain rules into kernels.

Each puzzle class has its own copy of each template, with the rules injected as its globals: closures made by a factory
could not be cached. One kernel serves every instance of a class, because tables are arguments.
"""

import contextlib
import inspect
import re
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.core.errors import NumbaError

from parsolve.activity import doing
from parsolve.errors import BadPuzzle, RuleRaised
from parsolve.kernel import fingerprint, intrinsics, layer, search, subtree
from parsolve.kernel.cache import KernelCache
from parsolve.puzzle import Puzzle


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
    grow_table: Callable[..., None]
    inspect_rows: Callable[..., None]


_kernels: dict[tuple[type[Puzzle], bool], Kernel] = {}


def kernel_of(cls: type[Puzzle], has_cost: bool) -> Kernel:
    """Return the kernel of a puzzle class; it is compiled on its first call with new argument types.

    Args:
        cls: the class.
        has_cost: whether its solutions differ in cost.
    """
    if (cls, has_cost) not in _kernels:
        weight = getattr(cls, "weight", None)
        source = fingerprint.of_class(cls)
        # A class of the main module is a different class in every process, and so are its types.
        cacheable = not source.opaque and cls.__module__ != "__main__"
        templates = fingerprint.of_files(sorted(Path(__file__).parent.glob("*.py")))
        sources = f"{cls.__module__} {source.digest()} {has_cost} {templates}"
        helpers: dict[types.FunctionType, Any] = {}
        rules = {
            "expand": compiled(cls.expand, helpers, forceinline=True),
            "expand_far": compiled(cls.expand, helpers),
            "solved": compiled(cls.solved, helpers, forceinline=True),
            "weight": compiled(weight, helpers) if weight is not None else None,
            "weigh": weight is not None,
            "watch": has_cost,  # without costs the limit cuts nothing
        }

        def kernel(template: Callable[..., Any], variant: str = "", **names: Any) -> Any:
            dispatcher = numba.njit(nogil=True)(_with_globals(template, names))
            name = f"{cls.__name__}-{template.__name__}{variant}"
            dispatcher._cache = KernelCache(name, sources if cacheable else "")
            return dispatcher

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
        )
    return _kernels[cls, has_cost]


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


def compiled(rule: Callable[..., Any], helpers: dict[types.FunctionType, Any], **options: Any) -> Any:
    """Return a rule as a numba dispatcher; the plain functions that it calls by name are compiled with it.

    Args:
        rule: a plain function, or one that its author has already compiled.
        helpers: the functions compiled so far, so that each is compiled once; extended.
        options: for `numba.njit`.

    Raises:
        BadPuzzle: functions call each other in a circle.
    """
    if not isinstance(rule, types.FunctionType):
        return rule
    names = {}
    for name in rule.__code__.co_names:
        value = rule.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value is not rule and value not in intrinsics.INSTRUCTIONS:
            if value not in helpers:
                helpers[value] = None  # being compiled
                helpers[value] = compiled(value, helpers)
            if helpers[value] is None:
                raise BadPuzzle(
                    f"{rule.__name__!r} and {name!r} call each other in a circle, which numba cannot compile"
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


def call(kernel: Callable[..., int], puzzle: Puzzle, *arguments: Any) -> Any:
    """Return the result of a kernel for a puzzle's tables, rows and other arguments; tell which rule fails, and where.

    Raises:
        BadPuzzle: a rule does not compile.
        RuleRaised: a rule raises.
    """
    try:
        with doing(f"a rule of {type(puzzle).__name__} ('expand' or 'solved'; parsolve check finds the state)"):
            return kernel(*arguments)
    except Exception as error:
        if isinstance(error, NumbaError) or _from_compiler(error):
            raise BadPuzzle(explain(puzzle, arguments[0], arguments[1], error)) from error
        text = f"{type(puzzle).__name__}: a rule raises {type(error).__name__}: {error}"
        raise RuleRaised(f"{text} (parsolve check finds the state)") from error


def explain(puzzle: Puzzle, tables: Any, rows: Any, whole: BaseException) -> str:
    """Return one line that says which rule of a puzzle does not compile, and where: each is compiled by itself."""
    tables_type, rows_type = numba.typeof(tables), numba.typeof(rows)
    state = rows_type.dtype
    for name, arguments in (
        ("expand", (tables_type, state, numba.int64, rows_type, numba.int64)),
        ("solved", (tables_type, state)),
        ("key", (tables_type, state)),
        ("weight", (tables_type, state)),
    ):
        rule = getattr(type(puzzle), name, None)
        if rule is None:
            continue
        try:
            compiled(rule, {}).compile(arguments)
        except Exception as error:
            text = str(error)
            return f"{type(puzzle).__name__}: the rule {name!r} does not compile{_place(rule, text)}: {_reason(error)}"
    return f"{type(puzzle).__name__}: the rules do not compile: {_reason(whole)}"


def _from_compiler(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("numba."):
            return True
        trace = trace.tb_next
    return False


def _place(rule: Callable[..., Any], text: str) -> str:
    """Return the line of the rule that is wrong: the last one that the message names, or one with a name it quotes."""
    code = getattr(rule, "py_func", rule).__code__
    file = Path(code.co_filename).name
    named = re.findall(rf'{re.escape(file)}"?,? \(?(?:line )?(\d+)', text)
    if not named:
        with contextlib.suppress(OSError):
            lines, first = inspect.getsourcelines(rule)
            words = re.findall(r"'(\w+)'", text)
            named = [str(first + number) for number, line in enumerate(lines) if any(word in line for word in words)]
    return f" ({file}, line {named[-1]})" if named else ""


def _reason(error: BaseException) -> str:
    """Return the line of numba's long message that says what is wrong."""
    if not isinstance(error, NumbaError):
        return f"{type(error).__name__}: {error}"
    boring = ("Failed in nopython", "During:", "There are", "- Of which", "File ", "<source", "raised from", ">>>", "^")
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith(boring)), "unknown reason")
