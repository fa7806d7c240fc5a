"""Standard input, and pipes that a shell names (`<(…)`), where a command takes a text file."""

import array
import fcntl
import os
import re
import select
import stat
import termios
from collections.abc import Sequence

from parsolve.errors import BadInput
from parsolve.parameters import LONGEST_TEXT, Parameter, text_of

_STREAM = re.compile(r"-|/dev/stdin|/(?:dev|proc/self)/fd/[0-9]+")


def is_stream(parameter: Parameter, value: str) -> bool:
    """Return whether the value of a parameter names a stream that is to be read."""
    return parameter.text_file and _STREAM.fullmatch(value) is not None


def read_stream(parameter: Parameter, value: str) -> str:
    """Return the text of a stream, to its end.

    Raises:
        BadInput: it cannot be read, or is too long.
    """
    longest = int(parameter.most or LONGEST_TEXT)
    try:
        with open(0 if value == "-" else value, "rb", closefd=value != "-") as file:
            return text_of(file.read(longest + 1), f"{parameter.name}: {value}", longest)
    except OSError as error:
        raise BadInput(f"{parameter.name}: {value} cannot be read: {error.strerror}") from None


def refuse_unread(source: str, parameters: Sequence[Parameter], rows: bool) -> None:
    """Refuse unread standard input if a puzzle is searched with its defaults: the input was probably meant for it. With
    a parameter given, it may belong to a loop of the shell.

    Args:
        source: the puzzle, as the command line names it.
        parameters: of the puzzle.
        rows: whether `--file` reads rows.

    Raises:
        BadInput: something waits.
    """
    texts = [each for each in parameters if each.kind is str and each.choices is None]
    if not texts or not _waits():
        return
    files = [each.name for each in texts if each.text_file]
    how = "file" if rows or not files else files[0]
    raise BadInput(
        f"{source}: standard input has something that is not read: --{how.replace('_', '-')} - reads it, < /dev/null"
        " leaves it out"
    )


def _waits() -> bool:
    """Return whether standard input is a file or a pipe with something to read; nothing is waited for."""
    try:
        mode = os.fstat(0).st_mode
        if stat.S_ISREG(mode):
            return os.fstat(0).st_size > os.lseek(0, 0, os.SEEK_CUR)
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) or not select.select([0], [], [], 0)[0]:
            return False
        number = array.array("i", [0])
        fcntl.ioctl(0, termios.FIONREAD, number)
        return number[0] > 0
    except (OSError, ValueError):  # it is closed
        return False
