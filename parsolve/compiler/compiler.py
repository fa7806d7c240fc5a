"""Compile functions into object code with numba, which is imported only for this.

The result is a C function: `int32 entry(int64 *block)`. It reads its arguments from the block, see `arguments`, writes
its result after them, and returns 0, or 1 if a rule has raised an exception.
"""

import contextlib
import gc
import importlib
import operator
import sys
import threading
import types as python
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.extending import is_jitted

from parsolve.compiler.arguments import ArrayKind, Kind, TupleKind
from parsolve.compiler.codegen import Library
from parsolve.compiler.marks import INLINED, LOWERED, Inner, with_globals
from parsolve.compiler.objects import target_machine
from parsolve.compiler.reach import MISSING, cells_of, is_trusted, reached
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


_LOCK = threading.RLock()


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Let one thread at a time enter the body, where Python collects no garbage: it took a tenth of the time."""
    with _LOCK:
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


@compiling()
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
    found, copies = list(reached(function)), dict[int, Any]()
    for name, value in found:
        if id(value) not in copies and (copy := _copied(value, name, function, helpers)) is not value:
            copies[id(value)] = copy

    def copied(value: Any) -> Any:
        return copies.get(id(value), value)

    def named(values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: copied(value) for name, value in values.items()}

    for _, value in found:
        if isinstance(value, python.ModuleType) and id(value) in copies:
            vars(copied(value)).update(named(vars(value)))
    cells = (() if content is MISSING else (copied(content),) for _, content in cells_of(function))
    made = with_globals(function, named(function.__globals__), tuple(python.CellType(*each) for each in cells))
    made.__defaults__ = function.__defaults__ and tuple(map(copied, function.__defaults__))
    return made


def _copied(value: Any, name: str, function: Any, helpers: dict[Any, Any]) -> Any:
    """Return what a compiled function has for a value that it reaches by a name; of a module, an empty one."""
    match value:
        case np.ndarray():
            return value.copy(order="K")
        case python.ModuleType() if not is_trusted(value.__name__):
            return python.ModuleType(value.__name__)
        case tuple() if not isinstance(value, Inner):
            items = [_copied(each, name, function, helpers) for each in value]
            return value if all(map(operator.is_, items, value)) else tuple.__new__(type(value), items)
        case python.FunctionType() if value in LOWERED:
            importlib.import_module(f"{value.__module__.rpartition('.')[0]}.lowering")
            return value
    # numba may have been taught what a plain function of a module is.
    if is_jitted(value) or (isinstance(value, python.FunctionType) and "." not in name):
        value = Inner(value, value in INLINED)
    made = dispatcher_of(value, helpers) if isinstance(value, Inner) else value
    if made is None and value is not None:
        raise BadPuzzle(
            f"{function.__name__!r} calls {name!r} in a circle{place_of(function)}, which compiled code cannot: use a"
            " loop"
        )
    return made


def numba_type(kind: Kind) -> Any:
    """Return numba's type for a kind of argument."""
    match kind:
        case ArrayKind(dtype, dimensions, writable):
            return types.Array(numba.from_dtype(dtype), dimensions, "C", readonly=not writable)
        case TupleKind(cls, items):
            return types.BaseTuple.from_types([numba_type(item) for item in items], cls)
        case _:
            return types.boolean if kind == "bool" else getattr(types, kind)
