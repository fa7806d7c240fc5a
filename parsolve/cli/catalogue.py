"""`parsolve list` and `parsolve describe`."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from parsolve.cli.parser import Parser
from parsolve.cli.signals import Stops
from parsolve.puzzles import CATALOGUE, Entry


def list_puzzles(words: Sequence[str], stops: Stops) -> int:
    """Print the built-in puzzles."""
    parser = Parser("parsolve list", "List the built-in puzzles and their named instances.")
    parser.add_argument("--json", action="store_true", help="one JSON object: name to family, about and presets")
    options = parser.parse_args(words)

    from parsolve.registry import installed

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


def describe(words: Sequence[str], stops: Stops) -> int:
    """Print a puzzle's parameters, defaults and named instances."""
    parser = Parser("parsolve describe", "Show a puzzle's parameters, their defaults, and its named instances.")
    parser.add_argument("puzzle", help="a name from `parsolve list`, or FILE.py:CLASS")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    options = parser.parse_args(words)

    from parsolve.parameters import parameters_of
    from parsolve.registry import load_class, presets_of

    cls = load_class(options.puzzle)
    presets = presets_of(options.puzzle)
    about = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    rows = parameters_of(cls)
    instances = {
        name: entry
        for name, entry in CATALOGUE.items()
        if not entry.is_family and options.puzzle in (name, family_of(entry))
    }
    if options.json:
        json.dump(
            {
                "puzzle": options.puzzle,
                "about": about,
                "parameters": [
                    {
                        "name": row.name,
                        "type": row.kind.__name__,
                        "default": presets.get(row.name, row.default),
                        "choices": row.choices,
                        "help": row.help,
                    }
                    for row in rows
                ],
                "instances": {name: entry.presets for name, entry in instances.items()},
            },
            sys.stdout,
            indent=2,
        )
        print()
        return 0
    print(f"{options.puzzle}: {about}")
    print("\nparameters:" if rows else "\nno parameters")
    for row in rows:
        choices = f" ({' | '.join(row.choices)})" if row.choices else ""
        print(f"  --{row.name.replace('_', '-')}  {row.help}{choices}, default {presets.get(row.name, row.default)!r}")
    if instances:
        print("\nnamed instances:")
    for name, entry in instances.items():
        values = " ".join(f"--{key.replace('_', '-')} {json.dumps(value)}" for key, value in entry.presets.items())
        print(f"  {name}: {entry.about}\n    {values}")
    return 0


def family_of(entry: Entry) -> str:
    """The name of the family that an entry belongs to."""
    return next(name for name, other in CATALOGUE.items() if other.is_family and other.cls == entry.cls)
