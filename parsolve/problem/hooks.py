"""Calls of a puzzle's own code. Its errors, and invalid results, become errors of one line."""

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from parsolve.errors import BadInput, BadPuzzle, EngineStop, GuardStop, OutOfMemory, ParsolveError
from parsolve.problem.data import Array
from parsolve.puzzle.core import Puzzle, State
from parsolve.puzzle.shapes import KINDS, TONES, Shape, text_shapes
from parsolve.system.activity import doing
from parsolve.text import field_kind, one_line, place_of, raised_at, shown

_SURROGATE = re.compile("[\ud800-\udfff]")
"""A character that no encoding can represent."""


def call_method(puzzle: Puzzle, method: str, *arguments: Any) -> Any:
    """Return the result of a puzzle's method."""
    return call(puzzle, method, lambda: getattr(puzzle, method)(*arguments))


def call(puzzle: Puzzle | type[Puzzle], method: str, function: Callable[[], Any]) -> Any:
    """Return the result of a function that calls a method of a puzzle, or of its class, or reads a property."""
    cls = puzzle if isinstance(puzzle, type) else type(puzzle)
    name = cls.__name__

    def failed(error: BaseException) -> BadPuzzle:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        # A method with other arguments is not entered.
        was_entered = frame.f_code.co_filename != __file__
        place = raised_at(error) if was_entered else place_of(getattr(cls, method, None))
        return BadPuzzle(f"{name}: {method!r} raises {type(error).__name__}: {one_line(error)}{place}")

    return call_foreign(f"{method!r} of {name}", function, failed)


def call_foreign(what: str, function: Callable[[], Any], failed: Callable[[BaseException], ParsolveError]) -> Any:
    """Return the result of a function that runs foreign code, named `what` for the supervisor; `failed` makes the error
    of one line from what that raises."""
    try:
        with doing(what):
            return function()
    except (BadInput, EngineStop, GuardStop, OutOfMemory, KeyboardInterrupt):  # the latter while it waits for a kernel
        raise
    except BaseException as error:
        raise failed(error) from error


def text_from(puzzle: Puzzle, method: str, *arguments: Any) -> str:
    """Return the text from a puzzle's method."""
    text = call_method(puzzle, method, *arguments)
    name = type(puzzle).__name__
    if not isinstance(text, str):
        place = place_of(getattr(type(puzzle), method))
        raise BadPuzzle(f"{name}: {method!r}{place} must return a text, not {shown(text)}: is a 'return' missing?")
    if _SURROGATE.search(text):
        raise BadPuzzle(f"{name}: {method!r} returns half a character (a surrogate): {ascii(text)[:60]}")
    return text


def picture_from(puzzle: Puzzle, state: State, moves: Sequence[int]) -> tuple[Shape, ...]:
    """Return a state as shapes: from `picture`, or from `render` if there is no picture."""
    if type(puzzle).picture is Puzzle.picture:
        return text_shapes(text_from(puzzle, "render", state, moves))
    shapes = call_method(puzzle, "picture", state, moves)
    name, place = type(puzzle).__name__, place_of(type(puzzle).picture)
    if not isinstance(shapes, Sequence) or isinstance(shapes, str):
        raise BadPuzzle(f"{name}: 'picture'{place} must return a list of shapes, not {shown(shapes)}")
    for shape in shapes:
        try:
            fault = _fault_of(shape)
        except TypeError:  # for example, it holds a list
            fault = _no_shape(shape)
        if fault:
            raise BadPuzzle(f"{name}: 'picture'{place} {fault}")
    return tuple(shapes)


@lru_cache(maxsize=1 << 16, typed=True)
def _fault_of(shape: Any) -> str:
    """Return what is wrong with a shape, as the end of a message; empty if nothing is. Most shapes occur often."""
    if not isinstance(shape, Shape) or shape.kind not in KINDS or shape.tone not in TONES:
        return _no_shape(shape)
    for number in (shape.x, shape.y, shape.width, shape.height):
        if not isinstance(number, int | float | np.number) or not abs(number) < 1e9:  # nan is not either
            return f"gives {shown(number)} where a shape has a number below 1e9"
    if shape.kind != "line" and min(shape.width, shape.height) < 0:
        return f"gives a shape of width {shape.width} and height {shape.height}: let neither be below 0"
    for text in (shape.text, shape.name):
        if not isinstance(text, str):
            return f"gives {shown(text)} where a shape has a text"
        if _SURROGATE.search(text):
            return f"returns half a character (a surrogate): {ascii(text)[:60]}"
    return ""


def _no_shape(shape: object) -> str:
    return (
        f"must return shapes such as Shape('disc', x, y, 'piece'), of a kind ({', '.join(KINDS)}) and a tone"
        f" ({', '.join(TONES)}), not {shown(shape)}"
    )


def images_from(puzzle: Puzzle, moves: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the images of a solution by the puzzle's symmetries, itself included."""
    images = call_method(puzzle, "images_of", moves)
    try:
        return [tuple(int(move) for move in image) for image in images]
    except (TypeError, ValueError):
        place = place_of(type(puzzle).images_of)
        name = type(puzzle).__name__
        raise BadPuzzle(f"{name}: 'images_of'{place} must return lists of moves, not {shown(images)}") from None


def whole_number(puzzle: Puzzle, what: str, number: Any) -> int:
    """Return a whole number from a puzzle."""
    if not isinstance(number, int | np.integer):
        raise BadPuzzle(f"{type(puzzle).__name__}: {what} must return a whole number, not {shown(number)}")
    return int(number)


def rows_from(puzzle: Puzzle, method: str, states: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    """Return states from a puzzle's method as rows: record[n].

    Args:
        puzzle: the puzzle.
        method: gives them: root or goals.
        states: by their fields; missing ones are 0.
        dtype: dtype of the rows.
    """
    rows, name, names = np.zeros(len(states), dtype), type(puzzle).__name__, puzzle.state.names
    place, what = place_of(getattr(type(puzzle), method)), method.removesuffix("s")
    for row, fields in zip(rows, states, strict=True):
        if not isinstance(fields, Mapping):
            raise BadPuzzle(f"{name}: {method!r}{place} must return a dict of fields, not {returned(fields)}")
        for field, value in fields.items():
            if field not in names:
                text = f"which is not a field of 'state'; its fields are {', '.join(names)}"
                raise BadPuzzle(f"{name}: the {what}{place} names {field!r}, {text}")
            try:
                row[field] = _fitting(value, dtype[field])
            except Exception:
                text = f"{shown(value)} does not fit the field, {field_kind(dtype[field])}"
                raise BadPuzzle(f"{name}: the {what}'s {field!r}{place} = {text}") from None
    return rows


def returned(value: Any) -> str:
    """Return what a method has returned, for messages."""
    return "None: is a 'return' missing?" if value is None else shown(value)


def _fitting(value: Any, field: np.dtype[Any]) -> Any:
    """Return a value for a field; raise a ValueError if it does not fit."""
    given = np.array(value, object)
    if given.shape not in ((), field.shape):
        raise ValueError
    most = np.iinfo(field.base).max
    if not all(number == int(number) and 0 <= number <= most for number in given.flat):
        raise ValueError  # numpy would round it, or reduce it modulo
    return value
