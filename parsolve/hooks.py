"""Calls of a puzzle's own methods: whatever goes wrong in them is one line, and what they return is checked."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parsolve.activity import doing
from parsolve.errors import BadInput, BadPuzzle
from parsolve.puzzle import Puzzle, State
from parsolve.shapes import KINDS, TONES, Shape, text_shapes
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
    _refuse_surrogates(puzzle, method, text)
    return text


def picture_from(puzzle: Puzzle, state: State, moves: Sequence[int]) -> tuple[Shape, ...]:
    """Return a state as shapes.

    Raises:
        BadPuzzle: `picture`, or `render` where there is no other picture, raises or returns something else.
    """
    if type(puzzle).picture is Puzzle.picture:
        return text_shapes(text_from(puzzle, "render", state, moves))
    shapes = call_method(puzzle, "picture", state, moves)
    name, place = type(puzzle).__name__, place_of(type(puzzle).picture)
    if not isinstance(shapes, Sequence) or isinstance(shapes, str):
        raise BadPuzzle(f"{name}: 'picture'{place} must return a list of shapes, not {shown(shapes)}")
    for shape in shapes:
        if not isinstance(shape, Shape) or shape.kind not in KINDS or shape.tone not in TONES:
            raise BadPuzzle(
                f"{name}: 'picture'{place} must return shapes such as Shape('disc', x, y, 'piece'), of a kind"
                f" ({', '.join(KINDS)}) and a tone ({', '.join(TONES)}), not {shown(shape)}"
            )
        for number in (shape.x, shape.y, shape.width, shape.height):
            if not isinstance(number, int | float | np.number) or not math.isfinite(number):
                raise BadPuzzle(f"{name}: 'picture'{place} gives {shown(number)} where a shape has a number")
        for text in (shape.text, shape.name):
            if not isinstance(text, str):
                raise BadPuzzle(f"{name}: 'picture'{place} gives {shown(text)} where a shape has a text")
            _refuse_surrogates(puzzle, "picture", text)
    return tuple(shapes)


def images_from(puzzle: Puzzle, moves: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the images of a solution by the puzzle's symmetries, itself included.

    Raises:
        BadPuzzle: `images_of` raises, or returns something else.
    """
    images = call_method(puzzle, "images_of", moves)
    try:
        return [tuple(int(move) for move in image) for image in images]
    except (TypeError, ValueError):
        place = place_of(type(puzzle).images_of)
        name = type(puzzle).__name__
        raise BadPuzzle(f"{name}: 'images_of'{place} must return lists of moves, not {shown(images)}") from None


def _refuse_surrogates(puzzle: Puzzle, method: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        name = type(puzzle).__name__
        raise BadPuzzle(f"{name}: {method!r} returns half a character (a surrogate): {ascii(text)[:60]}") from None


def whole_number(puzzle: Puzzle, what: str, number: Any) -> int:
    """Return a number that a puzzle has given.

    Raises:
        BadPuzzle: it is no whole number.
    """
    if not isinstance(number, int | np.integer):
        raise BadPuzzle(f"{type(puzzle).__name__}: {what} must return a whole number, not {shown(number)}")
    return int(number)
