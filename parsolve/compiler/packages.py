"""Packages whose functions are known by their names, so that an identity need not look into them."""

import os
import sys
import sysconfig
import types
from typing import Any

TRUSTED = frozenset({"numpy", "numba", "llvmlite", *sys.stdlib_module_names})
"""Packages whose functions are known by their names: `identity.of_compiler` has their versions."""

STANDARD = tuple(
    os.path.join(folder, "")
    for folder in {os.path.dirname(os.__file__), *map(sysconfig.get_path, ("stdlib", "platstdlib"))}
)
"""The folders of the standard library."""


def module_of(value: Any) -> str:
    """Return the name of an object's module. `functools.wraps` gives a function another's, but not its globals."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    names = value.__globals__ if isinstance(value, types.FunctionType) else {}
    return str(names.get("__name__") or getattr(value, "__module__", ""))


def is_trusted(module: str) -> bool:
    """Return whether a module is of a package that is known by its name, and not a user's file of that name."""
    package = package_of(module)
    if package not in sys.stdlib_module_names:
        return package in TRUSTED
    file = getattr(sys.modules.get(package), "__file__", None)  # built-in modules have none
    return file is None or (file.startswith(STANDARD) and "site-packages" not in file)


def package_of(module: str) -> str:
    return module.partition(".")[0]
