"""Calls of a puzzle's own methods: whatever goes wrong in them is one line, and what they return is checked."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.activity import doing
from parsolve.errors import BadInput, BadPuzzle
from parsolve.puzzle import Puzzle
from parsolve.text import place_of, raised_at, shown


def call_method(puzzle: Puzzle, method: str, *arguments: Any) -> Any:
    """Return what a method of a puzzle returns.

    Raises:
        BadPuzzle: it raises, or wants to end this process.
    """
    return call(puzzle, method, lambda: getattr(puzzle, method)(*arguments))


def call(puzzle: Puzzle, method: str, function: Callable[[], Any]) -> Any:
    """Return what a function returns that calls a method of a puzzle.

    Raises:
        BadPuzzle: it raises, or wants to end this process.
    """
    name = type(puzzle).__name__
    try:
        with doing(f"{method!r} of {name}"):
            return function()
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise BadPuzzle(f"{name}: {method!r} raises {type(error).__name__}: {error}{raised_at(error)}") from error


def text_from(puzzle: Puzzle, method: str, *arguments: Any) -> str:
    """Return the text that a method of a puzzle returns.

    Raises:
        BadPuzzle: it raises, or returns no text, or one that cannot be written in any encoding.
    """
    text = call_method(puzzle, method, *arguments)
    name = type(puzzle).__name__
    if not isinstance(text, str):
        place = place_of(getattr(type(puzzle), method))
        raise BadPuzzle(f"{name}: {method!r}{place} must return a text, not {shown(text)}: is a 'return' missing?")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadPuzzle(f"{name}: {method!r} returns half a character (a surrogate): {ascii(text)[:60]}") from None
    return text


def whole_number(puzzle: Puzzle, what: str, number: Any) -> int:
    """Return a number that a puzzle has given.

    Raises:
        BadPuzzle: it is no whole number.
    """
    if not isinstance(number, int | np.integer):
        raise BadPuzzle(f"{type(puzzle).__name__}: {what} must return a whole number, not {shown(number)}")
    return int(number)
