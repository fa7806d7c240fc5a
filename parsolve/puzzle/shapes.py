"""A picture of a state as plain data: shapes, the source of SVG, the HTML report and its player."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

ShapeKind = Literal["box", "disc", "line", "text"]
"""box, disc: with a text in the middle. line: from the place to `width` and `height` beyond it. text: one line in
letters of equal width, from the place on."""

Tone = Literal[
    "board", "cell", "shade", "hole", "water", "mark", "piece", "other", "third", "fourth", "fifth", "sixth", "label"
]
"""The meaning of a shape, which gives its colour, light and dark. Shapes of later tones lie above earlier ones.

board: the ground. cell, shade: the light and the dark cells. hole: a place for a piece. water: a liquid. mark: a line
that points out a move. piece, other, third to sixth: kinds of pieces. label: a text alone.
"""

KINDS: tuple[ShapeKind, ...] = get_args(ShapeKind)
TONES: tuple[Tone, ...] = get_args(Tone)
PIECES: tuple[Tone, ...] = ("piece", "other", "third", "fourth", "fifth", "sixth")
"""The tones of pieces."""

LETTER = 0.6
"""The width of a letter of kind `text`, relative to its height."""

LINE_GAP = 1.2
"""The distance of lines of text, relative to their height."""


class Shape(NamedTuple):
    """One shape of a picture. Lengths are in cells of the board; x grows to the right, y downwards.

    Attributes:
        kind: its form.
        x, y: its middle; for a line or a text the beginning.
        tone: its meaning.
        width, height: its size; for a text the height of the letters alone.
        text: the text in it.
        name: identifies a moving piece: the same name in the next state is the same piece. It is read aloud as well.
    """

    kind: ShapeKind
    x: float
    y: float
    tone: Tone
    width: float = 1.0
    height: float = 1.0
    text: str = ""
    name: str = ""


def text_shapes(text: str) -> tuple[Shape, ...]:
    """Return a text of several lines as shapes."""
    return tuple(
        Shape("text", 0, LINE_GAP * (number + 0.5), "label", text=line) for number, line in enumerate(text.split("\n"))
    )


def extent(shapes: Sequence[Shape]) -> tuple[float, float, float, float]:
    """Return the box around shapes: x and y of its upper left corner, its width and height."""
    if not shapes:
        return 0.0, 0.0, 1.0, 1.0
    lefts, tops, rights, bottoms = zip(*map(_corners, shapes), strict=True)
    return min(lefts), min(tops), max(rights) - min(lefts), max(bottoms) - min(tops)


def _corners(shape: Shape) -> tuple[float, float, float, float]:
    """Return the least x and y of a shape, and the greatest."""
    if shape.kind == "line":
        (left, right), (top, bottom) = (
            sorted((shape.x, shape.x + shape.width)),
            sorted((shape.y, shape.y + shape.height)),
        )
        return left, top, right, bottom
    top, bottom = shape.y - shape.height / 2, shape.y + shape.height / 2
    if shape.kind == "text":
        return shape.x, top, shape.x + LETTER * shape.height * max(1, len(shape.text)), bottom
    return shape.x - shape.width / 2, top, shape.x + shape.width / 2, bottom
