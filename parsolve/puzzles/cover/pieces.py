"""Polyominoes: their shapes, names and images."""

from collections.abc import Iterable
from typing import Literal

from parsolve.errors import BadInput
from parsolve.text import shown

Cells = frozenset[tuple[int, int]]
"""Rows and columns of some cells, the least of each 0."""

Kind = Literal["free", "one-sided", "fixed"]
"""Whether pieces may be turned and reflected, turned only, or neither."""

_MARK = "'"
"""Behind the name of a reflected piece."""

_DRAWN = {
    "I1": "o",
    "I2": "oo",
    "I3": "ooo",
    "V3": "oo/o",
    "I4": "oooo",
    "L4": "ooo/o",
    "O4": "oo/oo",
    "S4": " oo/oo",
    "T4": "ooo/ o",
    "F": " oo/oo/ o",
    "I": "ooooo",
    "L": "oooo/o",
    "N": " ooo/oo",
    "P": "ooo/oo",
    "T": "ooo/ o/ o",
    "U": "o o/ooo",
    "V": "ooo/o/o",
    "W": "oo/ oo/  o",
    "X": " o/ooo/ o",
    "Y": "oooo/ o",
    "Z": "oo/ o/ oo",
}

SETS = {
    "monomino": ("I1",),
    "domino": ("I2",),
    "trominoes": ("I3", "V3"),
    "tetrominoes": ("I4", "L4", "O4", "S4", "T4"),
    "pentominoes": ("F", "I", "L", "N", "P", "T", "U", "V", "W", "X", "Y", "Z"),
}
"""Sets of pieces, one of each, by name."""


def drawn(text: str) -> Cells:
    """Return the cells of a drawing: an o each, lines divided by slashes."""
    return moved((row, column) for row, line in enumerate(text.split("/")) for column, c in enumerate(line) if c == "o")


def moved(cells: Iterable[tuple[int, int]]) -> Cells:
    """Return cells moved so that the least row and column are 0."""
    cells = list(cells)
    top, left = (min(numbers) for numbers in zip(*cells, strict=True))
    return frozenset((row - top, column - left) for row, column in cells)


def images(cells: Cells, reflect: bool = True) -> list[Cells]:
    """Return the different images of cells by turns, and by reflections if `reflect`; themselves first."""
    found: dict[Cells, None] = {}
    for turned in (cells, moved((column, row) for row, column in cells)) if reflect else (cells,):
        for _ in range(4):
            found.setdefault(turned)
            turned = moved((column, -row) for row, column in turned)
    return list(found)


def canonical(cells: Cells, kind: Kind) -> Cells:
    """Return the one image of a piece that stands for all that are the same piece."""
    return min(orientations(cells, kind), key=sorted)


def orientations(cells: Cells, kind: Kind) -> list[Cells]:
    """Return the images that a piece may be put on the board in."""
    return [cells] if kind == "fixed" else images(cells, kind == "free")


def named(text: str, kind: Kind) -> list[tuple[str, Cells]]:
    """Return the pieces that a text names, each as often as it is there.

    Args:
        text: names of sets or pieces between spaces or commas, such as `pentominoes` or `I L L T4`. A set has one of
            all that differ as pieces of this kind.
        kind: of all pieces.

    Raises:
        BadInput: there is no such piece.
    """
    found: list[tuple[str, Cells]] = []
    for word in text.replace(",", " ").split():
        if word.lower() in SETS:
            for name in SETS[word.lower()]:
                different = {canonical(image, kind): None for image in images(drawn(_DRAWN[name]))}
                found += [(f"{name}{_MARK * number}", cells) for number, cells in enumerate(different)]
            continue
        plain = word.rstrip(_MARK)
        if plain not in _DRAWN or len(word) > len(plain) + 1:
            raise BadInput(
                f"polyominoes: there is no piece {shown(word)}; there are {', '.join(_DRAWN)}, reflected ones such as"
                f" L', and the sets {', '.join(SETS)}"
            )
        cells = drawn(_DRAWN[plain])
        found.append((word, cells if word == plain else moved((row, -column) for row, column in cells)))
    if not found:
        raise BadInput("polyominoes: name the pieces, such as pentominoes, or I L P T")
    return found
