"""A puzzle as a command line names it, its parameters as options, and streams (`-`, `<(…)`) as their text files."""

import argparse
import contextlib
import os
import re
import shlex
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parsolve.cli.options import numbers
from parsolve.cli.parser import Parser
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.hooks import text_from
from parsolve.problem.registry import construct, instance_in, load_class, make, presets_of, split_source
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import LONGEST_TEXT, Parameter, parameters_of, text_of
from parsolve.text import one_line

PARAMETER = "parameter "
"""What the field of a parameter begins with in parsed options: no field of ours has a space."""

_STREAM = re.compile(r"-|/dev/stdin|/(?:dev|proc/self)/fd/[0-9]+")


@dataclass(frozen=True)
class Named:
    """A puzzle as a command line names it.

    Attributes:
        source: a name from `parsolve list`, or FILE.py:CLASS.
        given: the parameters that are set, by name: as they are typed, and a truth for a switch.
    """

    source: str
    given: Mapping[str, Any]

    @cached_property
    def cls(self) -> type[Puzzle]:
        """The puzzle's class."""
        return load_class(self.source)

    @cached_property
    def values(self) -> dict[str, Any]:
        """What a named instance sets, and what is given over that."""
        return {**presets_of(self.source), **self.given}

    @property
    def several(self) -> dict[str, list[int]]:
        """The whole numbers of which several values are given, such as `11-14` or `8,10`, by name."""
        texts = {row.name: self.given.get(row.name) for row in parameters_of(self.cls) if row.kind is int}
        return {name: numbers(text) for name, text in texts.items() if text and re.fullmatch(r"[0-9]+ *[-,].*", text)}

    def with_parameters(self, more: Mapping[str, Any]) -> Puzzle:
        """Return the puzzle with further parameters, such as those of a row."""
        return construct(self.cls, {**self.values, **more})

    def make(self) -> Puzzle:
        """Return the puzzle; what a parameter names as a stream is read.

        Raises:
            BadInput: its parameters are not right. For a named instance, the message distinguishes the user's
                parameters from the instance's.
        """
        rows, given = parameters_of(self.cls), dict(self.given)
        takes_text = any(each.kind is str and each.choices is None for each in rows)
        if takes_text and not given and not split_source(self.source)[1]:  # else it may belong to a loop of the shell
            _refuse_unread(self.source)
        streams = (row for row in rows if row.text_file and _STREAM.fullmatch(given.get(row.name) or ""))
        given |= {row.name: _read_stream(row, given[row.name]) for row in streams}
        preset = {name: value for name, value in presets_of(self.source).items() if name not in given}
        try:
            return make(self.source, given)
        except BadPuzzle:
            raise
        except BadInput as error:
            if not given or not preset:
                raise
            raise BadInput(
                f"{error} ({as_options(given)} was given; {as_options(preset)} is what {self.source} sets: override it)"
            ) from None

    def hint(self, puzzle: Puzzle) -> str:
        """Return what may surprise in the number of the puzzle's solutions, in those of a named instance as it is."""
        instance = instance_in(self.source)
        if instance is None:
            return text_from(puzzle, "hint")
        return "" if self.given.keys() & instance.parameters.keys() else instance.hint


def _read_stream(parameter: Parameter, value: str) -> str:
    """Return the text of a stream, to its end."""
    longest = int(parameter.most or LONGEST_TEXT)
    try:
        with open(0 if value == "-" else value, "rb", closefd=value != "-") as file:
            return text_of(file.read(longest + 1), f"{parameter.name}: {value}", longest)
    except OSError as error:
        raise BadInput(f"{parameter.name}: {value} cannot be read: {error.strerror}") from None


def _refuse_unread(source: str) -> None:
    """Refuse a file as standard input of a puzzle that takes a text and has its defaults: it was meant for that."""
    with contextlib.suppress(OSError):  # it is closed
        file = os.fstat(0)
        if stat.S_ISREG(file.st_mode) and file.st_size > os.lseek(0, 0, os.SEEK_CUR):
            what = "standard input has something that is not read"
            raise BadInput(f"{source}: {what}: --file - reads it, < /dev/null leaves it out")


def as_option(name: str, value: Any = None) -> str:
    """Return a parameter as an option, `--name` or `--name VALUE`, quoted as a shell wants it."""
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return option if value else f"--no-{option[2:]}"
    return option if value is None else f"{option} {shlex.quote(str(value))}"


def as_options(values: Mapping[str, Any]) -> str:
    """Return parameters as options, as a user types them."""
    return " ".join(as_option(*item) for item in values.items())


def summary_of(source: str) -> str:
    """Return the first paragraph of a puzzle's docstring, on one line."""
    return " ".join((load_class(source).__doc__ or "").split("\n\n")[0].split())


def add_parameters(parser: Parser, source: str) -> list[str]:
    """Add the parameters of a puzzle as options, from the fields of its class, and return their names."""
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
        group.add_argument(as_option(row.name), dest=PARAMETER + row.name, default=None, **settings)
    return [row.name for row in rows]


def named_in(source: str, options: argparse.Namespace) -> Named:
    """Return the puzzle that is named, with the parameters that parsed options set."""
    values = {row.name: getattr(options, PARAMETER + row.name) for row in parameters_of(load_class(source))}
    return Named(source, {name: value for name, value in values.items() if value is not None})
