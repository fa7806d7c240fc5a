"""`parsolve describe`."""

import contextlib
import json
import sys
from collections.abc import Sequence

from parsolve.cli.commands.list_ import full_name
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.wrap import for_stdout
from parsolve.errors import BadInput
from parsolve.puzzle import GROUPS, EngineName, Puzzle
from parsolve.text import one_line

EPILOG = """\
examples:
  parsolve describe peg --board english33      its holes by number and name, its symmetries
  parsolve describe my_puzzle.py:LightsOut --json
"""


def describe(arguments: Sequence[str], stops: Stops) -> int:
    """Print a puzzle's parameters, defaults and named instances, and what it is with the parameters that are given."""
    parser = Parser(
        "parsolve describe", "Show a puzzle's parameters, their defaults, and its named instances.", epilog=EPILOG
    )
    parser.add_argument("puzzle", metavar="PUZZLE", help="a name from `parsolve list`, or FILE.py:CLASS")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")

    from parsolve.cli.options import (
        add_parameters,
        as_option,
        as_options,
        puzzle_from,
        source_in,
        summary_of,
    )
    from parsolve.parameters import parameters_of
    from parsolve.problem.hooks import text_from
    from parsolve.problem.registry import instances_of, load_class, make, parted, presets_of

    add_parameters(parser, arguments)
    options = parser.parse_args(arguments)
    cls = load_class(options.puzzle)
    rows = parameters_of(cls)
    has_overview = cls.overview is not Puzzle.overview
    given = any(getattr(options, row.name, None) is not None for row in rows)
    overview, engines = "", list[EngineName]()
    try:
        puzzle = puzzle_from(options) if source_in(arguments) else make(options.puzzle, {})
        overview = text_from(puzzle, "overview") or _root_of(puzzle)
        engines = _engines_of(puzzle)
    except BadInput:
        if has_overview or given:  # else nobody asks whether the defaults alone are a puzzle
            raise
    gives = [group.title for group in GROUPS if group.is_given_by(cls, Puzzle)]
    presets = presets_of(options.puzzle)
    own, named = parted(options.puzzle)
    instances = {
        full_name(own, name): each for name, each in instances_of(load_class(own)).items() if named in ("", name)
    }
    if options.json:
        described = {
            "puzzle": options.puzzle,
            "about": summary_of(options.puzzle),
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
            "instances": {name: each.parameters for name, each in instances.items()},
            "gives": gives,
            "engines": engines,
            "overview": overview,
        }
        json.dump(described, sys.stdout, indent=2)
        print()
        return 0
    print(for_stdout(f"{options.puzzle}: {summary_of(options.puzzle)}"))
    print("\nparameters:" if rows else "\nno parameters")
    width = max((len(as_option(row.name)) for row in rows), default=0)
    for row in rows:
        choices = f" ({' | '.join(row.choices)})" if row.choices else ""
        default = presets.get(row.name, row.default)
        known = "" if default == "" else f", default {one_line(default)}"
        print(for_stdout(f"  {as_option(row.name):{width}}  {row.help}{choices}{known}"))
    if instances:
        print("\nnamed instances:")
    for name, each in instances.items():
        about = f": {each.about}" if each.about else ""
        print(f"  {name}{about}\n    {as_options(each.parameters)}")
    if gives:
        print(f"\noptional groups: {', '.join(gives)}")
    if engines:
        print(f"engines that can count it: {', '.join(engines)}")
    if overview:
        print(f"\n{overview}")
    return 0


def _engines_of(puzzle: Puzzle) -> list[EngineName]:
    """Return the engines that can count a puzzle's solutions."""
    from parsolve.engines import ENGINES, engine_for
    from parsolve.problem.problem import Problem
    from parsolve.search.request import Request

    found: list[EngineName] = []
    try:
        problem = Problem(puzzle, "count")
    except BadInput:
        return found
    for name in ENGINES:
        with contextlib.suppress(BadInput):
            engine_for(problem, Request(want="count", engine=name))
            found.append(name)
    return found


def _root_of(puzzle: Puzzle) -> str:
    """Return the first state as a person sees it; nothing where tables would have to be built for it."""
    from parsolve.problem.hooks import text_from
    from parsolve.problem.problem import Problem

    problem = Problem(puzzle)
    if problem.abstractions:
        return ""
    return text_from(puzzle, "render", problem.state_of(problem.root[0]), ())
