"""Options: their help, and what reads their values.

An option is the default of an argument of a command's function, or of a field of `SearchOptions`; what several commands
have stands here. One that sets a field of a `Request` bears its name: the field reads and checks its text.
"""

import argparse
import contextlib
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from parsolve.errors import BadInput
from parsolve.text import duration, shown, whole

if TYPE_CHECKING:
    from distributed import Client

MOST_NUMBERS = 100_000
"""Maximum number of numbers in a text."""


class Option(NamedTuple):
    """An option or an argument of a command.

    Attributes:
        help: what it does.
        value: what stands for its value in the help; a switch has none.
        kind: what reads the value, or its choices; by default what `KINDS` has for `value`.
        default: the value where it is left out.
        name: the option by all its names; by default `--` and its field's.
        is_required: whether it must be given.
        is_repeated: whether it may be given several times; the values make a list.
        is_argument: whether it is positional.
    """

    help: str
    value: str = ""
    kind: Callable[[str], Any] | tuple[str, ...] | None = None
    default: Any = None
    name: str = ""
    is_required: bool = False
    is_repeated: bool = False
    is_argument: bool = False

    def add_to(self, container: argparse._ActionsContainer, field: str) -> None:
        """Add it to a parser, or a group of one, which sets a field."""
        settings: dict[str, Any] = {"help": self.help, "default": self.default, "metavar": self.value or None}
        if isinstance(self.kind, tuple):
            settings["choices"] = self.kind
        elif self.value:
            settings["type"] = self.kind or KINDS.get(self.value, str)
        else:
            del settings["metavar"]
            settings |= {"action": "store_true", "default": False}
        if self.is_argument:
            several, one = ("+", None) if self.is_required else ("*", "?")
            container.add_argument(field, nargs=several if self.is_repeated else one, **settings)
            return
        if self.is_repeated:
            settings |= {"action": "append", "default": []}
        names = self.name.split() or [f"--{field.replace('_', '-')}"]
        container.add_argument(*names, dest=field, required=self.is_required, **settings)


option: Callable[..., Any] = Option
"""Makes the default of a function's argument, whatever its type."""

argument: Callable[..., Any] = partial(Option, is_argument=True)
"""The same for a positional argument."""


def cluster(address: str | None) -> "contextlib.AbstractContextManager[Client | None]":
    """Return a context manager that yields a client of the cluster at the address of `--dask`; None without one."""
    if address is None:
        return contextlib.nullcontext()
    from parsolve.executors.dask import connected

    return connected(address)


def numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `1,2` and `11-14`.

    Raises:
        BadInput: it is something else.
    """
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r" *(\d{1,18})(?:-(\d{1,18}))? *", part, re.ASCII)
        if not ends:
            raise BadInput(f"numbers and ranges such as 1,2 or 11-14, not {shown(text)}")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if last < first:
            raise BadInput(f"a range rises, unlike {part}")
        if last - first >= MOST_NUMBERS - len(found):
            raise BadInput(f"{MOST_NUMBERS:,} numbers at most, not {shown(text)}")
        found += range(first, last + 1)
    return found


def _number(text: str) -> int | str:
    """Return a whole number, or a text that is none, which a `Request` refuses."""
    with contextlib.suppress(ValueError):
        return whole(text)
    return text


def _renaming(text: str) -> tuple[str, str]:
    column, equals, name = text.rpartition("=")
    if not equals:
        raise BadInput(f"COLUMN=PARAMETER, such as tiles=start, not {shown(text)}")
    return column, name


KINDS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("FILE", "FILE.py"), Path),
    **dict.fromkeys(("N", "K", "S", "COST"), _number),
    "TIME": duration,
    "COLUMN=PARAMETER": _renaming,
}
"""What reads values; all others are texts."""

PUZZLE = argument("a name from `parsolve list`, or FILE.py:CLASS", "PUZZLE", is_required=True)
JOURNAL = argument("the file that --journal named", "JOURNAL", is_required=True)
OWN_PUZZLE = option(
    "for solutions of a puzzle of your own: looking at a journal runs no code that only the journal names",
    "FILE.py:CLASS",
)
JSON = option("one JSON object on stdout", name="--json")
QUIET = option("nothing on stderr but errors and warnings")
WORKERS = option("how many processes search (default: the cores it may use, or $PARSOLVE_WORKERS)", "N")
DASK = option(
    "search on the machines of a dask cluster, whose scheduler is at tcp://HOST:PORT: on each with all its cores, or"
    " --workers (local: a cluster on this machine, to try it)",
    "ADDRESS|local",
)
TIMEOUT = option(
    "stop a search after so long, such as 90s, 30m or 2h, compiling and building tables included (exit code 3)",
    "TIME",
    str,  # which a `Request` reads
)
MAX_MEMORY = option(
    "stop a search whose processes use more together, such as 500M or 8G (exit code 3)"
    " (default: no limit; for breadth-first search four fifths of what is free)",
    "SIZE",
)
LOG = option("append what happens, one JSON object a line", "FILE")
