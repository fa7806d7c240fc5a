"""`parsolve list`."""

import json
from collections.abc import Mapping
from typing import Any

from parsolve.cli.command import command
from parsolve.cli.options import option
from parsolve.cli.terminal.streams import write_line
from parsolve.errors import ParsolveError
from parsolve.puzzle.catalogue import Instance, families, family_of, folder_of, is_own


@command()
def list_(as_json: bool = option("one JSON object: name to family, about and parameters", name="--json")) -> int:
    """List the puzzles, built in or of installed packages, and indented their named instances.

    examples:
      parsolve list
      parsolve list --json
      parsolve describe peg      the parameters of one of them
    """
    rows: dict[str, dict[str, Any]] = {}
    for family, point in families().items():
        package = "" if is_own(point.module) else point.dist.name if point.dist else "?"
        about, instances = _described(family, package)
        rows[family] = {"family": family, "about": about, "parameters": {}, **({"package": package} if package else {})}
        for name, each in instances.items():
            rows[full_name(family, name)] = {
                "family": family,
                "about": each.about or " ".join(f"{key} {value}" for key, value in each.parameters.items()),
                "parameters": each.parameters,
            }
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    width = max(map(len, rows), default=0) + 4
    for name, row in rows.items():
        package = f"(of the package {row['package']})" if "package" in row else ""
        text = " ".join(filter(None, (row["about"], package)))
        print(f"{name if name == row['family'] else f'  {name}':{width}}{text}")
    return 0


def full_name(family: str, instance: str) -> str:
    """Return what an instance is called on the command line: by its name alone where that is enough."""
    return instance if family_of(instance) == family else f"{family}:{instance}"


def _described(family: str, package: str) -> tuple[str, Mapping[str, Instance]]:
    """Return what `list` prints for a family, and its named instances; print a line where it cannot be loaded."""
    folder = folder_of(family)
    if folder is not None:
        return _first_sentence(folder.__doc__), folder.INSTANCES

    from parsolve.problem.registry import instances_of, load_class

    try:
        cls = load_class(family)
        return _first_sentence(cls.__doc__), instances_of(cls)
    except ParsolveError as error:
        of_package = f" of the package {package}" if package else ""
        write_line(f"parsolve: the puzzle {family}{of_package} cannot be used: {error}")
        return "", {}


def _first_sentence(docstring: str | None) -> str:
    return " ".join((docstring or "").split("\n\n")[0].split()).partition(". ")[0].rstrip(".")
