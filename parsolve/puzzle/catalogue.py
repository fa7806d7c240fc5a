"""The names of puzzles: entry points of installed packages, parsolve's own families among them.

    [project.entry-points."parsolve.puzzles"]
    lights = "my_package.lights:LightsOut"

No puzzle is loaded here, so `parsolve list` is fast. What it prints comes from the folder of a family: the package
around the module that the entry point names, if that package defines `INSTANCES`.
"""

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from parsolve.system.activity import doing

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import ModuleType

GROUP = "parsolve.puzzles"
"""The group of entry points."""


class Instance(NamedTuple):
    """A named instance of a puzzle.

    Attributes:
        parameters: its parameters, by name.
        about: a short description for `parsolve list`; by default its values.
        hint: an explanation and advice if its number of solutions may surprise.
    """

    parameters: Mapping[str, Any]
    about: str = ""
    hint: str = ""


@cache
def families() -> "dict[str, EntryPoint]":
    """Return the entry points by name, parsolve's own first; of two with the same name the first counts."""
    from importlib.metadata import entry_points  # 20 ms

    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (not is_own(point.module), point.name)):
        points.setdefault(point.name, point)
    return points


def is_own(module: str) -> bool:
    """Return whether a module comes with parsolve, and so stays the same while a process runs."""
    return module.startswith("parsolve.")


@cache
def folder_of(family: str) -> "ModuleType | None":
    """Return the folder of a family, with its docstring and `INSTANCES`; None if only its class can give them."""
    package = families()[family].module.rpartition(".")[0]
    try:
        with doing(f"the import of {package}"):
            folder = importlib.import_module(package)
    except KeyboardInterrupt:
        raise
    except BaseException:  # loading the class raises it again
        return None
    return folder if hasattr(folder, "INSTANCES") else None


@cache
def names() -> dict[str, str]:
    """Return the families by all names of their own and of their instances, each before its instances."""
    found: dict[str, str] = {}
    for family in families():
        folder = folder_of(family)
        for name in (family, *(folder.INSTANCES if folder else ())):
            found.setdefault(name, family)
    return found | {family: family for family in families()}


def family_of(name: str) -> str | None:
    """Return the family of a name, its own or an instance's; None if there is no such name."""
    return name if name in families() else names().get(name)


def name_of(cls: type) -> str | None:
    """Return the name of the family of a class; None for any other class."""
    for name, point in families().items():
        if point.attr == cls.__qualname__ and getattr(sys.modules.get(point.module), point.attr, None) is cls:
            return name
    return None
