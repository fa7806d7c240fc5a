"""Options that several commands share, and a puzzle's parameters as options.

The parameters come from the fields of the puzzle's class and nowhere else.
"""

import argparse
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsolve.cli.named import Named, as_option
from parsolve.cli.parser import Parser
from parsolve.errors import BadInput, BadPuzzle
from parsolve.parameters import parameters_of
from parsolve.problem.registry import load_class, presets_of
from parsolve.text import duration, one_line, shown, size

if TYPE_CHECKING:
    from distributed import Client

    from parsolve.search.request import Request

DIGITS = 18
"""Digits of a whole number at most."""


def source_in(arguments: Sequence[str]) -> str | None:
    """Return the puzzle that a command line names, which must come first; None if it does not."""
    return arguments[0] if arguments and not arguments[0].startswith("-") else None


def summary_of(source: str) -> str:
    """Return the first paragraph of a puzzle's docstring, on one line."""
    return " ".join((load_class(source).__doc__ or "").split("\n\n")[0].split())


def puzzle_parser(command: str, arguments: Sequence[str], text: str, epilog: str) -> Parser:
    """Return the parser of a command about a puzzle, with the puzzle that `arguments` name and its parameters."""
    source = source_in(arguments)
    about = (
        f"{source}: {summary_of(source)}"
        if source
        else f"`parsolve list` names the puzzles; `parsolve {command} PUZZLE --help` shows a puzzle's parameters."
    )
    usage = f"parsolve {command} {source or 'PUZZLE'} [options]".replace("%", "%%")
    parser = Parser(f"parsolve {command}", f"{text.rstrip()}\n\n{about}", usage=usage, epilog=epilog)
    parser.add_argument("puzzle", metavar="PUZZLE", help="a name from `parsolve list`, or FILE.py:CLASS")
    add_parameters(parser, arguments)
    return parser


def parse(parser: Parser, arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command about a puzzle, which must be named first."""
    options = parser.parse_args(arguments)
    if source_in(arguments) is None:
        parser.error("name the puzzle first; `parsolve list` names the puzzles")
    return options


def add_parameters(parser: Parser, arguments: Sequence[str]) -> None:
    """Add the parameters of the puzzle that the command line names."""
    source = source_in(arguments)
    if source is None:
        return
    presets = presets_of(source)
    rows = parameters_of(load_class(source))
    group = parser.add_argument_group("the puzzle's parameters") if rows else parser
    for row in rows:
        default = presets.get(row.name, row.default)
        known = "" if default == "" else f" (default: {one_line(default)})"
        settings: dict[str, Any] = {"help": f"{row.help}{known}".replace("%", "%%")}
        if row.kind is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:  # a text, which becomes the parameter's type as everywhere else
            settings["metavar"] = "|".join(row.choices) if row.choices else row.name.upper()
        try:
            group.add_argument(as_option(row.name), dest=row.name, default=None, **settings)
        except argparse.ArgumentError:
            raise BadPuzzle(
                f"{source}: the parameter {row.name!r} is an option of the command already: rename it"
            ) from None


def named_in(options: argparse.Namespace) -> Named:
    """Return the puzzle that parsed options name, with the parameters that they set."""
    values = {row.name: getattr(options, row.name) for row in parameters_of(load_class(options.puzzle))}
    return Named(options.puzzle, {name: value for name, value in values.items() if value is not None})


def add_workers(
    parser: argparse._ActionsContainer,
    default: str = "the cores it may use, or $PARSOLVE_WORKERS",
    what: str = "processes search",
) -> None:
    """Add the option that says how many processes search, or what else is counted."""
    parser.add_argument("--workers", type=whole("workers"), metavar="N", help=f"how many {what} (default: {default})")


def add_dask(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--dask",
        metavar="ADDRESS|local",
        help="search on the machines of a dask cluster, whose scheduler is at tcp://HOST:PORT: on each with all its"
        " cores, or --workers (local: a cluster on this machine, to try it)",
    )


def cluster(address: str | None) -> "contextlib.AbstractContextManager[Client | None]":
    """Return a context manager that yields a client of the cluster at the address of `--dask`; None without one."""
    if address is None:
        return contextlib.nullcontext()
    from parsolve.executors.dask import connected

    return connected(address)


def add_timeout(parser: argparse._ActionsContainer, more: str = "") -> None:
    parser.add_argument(
        "--timeout",
        type=duration,
        metavar="TIME",
        help="stop a search after so long, such as 90s, 30m or 2h, compiling and building tables included (exit code 3)"
        + more,
    )


def add_file(parser: argparse._ActionsContainer) -> None:
    """Add the options that name a file of positions, see `file_of_rows`; not for a puzzle that is a `--file` itself."""
    parser.set_defaults(rename=[])
    if "--file" in parser._option_string_actions:
        return
    parser.add_argument(
        "--file",
        metavar="FILE|-",
        help="search each row of a CSV file, or of standard input (-), whose columns give parameters: a row of results"
        " each, in its order",
    )
    parser.add_argument(
        "--rename",
        type=_renaming,
        action="append",
        default=[],
        metavar="COLUMN=PARAMETER",
        help="what a column of the file is called instead, such as tiles=start; may be repeated",
    )


def file_of_rows(options: argparse.Namespace) -> str | None:
    """Return the file of positions that parsed options name, if any."""
    is_parameter = any(row.name == "file" for row in parameters_of(load_class(options.puzzle)))
    return None if is_parameter else options.file


def add_max_memory(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--max-memory",
        type=size,
        metavar="SIZE",
        help="stop a search whose processes use more together, such as 500M or 8G (exit code 3)"
        " (default: no limit; for breadth-first search four fifths of what is free)",
    )


def add_background(parser: argparse._ActionsContainer) -> None:
    """Add the options of long work in the background."""
    add_max_memory(parser)
    parser.add_argument("--log", type=Path, metavar="FILE", help="append what happens, one JSON object a line")


def whole(name: str, most: int = DIGITS) -> Callable[[str], int]:
    """Return a parser of a whole number of a request, such as `workers`.

    Args:
        name: of its field.
        most: how many digits it may have.
    """

    def parse(text: str) -> int:
        from parsolve.search.request import Request

        digits = text.removeprefix("-")
        is_number = digits.isascii() and digits.isdecimal()
        if is_number and len(digits) > most:
            raise BadInput(f"{name} is a number of at most {most} digits, not {shown(text)}")
        value: Any = int(text) if is_number else text
        return getattr(Request(**{name: value}), name)  # type: ignore[no-any-return]

    return parse


def _renaming(text: str) -> tuple[str, str]:
    column, equals, name = text.rpartition("=")
    if not equals:
        raise BadInput(f"COLUMN=PARAMETER, such as tiles=start, not {shown(text)}")
    return column, name


def request_from(options: argparse.Namespace) -> "Request":
    """Return how parsed options ask to search."""
    from parsolve.search.request import Request

    names = {each.name for each in fields(Request)}
    return Request.of(**{name: value for name, value in vars(options).items() if name in names})
