"""Compile functions into object code with numba, which is imported only for this.

The result is a C function: `int32 entry(int64 *block)`. It reads its arguments from the block, see `arguments`, writes
its result after them, and returns 0, or 1 if a rule has raised an exception.
"""

import contextlib
import gc
import importlib
import sys
import threading
import types as python
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.extending import is_jitted

from parsolve.compiler.arguments import ArrayKind, Kind, TupleKind
from parsolve.compiler.codegen import Library
from parsolve.compiler.marks import INLINED, LOWERED, Inner, global_names, with_globals
from parsolve.compiler.objects import target_machine
from parsolve.compiler.syntax import is_trusted
from parsolve.compiler.translation import Translation
from parsolve.compiler.wrapper import allocator, return_kind, wrapper_of
from parsolve.errors import BadPuzzle
from parsolve.text import place_of

importlib.import_module(f"{__package__}.lowering")  # teaches numba

OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": Translation}
"""Options of `numba.njit`: these functions are never called from Python, and what that needs would take half
of the time to compile."""

LIBRARY = {
    *("malloc", "free", "memset", "memcpy", "memmove", "memcmp"),
    *("sqrt", "cbrt", "hypot", "floor", "ceil", "trunc", "rint", "round", "fmod", "ldexp", "frexp", "fabs"),
    *("pow", "powf", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
    *("__divti3", "__modti3", "__udivti3", "__umodti3"),
}
"""The functions of the C library that an object file may call."""


_compiling = threading.RLock()


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Have Python collect no garbage in the body, which one thread at a time enters: it took a tenth of the time."""
    with _compiling:
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


@_without_collection()
def compile_object(
    function: python.FunctionType,
    kinds: Sequence[Kind],
    symbol: str,
    helpers: dict[Any, Any],
    check: Callable[[], None],
) -> tuple[bytes, Any]:
    """Return an object file for this machine with a function, and the kind of its result, see `wrapper.return_kind`.

    Args:
        function: a plain function.
        kinds: kinds of its arguments.
        symbol: name of the entry.
        helpers: the functions compiled so far, so that each is compiled once; extended.
        check: see `cache.compiled`.

    Raises:
        BadPuzzle: functions call each other in a circle.
        Exception: numba cannot compile it, or it calls what an object file cannot call.
    """
    known = dict(helpers)
    kernel = dispatcher_of(Inner(function), known)
    check()  # from here on nothing is read that can change; what was read in vain is forgotten
    helpers.update(known)
    arguments = tuple(numba_type(kind) for kind in kinds)
    kernel.compile(arguments)
    description = kernel.overloads[arguments].fndesc
    module = self_contained(kernel.overloads[arguments].library, wrapper_of(description, symbol))
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration:
            each.linkage = "internal"
    module.get_function(symbol).linkage = "external"
    return target_machine().emit_object(module), return_kind(description.restype)


def self_contained(library: Library, *modules: Any) -> Any:
    """Return LLVM's module of a compiled function, with all that it needs, and with other modules.

    Raises:
        NotImplementedError: it calls what an object file cannot call.
    """
    module = library.optimised()
    for each in (*modules, allocator()):
        module.link_in(llvm.parse_assembly(str(each)))
    foreign = {
        each.name
        for each in (*module.functions, *module.global_variables)
        if each.is_declaration and not each.name.startswith("llvm.") and each.name not in LIBRARY
    }
    if foreign:
        needed = ", ".join(sorted(foreign))
        raise NotImplementedError(f"it needs {needed}, which compiled rules cannot have: use numbers and arrays alone")
    return module


def dispatcher_of(called: Inner, helpers: dict[Any, Any]) -> Any:
    """Return numba's dispatcher of a function, which calls compiled functions only.

    Args:
        called: the function.
        helpers: the functions compiled so far; extended.

    Raises:
        BadPuzzle: functions call each other in a circle.
    """
    function, inline = called
    options = {"forceinline": True} if inline else {}
    signatures = []
    if is_jitted(function):  # by its author, whose options stay; what numba keeps of it may have read other values
        options = {name: value for name, value in function.targetoptions.items() if name != "nopython"}
        options["locals"] = function._compiler.locals
        signatures = [] if function._can_compile else list(function.overloads)
        function = function.py_func
    elif not isinstance(function, python.FunctionType):
        return function
    if _is_own(function):
        helpers = _OWN
    if called not in helpers:
        helpers[called] = None  # being compiled
        helpers[called] = made = numba.njit(**options | OPTIONS)(linked(function, helpers))
        for each in signatures:
            made.compile(each)
        made.disable_compile(bool(signatures))
    return helpers[called]


_OWN: dict[Any, Any] = {}
"""The compiled functions of this package and of templates into which no rules are injected: all puzzles share them."""


def _is_own(function: Any) -> bool:
    """Return whether a function is of this package, or of an engine's templates, without injected rules."""
    module = function.__module__
    is_ours = module.startswith(f"{__package__}.") or (module.startswith("parsolve.") and ".templates." in module)
    return is_ours and vars(sys.modules.get(module, python)).get(function.__name__) is function


def linked(function: Any, helpers: dict[Any, Any]) -> python.FunctionType:
    """Return a copy of a function that calls compiled functions in place of plain ones; see `dispatcher_of`.

    It reads arrays and modules as they are now: numba reads them when it compiles the function.
    """
    names: dict[str, Any] = {}
    for name in global_names(function):
        value = function.__globals__.get(name)
        if isinstance(value, np.ndarray):
            names[name] = value.copy(order="K")
        if isinstance(value, python.ModuleType) and not is_trusted(value.__name__):
            names[name] = python.ModuleType(value.__name__)
            vars(names[name]).update(vars(value))
        if isinstance(value, python.FunctionType) or is_jitted(value):
            if value in LOWERED:
                importlib.import_module(f"{value.__module__.rpartition('.')[0]}.lowering")
            if function in (value, getattr(value, "py_func", None)) or value in LOWERED:
                continue
            value = Inner(value, value in INLINED)
        if not isinstance(value, Inner):
            continue
        names[name] = dispatcher_of(value, helpers)
        if names[name] is None:
            raise BadPuzzle(
                f"{function.__name__!r} and {name!r} call each other in a circle{place_of(function)}, which compiled"
                " code cannot: use a loop"
            )
    return with_globals(function, names)


def numba_type(kind: Kind) -> Any:
    """Return numba's type for a kind of argument."""
    match kind:
        case ArrayKind(dtype, dimensions, writable):
            return types.Array(numba.from_dtype(dtype), dimensions, "C", readonly=not writable)
        case TupleKind(cls, items):
            return types.BaseTuple.from_types([numba_type(item) for item in items], cls)
        case _:
            return types.boolean if kind == "bool" else getattr(types, kind)
