"""Text on streams of any encoding: a character that the encoding lacks is written in ASCII, never a traceback."""

import codecs
import io
import sys

ASCII = {
    **dict.fromkeys("‐‑‒–—―−─━═", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "+"),
    **dict.fromkeys("·∙⋅", "."),
    **dict.fromkeys("█▉▊▋▌▍▎▏▓■▪▮", "#"),
    **dict.fromkeys("▒░", "."),
    **dict.fromkeys("□▫▯◻", "_"),
    **dict.fromkeys("●•◆★", "*"),
    **dict.fromkeys("○◯◇☆", "o"),
    **dict.fromkeys("→▶►", ">"),
    **dict.fromkeys("←◀◄", "<"),
    **dict.fromkeys("↑▲", "^"),
    **dict.fromkeys("↓▼", "v"),
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("‘’‚", "'"),
    "×": "x",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "∞": "inf",
    "\u00a0": " ",
}
"""What is written for a character that an encoding lacks. Characters without an entry are written as escapes."""


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


def encodable(text: str, encoding: str) -> str:
    """Return a text with what an encoding lacks in ASCII."""
    return text.encode(encoding, "parsolve").decode(encoding)
