"""The parser of a command's arguments, with what all commands have in common."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from parsolve.errors import BadInput
from parsolve.text import nearest, one_line


class Exit(Exception):
    """Raised with an exit code when a parser has printed help, a version, or an error: the command ends."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _Formatter(argparse.HelpFormatter):
    """A formatter of texts whose paragraphs are as wide as the terminal, and whose lists and examples stay."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill, parts = super()._fill_text, text.strip().split("\n\n")
        return "\n\n".join(part if "\n  " in part else fill(part, width, indent) for part in parts)


class Parser(argparse.ArgumentParser):
    """An argument parser without abbreviations.

    It raises `Exit` instead of SystemExit, which a puzzle's code may raise as well.
    """

    def __init__(self, prog: str, description: str, **more: Any) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_Formatter, allow_abbrev=False, **more)

    def parse_args(self, args: Any = None, namespace: Any = None) -> argparse.Namespace:  # type: ignore[override]
        """Return the options; for an unknown one, suggest a similar one.

        Raises:
            Exit: they are wrong, or help is asked for.
        """
        options: argparse.Namespace
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._hint(unknown)}")
        names: dict[str, str] = {}
        for action in self._actions:
            path = getattr(options, action.dest, None)
            if isinstance(path, Path):
                name = (action.option_strings or [str(action.metavar)])[-1]
                other = names.setdefault(os.path.realpath(path), name)
                if other != name and not path.is_char_device():
                    self.error(f"{other} and {name} are both {path}: name two files")
        return options

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            if isinstance(error.__context__, BadInput):  # argparse does not say what is wrong
                raise argparse.ArgumentError(action, str(error.__context__)) from None
            raise

    def _hint(self, unknown: list[str]) -> str:
        for word in unknown:
            if word.startswith("-") and not word[1:2].isdigit():
                return nearest(word.partition("=")[0], self._option_string_actions, "--help lists the options")
        return "; a value follows its option, one of several words in quotes"

    def print_help(self, file: Any = None) -> None:
        """Print the help; an OSError is raised, which argparse would not tell."""
        (file or sys.stdout).write(self.format_help())

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Print the message and raise `Exit`."""
        if message:
            self._print_message(one_line(message) + "\n", sys.stderr)
        raise Exit(status)
