"""The parser of a command's arguments, with what all commands have in common."""

import argparse
import sys
from typing import Any, NoReturn

from parsolve.text import one_line


class Exit(Exception):
    """Raised when a parser has printed help, a version, or an error: the command ends.

    Attributes:
        code: the exit code.
    """

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Parser(argparse.ArgumentParser):
    """An argument parser without abbreviations, whose texts keep their line breaks.

    It raises `Exit` instead of SystemExit, which a puzzle's code may raise as well.
    """

    def __init__(self, prog: str, description: str, **more: Any) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **more,
        )

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Print the message and raise.

        Raises:
            Exit: always.
        """
        if message:
            self._print_message(one_line(message) + "\n", sys.stderr)
        raise Exit(status)
