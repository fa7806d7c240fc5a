"""Find what a function reaches: through the global names that it reads, its closure and its defaults."""

import dis
import inspect
import operator
import os
import sys
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

MISSING: Any = object()
"""The value of a name that is not there."""


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield bytecode, and that of the functions and classes defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


@cache
def names_of(code: types.CodeType) -> tuple[str, ...]:
    """Return the globals that bytecode reads, ascending, with the attributes that are read of them: of `f(x).y` that is
    `f` and `x`, of `np.pi` all; of an import `__import__`."""
    names = set()
    for each in codes_of(code):
        chain, high = "", 0
        # `dis` takes eight times as long.
        for operation, low in zip(each.co_code[::2], each.co_code[1::2], strict=True):
            number, high = high | low, 0
            match dis.opname[operation]:
                case "EXTENDED_ARG":
                    high = number << 8
                case "LOAD_GLOBAL" | "LOAD_NAME" as name:
                    names.add(chain)
                    chain = each.co_names[number >> (name == "LOAD_GLOBAL")]
                case "LOAD_ATTR" | "LOAD_METHOD" if chain:  # the lowest bit has been a flag since Python 3.12
                    chain += f".{each.co_names[number >> (sys.version_info >= (3, 12))]}"
                case name if name != "CACHE":
                    names.add(chain)
                    chain = "__import__" if name == "IMPORT_NAME" else ""
    return tuple(sorted(names - {""}))


def followed(chain: str, names: Mapping[str, Any], read: Any = operator.call) -> tuple[list[Any], list[str]]:
    """Return the value of a global name, those of its attributes as long as these are of modules and classes that are
    not trusted, and the names of the other attributes. `read` calls what finds a value, see `identity.Readings`."""
    name, *rest = chain.split(".")
    values = [read(dict.get, names, name, MISSING)]
    while rest and isinstance(values[-1], types.ModuleType | type) and not is_trusted(module_of(values[-1])):
        read(getattr, values[-1], rest[0], MISSING)
        values.append(inspect.getattr_static(values[-1], rest.pop(0), MISSING))
    return values, rest


def cells_of(function: types.FunctionType, read: Any = operator.call) -> Iterator[tuple[str, Any]]:
    """Yield the names of a function's closure, with their values."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, read(_content, cell, name, MISSING)


def _content(cell: Any, _name: str, default: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return default


def reached(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield each value that a function reaches, with its name; numba knows no defaults of names alone."""
    yield from (("a default", each) for each in function.__defaults__ or ())
    yield from cells_of(function)
    for chain in names_of(function.__code__):
        yield from ((chain, each) for each in followed(chain, function.__globals__)[0])


def module_of(value: Any) -> str:
    """Return the name of an object's module. `functools.wraps` gives a function another's, but not its globals."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    names = value.__globals__ if isinstance(value, types.FunctionType) else {}
    return str(names.get("__name__") or getattr(value, "__module__", ""))


def is_trusted(module: str) -> bool:
    """Return whether a module is of a package whose functions are known by their names: `kernelfile.of_compiler` has
    its version. A user's file may have the name of a standard module."""
    package = module.partition(".")[0]
    if package not in sys.stdlib_module_names:
        return package in ("numpy", "numba", "llvmlite")
    file = getattr(sys.modules.get(package), "__file__", None)  # built-in modules have none
    standard = os.path.dirname(os.__file__) + os.sep
    return file is None or (file.startswith(standard) and "site-packages" not in file)
