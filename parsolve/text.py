"""Texts for messages, and values from texts."""

import difflib
import heapq
import os
from collections.abc import Callable, Iterable
from typing import Any

from parsolve.errors import BadInput

LIKE = 0.6
"""Minimum similarity, 0 to 1, of a word that a message suggests, unless it begins with the typed text."""

LISTED = 20
"""Maximum number of words that a message lists."""

LONG = 16
"""How much of a text is read to make it one line, as a multiple of the line's maximum length."""

LONGEST_WORD = 100
"""Maximum length of words that are compared with others: the time is the product of their lengths."""


def nearest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return `; did you mean X or Y?`, or `otherwise` if no word is similar: by default the known words; empty if there
    are none."""
    known = list(known)
    near = similar(word, known)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    if otherwise:
        return f"; {otherwise}"
    if not known:
        return ""
    more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
    return f"; there are {', '.join(known[:LISTED])}{more}"


def similar(word: str, known: Iterable[str]) -> list[str]:
    """Return up to three similar words: first those that begin with it, then the most similar, then the first."""
    word = _plain(word[:LONGEST_WORD])
    matcher = difflib.SequenceMatcher(b=word)

    def likeness(other: str) -> tuple[bool, float]:
        other = _plain(other)
        matcher.set_seq1(other)
        return len(word) > 1 and other.startswith(word), matcher.ratio()

    near = heapq.nlargest(3, (each for each in known if len(each) <= LONGEST_WORD), key=likeness)
    return [each for each in near if likeness(each) >= (False, LIKE)]


def _plain(word: str) -> str:
    """Return a word in lower case and without the dashes of an option."""
    return word.lstrip("-").lower()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends. Only a newline ends a line, also after a carriage return."""
    return text.replace("\r\n", "\n").split("\n")


def printable(text: str, kept: str = "") -> str:
    """Return a text with control and other invisible characters escaped, except those in `kept`."""
    return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text)


def one_line(value: object, most: int = 1000, read: Callable[[object], str] = str) -> str:
    """Return a value from anywhere as one line for a terminal: no control characters, at most `most` characters."""
    try:
        text = read(value)
    except Exception:  # an integer of more digits than Python converts, or a foreign method
        text = f"a value of type {type(value).__name__}"
    line = printable(" ".join(text[: LONG * most].split()))
    return line if len(line) <= most and len(text) <= LONG * most else line[: most - 3] + "..."


def shown(value: object) -> str:
    """Return a value as a short piece of a message, whatever it is."""
    return one_line(value, 80, repr)


def place_of(function: Any, line: int | None = None) -> str:
    """Return ` (FILE, line N)` of a function: by default its first line; empty if unknown."""
    code = getattr(getattr(function, "py_func", function), "__code__", function)
    if not hasattr(code, "co_firstlineno"):
        return ""
    return f" ({os.path.basename(code.co_filename)}, line {line or code.co_firstlineno})"


def raised_at(error: BaseException) -> str:
    """Return ` (FILE, line N)` of the place where an exception was raised; empty if unknown."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return place_of(trace.tb_frame.f_code, trace.tb_lineno) if trace else ""


def field_kind(dtype: Any) -> str:
    """Return the content of a state's field: `uint8`, or `an array of 3 uint8`."""
    shape = " x ".join(map(str, dtype.shape))
    return f"an array of {shape} {dtype.base}" if shape else str(dtype)


def plural(number: int, noun: str) -> str:
    """Return a number with its noun: `1 solution`, `2 solutions`, `1,000 nodes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def short(number: float) -> str:
    """Return a large number with three digits: `2.35 M`."""
    for least, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * least:  # else three digits would round it to 1e+03
            return f"{number / least:.3g} {letter}"
    return f"{number:.3g}"


def clock(seconds: float) -> str:
    """Return a time as text: `12.3 s`, `3:05`, `1:02:03`, `2 d 03:00`."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours:02}:{minutes:02}"
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def time_left(least: float | None, most: float | None) -> str:
    """Return the seconds left as text: `3:05`, or `3:05 – 21:00` if another limit may follow; empty if unknown."""
    if least is None:
        return ""
    return clock(least) + (f" – {clock(most)}" if most else "")


def whole(text: str) -> int:
    """Return the whole number in a text of digits 0 to 9: Python also reads those of other scripts, and `1_000`.

    Raises:
        ValueError: the text is something else.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"no digits of 0 to 9: {text!r}")
    return int(text)


def size(text: str) -> int:
    """Return the bytes of a text such as `500M` or `8G`.

    Raises:
        BadInput: it is not a size.
    """
    bytes_ = _with_unit(text.upper(), {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40})
    if bytes_ is None:
        raise BadInput(f"a size such as 500M or 8G, not {text!r}")
    if not 1 <= bytes_ < 1 << 60:
        raise BadInput(f"a size of at least one byte, not {text!r}")
    return int(bytes_)


def duration(text: str) -> float:
    """Return the seconds of a text such as `90`, `30m` or `2h`.

    Raises:
        BadInput: it is not a time.
    """
    seconds = _with_unit(text.lower(), {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400})
    if seconds is None or not 0 < seconds < 1e9:
        raise BadInput(f"a time such as 90s, 30m or 2h, not {text!r}")
    return seconds


def _with_unit(text: str, units: dict[str, int]) -> float | None:
    number, unit = (text, "") if text[-1:].isdecimal() else (text[:-1], text[-1:])
    if not number.isascii():
        return None
    try:
        return float(number) * units[unit]
    except (ValueError, KeyError):
        return None
