"""What may be typed: the options of every command and the parameters of every puzzle, as their parsers have them."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from parsolve.cli import COMMANDS, command_named
from parsolve.cli.named import PARAMETER
from parsolve.cli.parser import Parser
from parsolve.problem.registry import load_class
from parsolve.puzzle.catalogue import names
from parsolve.puzzle.parameters import parameters_of


@dataclass(frozen=True)
class Option:
    """An option of a command, or a parameter of a puzzle.

    Attributes:
        names: `--workers`, or `-h` and `--help`.
        choices: the values that it takes, or some of them; empty for any, or none.
        value: what follows, as its help calls it; empty where nothing does.
        help: what it does.
        takes_files: whether it takes paths of files as well.
    """

    names: tuple[str, ...]
    choices: tuple[str, ...]
    value: str
    help: str
    takes_files: bool = False


def parser_of(command: str, arguments: Sequence[str] = ()) -> Parser:
    """Return the parser of a command, with the parameters of the puzzle that its arguments name."""
    return command_named(command).parser(arguments)


def takes_puzzle(command: str) -> bool:
    """Return whether a command is about a puzzle, which is named first."""
    return any(action.metavar == "PUZZLE" for action in parser_of(command)._actions)


def options_of(command: str) -> list[Option]:
    """Return the options of a command that its help names, without those of puzzles."""
    return [_option(action) for action in parser_of(command)._actions if action.option_strings]


def parameters_as_options(puzzle: str) -> list[Option]:
    """Return the parameters of a puzzle as options."""
    rows = {PARAMETER + row.name: row for row in parameters_of(load_class(puzzle))}
    return [
        _option(action, tuple(rows[action.dest].choices or rows[action.dest].known), rows[action.dest].text_file)
        for action in parser_of("solve", [puzzle])._actions
        if action.option_strings and action.dest in rows
    ]


def words_after(command: str) -> list[str]:
    """Return the words that may come first after a command: puzzles, subcommands, shells; empty for files and texts."""
    if command == "help":
        return [*COMMANDS, *names()]
    first = next((each for each in parser_of(command)._actions if not each.option_strings), None)
    if first is not None and first.metavar == "PUZZLE":
        return [*names()]
    return [*map(str, (first and first.choices) or ()), *command_named(command).below]


def _option(action: argparse.Action, choices: tuple[str, ...] = (), takes_files: bool = False) -> Option:
    known = choices or tuple(map(str, action.choices or ()))
    value = "" if action.nargs == 0 else "|".join(known) or str(action.metavar or action.dest.upper())
    return Option(tuple(action.option_strings), known, value, (action.help or "").replace("%%", "%"), takes_files)
