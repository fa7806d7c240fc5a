"""What the command line writes, and on which streams: no control characters, any text in any encoding, and at the foot
of a terminal how far it is."""

import codecs
import contextlib
import io
import os
import sys
import time
from typing import Any, TextIO

from parsolve.text import clock, one_line, printable

WRITTEN = "\n\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""What Python does not call printable and is still written: ends of lines, tabs, and spaces of any width."""

ASCII = {
    **dict.fromkeys("–─━═", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "+"),
    "█": "#",
    "●": "*",
    "○": "o",
    "·": ".",
    "×": "x",
    "▶": ">",
    "◀": "<",
    "…": "...",
}
"""What is written for a character that an encoding lacks. Characters without an entry are written as escapes."""

REFRESH = 0.1
"""Seconds between two updates of the status line."""

STAYS = 1.0
"""Seconds that a search is shown without news: then it has ended."""

SHORTEST_BAR = 6
"""Columns of a bar at least: a shorter one says nothing."""

SPARE = 3
"""Columns that stay free: for the `^C` that a terminal writes behind the line, and one, for a full line may wrap."""


class StatusLine:
    """The line at the foot of the terminal that stderr is: how far a batch and the present search are. Whatever is
    printed takes it away, until it is shown again.

    Attributes:
        line: what is there now; empty for nothing.
    """

    def __init__(self) -> None:
        self.line = self._batch = ""
        self._next = self._until = 0.0

    def show(self, share: float, left: str, right: str) -> None:
        """Show how much a search has done, 0 to 1, as a bar between two texts; without a share there is none."""
        now = time.monotonic()
        if now >= self._next:
            self._next, self._until = now + REFRESH, now + STAYS
            self._draw(share, f"{self._batch}, {left}" if self._batch else left, right)

    def show_batch(self, done: int, total: int | None, what: str, began: float) -> None:
        """Show how much of a batch is done: before the present search, or with the time since it began."""
        self._batch = f"{done} of {total} {what}" if total else f"{done} {what}"
        now = time.monotonic()
        if now >= self._until:
            self._until = now + REFRESH
            self._draw(done / total if total else 0.0, self._batch, clock(now - began))

    def _draw(self, share: float, left: str, right: str) -> None:
        """Draw the line: the bar has what the texts leave of the terminal, which cuts them if need be."""
        room = max(0, columns() - SPARE)
        width = room - len(f"{left}|| {right}")
        bar = f"|{'█' * round(min(share, 1.0) * width):{width}}| " if share and width >= SHORTEST_BAR else ", "
        before, self.line = self.line, printable(f"{left}{bar}{right}")[:room]
        self._write(self.line.ljust(len(before)))

    def erase(self) -> None:
        """Take the line away, with the terminal's `^C` behind it."""
        if self.line:
            self.line = ""
            self._write(" " * (columns() - 1) + "\r")

    def close(self) -> None:
        """Forget the batch."""
        self._batch = ""
        self.erase()

    def _write(self, text: str) -> None:
        stream = terminal(sys.stderr)
        stream.write(f"\r{text}")
        stream.flush()


status_line = StatusLine()


class Clean:
    """A stream that escapes control characters.

    All that the command line prints passes here, because names and texts out of files, journals and puzzles may stand
    anywhere in it, and a terminal would obey them. The status line, which moves the cursor, is written to `stream`.

    Args:
        stream: that is written to.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return its length; an OSError names the stream."""
        if status_line.line and self.stream.isatty():
            status_line.erase()
        if not text.replace("\n", "").replace("\t", "").isprintable():
            text = printable(text, WRITTEN)
        try:
            return self.stream.write(text)
        except OSError as error:
            raise self._named(error) from None

    def flush(self) -> None:
        """Write what is still held; see `write`."""
        try:
            self.stream.flush()
        except OSError as error:
            raise self._named(error) from None

    def _named(self, error: OSError) -> OSError:
        if isinstance(error, BrokenPipeError):  # whoever read it has had enough
            return error
        name = "standard error" if self.stream is sys.__stderr__ else "standard output"
        return OSError(f"{name} cannot be written: {error.strerror}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def clean_streams() -> None:
    """Let nothing be written to stdout and stderr from now on but clean text."""
    for name in ("stdout", "stderr"):
        if not isinstance(stream := getattr(sys, name), Clean):
            setattr(sys, name, Clean(stream))


def write_line(text: str) -> None:
    """Write a text as one line on stderr, if it can be written: no result depends on it."""
    with contextlib.suppress(OSError, ValueError):
        print(one_line(text), file=sys.stderr, flush=True)


def columns() -> int:
    """Return the width of the terminal that stderr is."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def terminal(stream: TextIO) -> TextIO:
    """Return the stream behind a clean one, which control characters can be written to."""
    return stream.stream if isinstance(stream, Clean) else stream


def tolerate_any_text() -> None:
    """Make stdout and stderr write any text, whatever their encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="parsolve")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    text = "".join(ASCII.get(each) or each.encode("ascii", "backslashreplace").decode() for each in characters)
    return text, error.end


codecs.register_error("parsolve", _in_ascii)
