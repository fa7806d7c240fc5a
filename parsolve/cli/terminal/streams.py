"""What the command line writes, and on which streams: no control characters, and any text in any encoding."""

import codecs
import io
import sys
from typing import Any, TextIO

from parsolve.text import printable

KEPT = "\n\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
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


class Clean:
    """A stream that escapes control characters.

    All that the command line prints passes here, because names and texts out of files, journals and puzzles may stand
    anywhere in it, and a terminal would obey them. What moves the cursor on purpose, a bar, is written to `stream`.

    Args:
        stream: that is written to.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return its length; an OSError names the stream."""
        if not text.replace("\n", "").replace("\t", "").isprintable():
            text = printable(text, KEPT)
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

    def __eq__(self, other: object) -> bool:
        """Whether it is the same stream, clean or not: tqdm erases a bar before a line on its stream."""
        return self.stream is (other.stream if isinstance(other, Clean) else other)

    def __hash__(self) -> int:
        return hash(self.stream)


def clean_streams() -> None:
    """Let nothing be written to stdout and stderr from now on but clean text."""
    for name in ("stdout", "stderr"):
        if not isinstance(stream := getattr(sys, name), Clean):
            setattr(sys, name, Clean(stream))


def write_line(text: str) -> None:
    """Write a line on stderr, above the bars."""
    bars = sys.modules.get("parsolve.cli.terminal.bar")  # whoever shows one has imported it: tqdm takes 20 ms
    if bars is None:
        print(text, file=sys.stderr)
    else:
        bars.Bar.write(text, file=sys.stderr)


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
