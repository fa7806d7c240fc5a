"""A puzzle's parameters as options of a command: they come from the fields of its class and nowhere else."""

import argparse
from collections.abc import Sequence
from typing import Any

from parsolve.puzzle import Puzzle, parameters_of
from parsolve.spec import load_class, make, presets_of


def source_in(words: Sequence[str]) -> str | None:
    """The puzzle that a command line names, which must come first."""
    return words[0] if words and not words[0].startswith("-") else None


def about(source: str) -> str:
    """The first paragraph of a puzzle's docstring, on one line."""
    return f"{source}: " + " ".join((load_class(source).__doc__ or "").split("\n\n")[0].split())


def add_parameters(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
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
        else:
            settings["type"] = row.kind
            settings["metavar"] = "|".join(row.choices) if row.choices else row.name.upper()
        if row.choices:
            settings["choices"] = row.choices
        group.add_argument(f"--{row.name.replace('_', '-')}", dest=row.name, default=None, **settings)


def puzzle_from(options: argparse.Namespace) -> Puzzle:
    """The puzzle that parsed options mean.

    Raises:
        BadInput: its parameters are not right.
    """
    given = {row.name: getattr(options, row.name) for row in parameters_of(load_class(options.puzzle))}
    return make(options.puzzle, {name: value for name, value in given.items() if value is not None})


def add_max_memory(parser: argparse._ActionsContainer) -> None:
    """Add the option that bounds breadth-first search."""
    parser.add_argument(
        "--max-memory",
        type=_bytes,
        metavar="SIZE",
        help="memory that breadth-first search may use, such as 500M or 8G (default: what is free, less a fifth)",
    )


def table_bytes(text: str) -> int:
    """The value of --table: a size, or none."""
    return 0 if text == "none" else _bytes(text)


def _bytes(text: str) -> int:
    number, unit = text[:-1], text[-1:].upper()
    if unit.isdecimal():
        number, unit = text, ""
    try:
        size = float(number) * 1024 ** ("", "K", "M", "G", "T").index(unit)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a size such as 500M or 8G, not {text!r}") from None
    if not 1 <= size < 1 << 60:
        raise argparse.ArgumentTypeError(f"a size of at least one byte, not {text!r}")
    return int(size)
