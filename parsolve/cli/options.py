"""A puzzle's parameters as options of a command: they come from the fields of its class and nowhere else."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from parsolve.cli.parser import Parser
from parsolve.errors import BadInput, BadPuzzle
from parsolve.parameters import parameters_of
from parsolve.puzzle import Puzzle
from parsolve.registry import load_class, make, presets_of
from parsolve.resources import MOST_WORKERS
from parsolve.text import shown, size


def source_in(words: Sequence[str]) -> str | None:
    """The puzzle that a command line names, which must come first."""
    return words[0] if words and not words[0].startswith("-") else None


def about(source: str) -> str:
    """The first paragraph of a puzzle's docstring, on one line."""
    return f"{source}: " + " ".join((load_class(source).__doc__ or "").split("\n\n")[0].split())


def puzzle_parser(command: str, words: Sequence[str], text: str, epilog: str) -> Parser:
    """The parser of a command about a puzzle, with the puzzle and its parameters.

    Args:
        command: its name.
        words: the command line after it.
        text: what it does.
        epilog: examples.
    """
    source = source_in(words)
    more = about(source) if source else "`parsolve list` names the puzzles; `PUZZLE --help` shows a puzzle's options."
    usage = f"parsolve {command} {source or 'PUZZLE'} [options]".replace("%", "%%")
    parser = Parser(f"parsolve {command}", f"{text.rstrip()}\n\n{more}", usage=usage, epilog=epilog)
    parser.add_argument("puzzle", help="a name from `parsolve list`, or FILE.py:CLASS")
    add_parameters(parser, words)
    return parser


def parse(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """The options of a command about a puzzle, which must be named first."""
    options = parser.parse_args(words)
    if source_in(words) is None:
        parser.error("name the puzzle first")
    return options


def add_parameters(parser: Parser, words: Sequence[str]) -> None:
    """Add the parameters of the puzzle that the command line names.

    Raises:
        BadInput: there is no such puzzle.
    """
    source = source_in(words)
    if source is None:
        return
    presets = presets_of(source)
    rows = parameters_of(load_class(source))
    group = parser.add_argument_group("the puzzle's parameters") if rows else parser
    for row in rows:
        default = presets.get(row.name, row.default)
        settings: dict[str, Any] = {"help": f"{row.help} (default: {default})".replace("%", "%%")}
        if row.kind is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:  # a text, which becomes the parameter's type as everywhere else
            settings["metavar"] = "|".join(row.choices) if row.choices else row.name.upper()
        try:
            group.add_argument(f"--{row.name.replace('_', '-')}", dest=row.name, default=None, **settings)
        except argparse.ArgumentError:
            raise BadPuzzle(
                f"{source}: the parameter {row.name!r} is an option of the command already: rename it"
            ) from None


def puzzle_from(options: argparse.Namespace) -> Puzzle:
    """The puzzle that parsed options mean.

    Raises:
        BadInput: its parameters are not right.
    """
    given = {row.name: getattr(options, row.name) for row in parameters_of(load_class(options.puzzle))}
    return make(options.puzzle, {name: value for name, value in given.items() if value is not None})


def add_workers(parser: argparse._ActionsContainer) -> None:
    """Add the option that says how many processes search."""
    parser.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        help="processes (default: the cores it may use, or $PARSOLVE_WORKERS)",
    )


def add_max_memory(parser: argparse._ActionsContainer) -> None:
    """Add the option that bounds a search's memory."""
    parser.add_argument(
        "--max-memory",
        type=kind(size),
        metavar="SIZE",
        help="of all processes together, such as 500M or 8G: what needs more is stopped (exit code 3)"
        " (default: no end; for breadth-first search what is free, less a fifth)",
    )


def add_background(parser: argparse._ActionsContainer) -> None:
    """Add what long work in the background wants."""
    add_max_memory(parser)
    parser.add_argument("--nice", type=_niceness, metavar="N", help="lower the priority, 1 to 19")
    parser.add_argument("--log", type=Path, metavar="FILE", help="what happens, one JSON object a line")


def _workers(text: str) -> int:
    if not text.isdecimal() or float(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, not {shown(text)}")
    if float(text) > MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"at most {MOST_WORKERS} processes, not {shown(text)}")
    return int(text)


def _niceness(text: str) -> int:
    if text not in map(str, range(20)):
        raise argparse.ArgumentTypeError(f"a whole number from 0 to 19, not {text!r}")
    return int(text)


def table_bytes(text: str) -> int:
    """The value of --table: a size, or none."""
    return 0 if text == "none" else size(text)


def kind(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser of a value whose errors argparse tells."""

    def parser(text: str) -> Any:
        try:
            return parse(text)
        except BadInput as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parser
