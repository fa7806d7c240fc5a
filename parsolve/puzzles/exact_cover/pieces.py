"""Polyominoes and polycubes: their shapes, names and images."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.board import MOST, cells_of
from parsolve.puzzles.exact_cover.space import TURNS, Cells, far_end, moved
from parsolve.text import lines_of, shown

Kind = Literal["free", "one-sided", "fixed"]
"""How pieces may be put on the board. free: turned in space, and so also turned over. one-sided: turned with the same
side up. fixed: as drawn."""

_MARK = "'"
"""The mark after the name of a reflected piece."""

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
    "A4": "oo/o// /o",
    "B4": "oo/o// o",
    "P4": "oo/o//o",
}
"""An o for each cell, slashes between rows, two between layers."""

SETS = {
    "monomino": ("I1",),
    "domino": ("I2",),
    "trominoes": ("I3", "V3"),
    "tetrominoes": ("I4", "L4", "O4", "S4", "T4"),
    "tetracubes": ("I4", "L4", "O4", "S4", "T4", "A4", "B4", "P4"),
    "soma": ("V3", "L4", "T4", "S4", "A4", "B4", "P4"),
    "pentominoes": ("F", "I", "L", "N", "P", "T", "U", "V", "W", "X", "Y", "Z"),
}
"""Sets of pieces, one of each, by name."""


def drawn(text: str) -> Cells:
    """Return the cells of a drawing as in `_DRAWN`."""
    return moved(
        (layer, row, column)
        for layer, rows in enumerate(text.split("//"))
        for row, line in enumerate(rows.split("/"))
        for column, letter in enumerate(line)
        if letter == "o"
    )


def is_coloured(piece: Cells) -> bool:
    """Return whether the cells of a piece have colours."""
    return any(len(cell) > 3 for cell in piece)


def orientations(cells: Cells, kind: Kind) -> list[Cells]:
    """Return the images in which a piece may be put on the board; itself first."""
    if kind == "fixed":
        return [cells]
    turns = [turn for turn in TURNS if kind == "free" or turn.is_upright]
    return list(dict.fromkeys(moved(turn.image(cells)) for turn in turns))


def canonical(cells: Cells, kind: Kind) -> Cells:
    """Return one image of a piece, the same for all of its images."""
    return min(orientations(cells, kind), key=sorted)


class Listed(NamedTuple):
    """A piece in a list: its name, its image that `canonical` returns, and how often it is used."""

    name: str
    cells: Cells
    least: int
    most: int


_TIMES = r"(?:(?:(\d{1,9}):)?(\d{1,9})\*)?"
"""How often a piece is used, before its name: `3*`, or `0:6*` for at most six times."""


def named(text: str, kind: Kind) -> list[Listed]:
    """Return the pieces in a text, some perhaps several times.

    The text has names of sets or pieces between spaces or commas, such as `pentominoes`, `I L L T4`, `32*I2 V3` or
    `0:6*I3`. A set has each piece that differs from the others under this kind. Or the text draws pieces, each as a
    board is drawn, below a line with its name and a colon, such as `corner:` or `3*corner:`.

    Raises:
        BadInput: there is no such piece, or there are more than a board has cells; or a drawing is wrong.
    """
    if re.search(r":[ \t]*$", text, re.MULTILINE):
        return _own(text, kind)
    found: list[Listed] = []
    for word in text.replace(",", " ").split():
        parts = re.fullmatch(rf"{_TIMES}(.+)", word, re.ASCII)
        name = parts[3] if parts else word
        least, most = _times(name, *(parts.groups()[:2] if parts else (None, None)))
        found += [Listed(each, cells, least, most) for each, cells in _named(name, kind)]
    return _used(found, "polyominoes: name the pieces, such as pentominoes, or I L P T")


def _times(name: str, least: str | None, most: str | None) -> tuple[int, int]:
    """Return how often a piece is used, from the numbers before its name."""
    high = 1 if most is None else int(most)
    low = high if least is None else int(least)
    if low > high:
        raise BadInput(f"polyominoes: {shown(name)} is used at least {low} and at most {high} times: exchange them")
    return low, high


def _used(listed: Sequence[Listed], nothing: str) -> list[Listed]:
    """Return the pieces that may be used, or refuse: none, which `nothing` says, or more than a board has cells."""
    if sum(each.least for each in listed) > MOST:
        raise BadInput(f"polyominoes: these are more than {MOST:,} pieces: a board has no cells for them")
    found = [each for each in listed if each.most]
    if not found:
        raise BadInput(nothing)
    return found


def _own(text: str, kind: Kind) -> list[Listed]:
    """Return the pieces drawn in a text, each below a line such as `corner:`, `3*corner:` or `0:3*corner:`."""
    drawings: dict[str, list[tuple[int, str]]] = {}
    copies: dict[str, tuple[int, tuple[int, int]]] = {}  # by name: the line, and how often it is used
    name = None
    for line, row in enumerate(lines_of(text), 1):
        head = re.fullmatch(rf"\s*{_TIMES}([^\s:*]+):\s*", row, re.ASCII)
        if head:
            name = head[3]
            if name in copies:
                raise BadInput(
                    f"polyominoes: line {line} of the pieces names {shown(name)} again: give each its own name"
                )
            copies[name], drawings[name] = (line, _times(name, head[1], head[2])), []
        elif name is not None:
            drawings[name].append((line, row))
        elif row.strip():
            raise BadInput(
                f"polyominoes: line {line} of the pieces is not a name: before its drawing each piece has a name and a"
                " colon, such as corner: or 3*corner:"
            )
    found: list[Listed] = []
    for name, (line, times) in copies.items():
        hint = "a piece is drawn with an o for each cell, and dots or spaces elsewhere; its name ends with a colon"
        cells = cells_of(drawings[name], "o", "polyominoes", "the pieces", hint)
        if not 1 <= len(cells) <= MOST:
            raise BadInput(
                f"polyominoes: line {line} of the pieces: {shown(name)} has {len(cells):,} cells; 1 to {MOST:,} are"
                " possible, drawn below the name"
            )
        found.append(Listed(name, canonical(moved(cells), kind), *times))
    return _used(found, "polyominoes: the pieces are used 0 times: give at least one")


@cache
def _named(word: str, kind: Kind) -> tuple[tuple[str, Cells], ...]:
    """Return the pieces of a word: one, or a set."""
    if word.lower() in SETS:
        found = []
        for name in SETS[word.lower()]:
            cells = drawn(_DRAWN[name])
            # As flat as drawn: a fixed pentomino that stands upright is in no set.
            flat = [each for each in orientations(cells, "free") if far_end(each)[0] == far_end(cells)[0]]
            different = dict.fromkeys(canonical(image, kind) for image in flat)
            found += [(f"{name}{_MARK * number}", cells) for number, cells in enumerate(different)]
        return tuple(found)
    plain = word.rstrip(_MARK)
    if plain not in _DRAWN or len(word) > len(plain) + 1:
        raise BadInput(
            f"polyominoes: there is no piece {shown(word)}; there are {', '.join(_DRAWN)}, reflected ones such as"
            f" L', and the sets {', '.join(SETS)}"
        )
    cells = drawn(_DRAWN[plain])
    return ((word, canonical(cells if word == plain else moved((z, y, -x) for z, y, x in cells), kind)),)
