"""`parsolve list`."""

import json
from collections.abc import Sequence
from typing import Any

from parsolve.cli.parser import Parser
from parsolve.cli.signals import Stops
from parsolve.puzzles import CATALOGUE, Entry, installed

EPILOG = """\
examples:
  parsolve list
  parsolve list --json
  parsolve describe peg      the parameters of one of them
"""


def list_puzzles(arguments: Sequence[str], stops: Stops) -> int:
    """Print the built-in puzzles, and those of installed packages."""
    parser = Parser("parsolve list", "List the built-in puzzles, and indented their named instances.", epilog=EPILOG)
    parser.add_argument("--json", action="store_true", help="one JSON object: name to family, about and parameters")
    options = parser.parse_args(arguments)

    offered = {name: point.dist.name if point.dist else "?" for name, point in installed().items()}
    if options.json:
        rows: dict[str, Any] = {
            name: {"family": family_of(entry), "about": entry.about, "parameters": entry.presets}
            for name, entry in CATALOGUE.items()
        }
        rows |= {name: {"family": name, "about": "", "package": package} for name, package in offered.items()}
        print(json.dumps(rows, indent=2))
        return 0
    width = max(map(len, [*CATALOGUE, *offered])) + 4
    for name, entry in CATALOGUE.items():
        print(f"{name if entry.is_family else '  ' + name:{width}}{entry.about}")
    for name, package in offered.items():
        print(f"{name:{width}}of the package {package}")
    return 0


def family_of(entry: Entry) -> str:
    """Return the name of the family that an entry belongs to."""
    return next(name for name, other in CATALOGUE.items() if other.is_family and other.cls == entry.cls)
