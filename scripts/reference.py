"""The generated pages of the reference: commands, families of puzzles, the contract and the library.

docs/conf.py writes them before the site is built; a test looks for what has no place in them.
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType

from grammar import parameters_as_options, parser_of, takes_puzzle, words_after

import parsolve
from parsolve.cli import COMMANDS, EPILOG, GROUPS
from parsolve.problem.registry import load_class
from parsolve.puzzle.catalogue import families
from parsolve.puzzle.core import GROUPS as CONTRACT
from parsolve.puzzle.core import Puzzle


def write(folder: Path) -> None:
    """Write the pages that have changed into a folder."""
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        page = folder / f"{name}.md"
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def pages() -> dict[str, str]:
    """Return the text of each page in MyST's Markdown, by its name."""
    texts: dict[str, Iterable[str]] = {"commands": _commands(), "puzzles": _puzzles()}
    texts |= {command: _command(command) for command in COMMANDS}
    texts |= {"contract": _contract(), "python": _python()}
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def _commands() -> Iterator[str]:
    examples = EPILOG.partition("examples:\n")[2].partition("\n\n")[0]
    yield f"# Commands\n\n```\nparsolve COMMAND [options]\n\n{examples}\n```\n"
    for title, group in GROUPS.items():
        yield f"**{title.capitalize()}**\n"
        yield from (f"[{name}]({name}.md)\n: {about}\n" for name, about in group.items())
    yield "`parsolve --version` shows the versions of parsolve, Python and numba.\n"
    yield "```{toctree}\n:hidden:\n"
    yield from COMMANDS
    yield "```"


def _command(command: str) -> Iterator[str]:
    parser = parser_of(command)
    yield f"# {parser.prog}\n"
    yield from _options(parser)
    for word in () if takes_puzzle(command) or command == "help" else words_after(command):
        if (below := parser_of(command, [word])).prog != parser.prog:
            yield f"## {below.prog}\n"
            yield from _options(below)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield what a parser's help says."""
    yield f"{parser.description}\n\n```\n{parser.format_usage()}```\n\n```{{program}} {parser.prog}\n```\n"
    formatter = parser._get_formatter()
    for group in parser._action_groups:
        for action in group._group_actions:
            if action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
                kind = "option" if action.option_strings else "describe"
                yield _entry(kind, formatter._format_action_invocation(action), formatter._expand_help(action))
    if parser.epilog:
        yield f"```\n{parser.epilog}```\n"


def _entry(kind: str, name: str, text: str) -> str:
    """Return the directive of an option; other options in its text become code, whose dashes stay."""
    text = re.sub(r"(?<![`\w-])--[a-z][\w-]*", r"`\g<0>`", text)
    return f"````{{{kind}}} {name}\n{text}\n````\n"


def _puzzles() -> Iterator[str]:
    yield "# Puzzles and their parameters\n"
    yield "A parameter is an option of a command, an argument of the class, and a key of a job file.\n"
    for family in families():
        cls = load_class(family)
        yield f"## {family}\n\n{_documented(f'parsolve.puzzles.{cls.__name__}', cls)}\n```{{program}} {family}\n```\n"
        for option in parameters_as_options(family):
            yield _entry("option", f"{option.names[0]} {option.value}", option.help)
        if instances := cls.instances():
            yield "Named instances: " + ", ".join(f"`{name}`" for name in instances) + "\n"


def _contract() -> Iterator[str]:
    yield "# The contract\n"
    yield "What a puzzle's class may define. [A puzzle of your own](../your-own-puzzle.md) explains it step by step.\n"
    yield "| group | members | what needs what |\n|---|---|---|"
    for group in CONTRACT:
        members = ", ".join(f"`{name}`" for name in vars(group.members) if not name.startswith("_"))
        needs = ", ".join(f"`{name}` needs `{needed}`" for name, needed, _ in group.needs)
        yield f"| [{group.title}](#{group.title.replace(' ', '-')}) | {members} | {needs} |"
    yield f"\n## Core\n\n{_documented('parsolve.Puzzle', Puzzle, Puzzle.__annotations__ | vars(Puzzle))}"
    for group in CONTRACT:
        cls = group.members
        name = f"{cls.__module__}.{cls.__qualname__}"
        yield f"## {group.title.capitalize()}\n\n{_documented(name, cls, cls.__annotations__ | vars(cls))}"


def _python() -> Iterator[str]:
    yield "# Library reference\n\n[As a library](../library.md) shows it by examples.\n"
    for name in parsolve.__all__:
        value = getattr(parsolve, name)
        if name == "puzzles":
            yield "## puzzles\n\n`parsolve.puzzles` has the classes of the [families](puzzles.md).\n"
        elif value is Puzzle:
            yield "## Puzzle\n\n`parsolve.Puzzle` is the base class of puzzles: [the contract](contract.md).\n"
        else:
            methods = _methods(value) if isinstance(value, type) else ()
            yield f"## {name}\n\n{_documented(f'parsolve.{name}', value, methods)}"


def _documented(name: str, value: object, members: Iterable[str] = ()) -> str:
    """Return the directive that takes documentation from docstrings."""
    kind = "class" if isinstance(value, type) else "function"
    public = ", ".join(member for member in members if not member.startswith("_"))
    return f"```{{eval-rst}}\n.. auto{kind}:: {name}\n{f'   :members: {public}' * bool(public)}\n```\n"


def _methods(cls: type) -> list[str]:
    """Return the names of what a class of parsolve defines, but fields, which its docstring has."""
    made = (FunctionType, property, classmethod, staticmethod)
    own = [each for each in cls.__mro__ if each.__module__.startswith("parsolve.")]
    return list(dict.fromkeys(name for each in own for name, it in vars(each).items() if isinstance(it, made)))
