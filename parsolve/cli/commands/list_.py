"""`parsolve list`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.wrap import for_stdout
from parsolve.errors import ParsolveError
from parsolve.problem.catalogue import CATALOGUE, Entry, installed
from parsolve.text import one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

EPILOG = """\
examples:
  parsolve list
  parsolve list --json
  parsolve describe peg      the parameters of one of them
"""


def list_puzzles(arguments: Sequence[str], stops: Stops) -> int:
    """Print the built-in puzzles, and those of installed packages."""
    parser = Parser(
        "parsolve list",
        "List the puzzles, built in or of installed packages, and indented their named instances.",
        epilog=EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object: name to family, about and parameters")
    options = parser.parse_args(arguments)

    offered = {name: _offered(name, point) for name, point in installed().items()}
    if options.json:
        rows: dict[str, Any] = {
            name: {"family": family_of(entry), "about": entry.about, "parameters": entry.presets}
            for name, entry in CATALOGUE.items()
        }
        rows |= {name: {"family": name, "parameters": {}, **vars(each)} for name, each in offered.items()}
        print(json.dumps(rows, indent=2))
        return 0
    inner = [f"{name}:{instance}" for name, each in offered.items() for instance in each.instances]
    width = max(map(len, [*CATALOGUE, *offered, *inner])) + 4
    for name, entry in CATALOGUE.items():
        print(for_stdout(f"{name if entry.is_family else '  ' + name:{width}}{entry.about}"))
    for name, each in offered.items():
        print(for_stdout(f"{name:{width}}{each.about and f'{each.about} '}(of the package {each.package})"))
        for instance, values in each.instances.items():
            about = " ".join(f"{key} {value}" for key, value in values.items())
            print(for_stdout(f"  {f'{name}:{instance}':{width - 2}}{about}"))
    return 0


@dataclass(frozen=True)
class Offered:
    """A puzzle of an installed package.

    Attributes:
        about: the first sentence of its docstring; empty where it cannot be loaded.
        package: that it is of.
        instances: the parameters of its named instances, by name.
    """

    about: str
    package: str
    instances: dict[str, dict[str, Any]]


def _offered(name: str, point: "EntryPoint") -> Offered:
    """Return what a package offers under a name; print a line on stderr where it cannot be loaded."""
    from parsolve.problem.registry import instances_of, load_class

    package = point.dist.name if point.dist else "?"
    try:
        cls = load_class(name)
        about = " ".join((cls.__doc__ or "").split("\n\n")[0].split()).partition(". ")[0].rstrip(".")
        return Offered(about, package, instances_of(cls))
    except ParsolveError as error:
        print(
            one_line(f"parsolve: the puzzle {name} of the package {package} cannot be used: {error}"), file=sys.stderr
        )
        return Offered("", package, {})


def family_of(entry: Entry) -> str:
    """Return the name of the family that an entry belongs to."""
    return next(name for name, other in CATALOGUE.items() if other.is_family and other.cls == entry.cls)
