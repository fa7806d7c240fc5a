"""What numba's own values in a puzzle's rules mean: functions that their author compiles, types, and what teaches numba
others. Imported only if numba is."""

import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numba
import numba.extending
from numba.core import imputils
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
from numba.core.typing import templates
from numba.np.ufunc.dufunc import DUFunc
from numba.np.ufunc.gufunc import GUFunc

from parsolve.compiler.syntax import TRUSTED, module_of, package_of

EXTENDING = {
    id(value): name for name, value in vars(numba.extending).items() if callable(value) and not isinstance(value, type)
}
"""The functions of `numba.extending`. What they teach numba cannot be found by name, so a module that uses one is taken
as a whole."""

FIXED = CFunc, DUFunc, GUFunc
"""Classes of functions whose code numba keeps: a change of what that reads does not reach it."""


def described(value: Any, text: Callable[[Any], str]) -> Iterator[str]:
    """Yield lines that say what a value of numba's means; none for other values."""
    if isinstance(value, numba.types.Type):
        yield f"type {value!r}"
        yield text(type(value))
    elif id(value) in EXTENDING:
        yield f"numba.extending.{EXTENDING[id(value)]}"
    elif isinstance(value, Dispatcher | CFunc | DUFunc | GUFunc):  # compiled by its author
        made: Any = value._dispatcher if isinstance(value, DUFunc | GUFunc) else value
        compiler: Any = made._compiler if isinstance(value, CFunc) else made
        yield f"options {text(dict(sorted(compiler.targetoptions.items())))}"
        yield f"locals {text(dict(sorted(compiler.locals.items())))}"
        # Arguments and results are converted to the types that are named. Otherwise `types` has only those met so far.
        if isinstance(value, CFunc):
            yield f"types {made._sig}"
        elif isinstance(value, Dispatcher):
            yield f"types {[] if made._can_compile else made.nopython_signatures}"
            yield text(made._compiler.pipeline_class)
        else:
            yield f"types {value.types if value._frozen else []} {value.signature} {value.identity}"
        yield text(made.__wrapped__ if isinstance(value, CFunc) else made.py_func)


def teachers() -> Mapping[Any, list[FunctionType]]:
    """Return the functions that teach numba others, by the id of what they teach or by the name of a method.

    They may be in a module that is imported but never named.
    """
    registry = templates.builtin_registry
    return _teachers_of(len(registry.globals), len(registry.attributes), len(imputils.builtin_registry.functions))


@functools.cache
def _teachers_of(globals_: int, attributes: int, functions: int) -> Mapping[Any, list[FunctionType]]:
    """Return them; cached by the sizes of numba's registries, because reading all takes 3 ms."""
    registry = templates.builtin_registry
    taught: list[tuple[Any, Any]] = [
        (id(value), getattr(template, "_overload_func", None))
        for value, kind in registry.globals
        for template in getattr(kind, "templates", ())
    ]
    taught += [(getattr(each, "_attr", ""), getattr(each, "_overload_func", None)) for each in registry.attributes]
    taught += [(id(value), function) for function, value, _ in imputils.builtin_registry.functions]
    found = defaultdict(list)
    for place, function in taught:
        if isinstance(function, FunctionType) and package_of(module_of(function)) not in {*TRUSTED, "parsolve"}:
            found[place].append(function)
    return found
