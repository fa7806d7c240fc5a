"""Names and classes of puzzles, in installed packages and in files; a puzzle as plain data."""

import contextlib
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import walk_tb
from typing import Any

from parsolve.errors import BadInput, BadPuzzle, ParsolveError
from parsolve.problem import verify
from parsolve.problem.hooks import call, call_foreign
from parsolve.puzzle.catalogue import Instance, families, family_of, is_own, names
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import parameters_of, values_of
from parsolve.system.userfiles import read_plain
from parsolve.text import nearest, one_line

_FILE_MODULE = "parsolve_file_"

_loaded: dict[str, str] = {}  # by module name: a digest of the loaded file


@dataclass(frozen=True)
class Spec:
    """A puzzle: the source of its class, and its parameters.

    Attributes:
        source: `FILE.py:CLASS` with an absolute path, or `package.module:CLASS`.
        parameters: the values of all the class's fields.
    """

    source: str
    parameters: dict[str, Any]

    @property
    def is_own(self) -> bool:
        """Whether its class comes with parsolve."""
        return is_own(self.source)

    def make(self) -> Puzzle:
        """The puzzle.

        Raises:
            BadInput: the source is missing, or the parameters are invalid.
        """
        return construct(load_class(self.source), self.parameters)


def spec_of(puzzle: Puzzle) -> Spec | None:
    """The spec of a puzzle; None if no other process can load its class: it is in the main module, in a function or in
    another class."""
    cls = type(puzzle)
    if cls.__module__ == "__main__" or "." in cls.__qualname__:
        return None
    return Spec(source_of(cls), values_of(puzzle))


def source_of(cls: type[Puzzle]) -> str:
    """Return the source of a class: `FILE.py:CLASS`, or `package.module:CLASS`."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    place = file if cls.__module__.startswith(_FILE_MODULE) else cls.__module__
    return f"{place}:{cls.__qualname__}"


def load_class(source: str) -> type[Puzzle]:
    """Return the class of a name: of the catalogue, `FILE.py:CLASS` or `package.module:CLASS`, or of an instance.

    Raises:
        BadInput: there is no such name, file or class; the message has the nearest names.
        BadPuzzle: the class breaks the contract.
    """
    source, _ = split_source(source)
    place, colon, name = source.rpartition(":")
    file = place if colon and not name else source
    if file.endswith(".py"):
        known = ", ".join(_classes_in(_load_file(Path(file))))
        raise BadInput(f"which class of {file}? Say {file}:CLASS{known and f', one of {known}'}")
    if not colon:
        place, name = _place_of(source)
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place, name)
    cls = getattr(module, name, None)
    if cls is None:
        raise BadInput(f"{place} has no class {name!r}{nearest(name, _classes_in(module))}")
    if not _is_puzzle(cls):
        raise BadPuzzle(f"{source} is not a subclass of parsolve.Puzzle")
    verify.contract(cls)
    return cls  # type: ignore[no-any-return]


def _place_of(name: str) -> tuple[str, str]:
    """Return the module and the class for a name."""
    if name in families():
        return families()[name].module, families()[name].attr
    if os.path.isfile(f"{name}.py"):
        raise BadInput(f"there is no puzzle {name!r}; did you mean {name}.py:CLASS?")
    if os.path.isfile(name):
        reading = [each for each in families() if any(row.name == "file" for row in parameters_of(load_class(each)))]
        such = f", such as {' or '.join(f'{each} --file {name}' for each in reading)}" if reading else ""
        raise BadInput(f"{name} is a file, not a puzzle: name the puzzle first{such}")
    raise BadInput(f"there is no puzzle {name!r}{nearest(name, names())}")


def split_source(source: str) -> tuple[str, str]:
    """Return the name of a class and the name of its instance, which is empty if there is none."""
    head, _, tail = source.rpartition(":")
    if head.endswith(".py") or source.endswith(".py"):  # its folder may have a colon in its name
        return source, ""
    if not head:
        family = family_of(source)
        return (source, "") if family in (None, source) else (family, source)
    of_class = ":" in head or ("." not in head and head in families())
    return (head, tail) if of_class else (source, "")


def instances_of(cls: type[Puzzle]) -> dict[str, Instance]:
    """Return the named instances of a class.

    Raises:
        BadPuzzle: `instances` does not return parameters by name.
    """
    named = call(cls, "instances", lambda: cls.instances())
    if isinstance(named, Mapping):
        found = {name: each if isinstance(each, Instance) else Instance(each) for name, each in named.items()}
        if all(isinstance(each.parameters, Mapping) for each in found.values()) and all(
            isinstance(text, str) for name in found for text in (name, *found[name][1:], *found[name].parameters)
        ):
            return found
    raise BadPuzzle(f"{cls.__name__}: 'instances' must return parameters by the names of instances")


def presets_of(source: str) -> dict[str, Any]:
    """The parameters that a named instance sets; none for a family or a class.

    Raises:
        BadInput: the class has no such instance.
    """
    instance = instance_in(source)
    return dict(instance.parameters) if instance else {}


def instance_in(source: str) -> Instance | None:
    """The named instance of a source; None for a family or a class.

    Raises:
        BadInput: the class has no such instance.
    """
    of_class, name = split_source(source)
    if not name:
        return None
    known = instances_of(load_class(of_class))
    if name not in known:
        raise BadInput(f"{of_class} has no instance {name!r}{nearest(name, known)}")
    return known[name]


def make(source: str, values: dict[str, Any]) -> Puzzle:
    """A puzzle from a name and some of its parameters; an instance's presets and defaults fill the rest.

    Raises:
        BadInput: no such puzzle or parameter, or a value that does not fit.
    """
    return construct(load_class(source), presets_of(source) | values)


def construct(cls: type[Puzzle], values: dict[str, Any]) -> Puzzle:
    """Return a puzzle of a class; any error of its constructor becomes an error of one line.

    Raises:
        BadInput: the values do not fit.
    """

    def failed(error: BaseException) -> ParsolveError:
        if isinstance(error, Exception):
            return BadInput(f"{cls.__name__}: {one_line(error) or type(error).__name__}")
        return BadPuzzle(f"{cls.__name__}: the constructor raises {type(error).__name__}: {one_line(error)}")

    return call_foreign(f"the constructor of {cls.__name__}", lambda: cls(**values), failed)  # type: ignore[no-any-return]


def _is_puzzle(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Puzzle) and value is not Puzzle


def _classes_in(module: Any) -> list[str]:
    return [name for name, value in vars(module).items() if _is_puzzle(value)]


def _load_file(path: Path) -> Any:
    with contextlib.suppress(OSError, ValueError):  # no working folder, or a zero byte in its name
        path = path.resolve()  # one module, and one kernel, for all names of a file
    digest = hashlib.sha256(read_plain(path, "puzzle file")).hexdigest()
    name = _FILE_MODULE + hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    if name in sys.modules and _loaded.get(name) == digest:
        return sys.modules[name]
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    before = sys.modules.get(name)
    if str(path.parent) not in sys.path:  # a puzzle may import its neighbours
        sys.path.append(str(path.parent))
    sys.modules[name] = module

    def failed(error: BaseException) -> BadPuzzle:
        return BadPuzzle(
            f"{path.name} cannot be loaded: {type(error).__name__}: {one_line(error)}{_line_in(path, error)}"
        )

    try:
        call_foreign(f"the import of {path.name}", partial(found.loader.exec_module, module), failed)
    except BaseException:
        if before is not None:
            sys.modules[name] = before
        else:
            del sys.modules[name]
        raise
    _loaded[name] = digest
    return module


def _line_in(path: Path, error: BaseException) -> str:
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return f" (line {lines[-1]})" if lines and not isinstance(error, SyntaxError) else ""


def _load_module(name: str, cls: str) -> Any:
    def failed(error: BaseException) -> BadInput:
        file = f"{name.replace('.', '/')}.py"
        meant = f"; did you mean {file}:{cls}?" if os.path.isfile(file) else ""
        return BadInput(f"the module {name!r} cannot be imported: {one_line(error)}{meant}")

    return call_foreign(f"the import of {name}", lambda: importlib.import_module(name), failed)
