"""Texts on streams of any encoding: what a terminal cannot show is shown in ASCII, and never a traceback."""

import codecs
import io
import sys

PLAIN = dict(zip("–—×·→│●○█", "--x.>|*o#", strict=True)) | {"…": "..."}
"""What stands for a character where the encoding has no such."""


def tolerate_any_text() -> None:
    """Let stdout and stderr take any text."""
    codecs.register_error("parsolve", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="parsolve")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    shown = "".join(PLAIN.get(each) or each.encode("ascii", "backslashreplace").decode() for each in characters)
    return shown, error.end
