"""Small words for messages."""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean X or Y?`, or a list of all that is known where nothing is near."""
    known = list(known)
    near = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(known)}"


def plural(number: int, noun: str) -> str:
    """`1 solution`, `2 solutions`, `1,000 nodes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
