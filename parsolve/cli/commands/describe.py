"""`parsolve describe`."""

import json
from typing import Any

from parsolve.cli.command import command
from parsolve.cli.commands.list_ import full_name
from parsolve.cli.named import Named, as_option, as_options, summary_of
from parsolve.cli.options import option
from parsolve.cli.terminal.streams import write_line
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.hooks import text_from
from parsolve.problem.registry import instances_of, presets_of, split_source
from parsolve.puzzle.catalogue import Instance
from parsolve.puzzle.core import GROUPS, EngineName, Puzzle
from parsolve.puzzle.parameters import parameters_of
from parsolve.text import one_line


@command()
def describe(named: Named, as_json: bool = option("one JSON object instead of text", name="--json")) -> int:
    """Show a puzzle's parameters, their defaults, and its named instances.

    examples:
      parsolve describe peg --board english33      its holes by number and name, its symmetries
      parsolve describe my_puzzle.py:LightsOut --json
    """
    cls, (family, own) = named.cls, split_source(named.source)
    overview, engines = "", list[EngineName]()
    try:
        puzzle = named.make()
        overview = text_from(puzzle, "overview") or _root_of(puzzle)
        engines = _engines_of(puzzle)
    except BadInput as error:
        if cls.overview is not Puzzle.overview or named.given:
            raise  # else nothing is asked about what the defaults alone are
        if isinstance(error, BadPuzzle):
            write_line(f"parsolve: {error}")
    presets = presets_of(named.source)
    every = instances_of(cls).items()
    instances = {full_name(family, name): each for name, each in every if own in ("", name)}  # of an instance, it alone
    about = {
        "puzzle": named.source,
        "about": summary_of(named.source),
        "parameters": [
            {
                "name": row.name,
                "type": row.kind.__name__,
                "default": presets.get(row.name, row.default),
                "choices": row.choices,
                "help": row.help,
            }
            for row in parameters_of(cls)
        ],
        "instances": {name: each.parameters for name, each in instances.items()},
        "gives": [group.title for group in GROUPS if group.is_given_by(cls)],
        "engines": engines,
        "overview": overview,
    }
    print(json.dumps(about, indent=2) if as_json else _as_text(about, instances))
    return 0


def _as_text(about: dict[str, Any], instances: dict[str, Instance]) -> str:
    """Return what is known of a puzzle, and its named instances, as a person reads it."""
    rows = [(as_option(row["name"]), row) for row in about["parameters"]]
    lines = [f"{about['puzzle']}: {about['about']}", "", "parameters:" if rows else "no parameters"]
    width = max((len(name) for name, _ in rows), default=0)
    for name, row in rows:
        choices = f" ({' | '.join(row['choices'])})" if row["choices"] else ""
        known = "" if row["default"] == "" else f", default {one_line(row['default'])}"
        lines.append(f"  {name:{width}}  {row['help']}{choices}{known}")
    if instances:
        lines += ["", "named instances:"]
    for name, each in instances.items():
        lines += [f"  {name}: {each.about}" if each.about else f"  {name}", f"    {as_options(each.parameters)}"]
    if about["gives"]:
        lines += ["", f"optional groups: {', '.join(about['gives'])}"]
    if about["engines"]:
        lines.append(f"engines that can count it: {', '.join(about['engines'])}")
    if about["overview"]:
        lines += ["", about["overview"]]
    return "\n".join(lines)


def _engines_of(puzzle: Puzzle) -> list[EngineName]:
    """Return the engines that can count a puzzle's solutions; say what is broken that others need."""
    from parsolve.problem.problem import Problem
    from parsolve.search.choice import engine_for
    from parsolve.search.engine import ENGINES
    from parsolve.search.request import Request

    found, broken, problem = list[EngineName](), "", None
    for name in ENGINES:
        try:
            problem = problem or Problem(puzzle, "count")
            engine_for(problem, Request(want="count", engine=name))
            found.append(name)
        except BadPuzzle as error:
            broken = str(error)
        except BadInput:
            pass
    if broken:
        write_line(f"parsolve: {broken}")
    return found


def _root_of(puzzle: Puzzle) -> str:
    """Return the first state as a person sees it; nothing where tables would have to be built for it."""
    from parsolve.problem.problem import Problem

    problem = Problem(puzzle)
    if problem.abstractions:
        return ""
    return text_from(puzzle, "render", problem.state_of(problem.root[0]), ())
