"""Drawings of boards and pieces: a letter for each cell, an empty line between layers."""

from collections.abc import Iterable

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.space import Cell
from parsolve.text import shown

EMPTY = ". "
"""Characters outside the board."""


def cells_of(lines: Iterable[tuple[int, str]], letters: str, subject: str, hint: str) -> dict[Cell, str]:
    """Return the letter of each drawn cell.

    Args:
        lines: each with its number.
        letters: the allowed letters of cells.
        subject: the drawn object, for messages.
        hint: how to draw it.

    Raises:
        BadInput: there is another character; the message names the line.
    """
    found: dict[Cell, str] = {}
    layer, row = 0, 0
    for number, line in lines:
        wrong = line.strip(letters + EMPTY)
        if wrong:
            raise BadInput(f"polyominoes: line {number} of {subject} has {shown(wrong[0])}: {hint}")
        if line.strip():
            found |= {(layer, row, column): letter for column, letter in enumerate(line) if letter in letters}
            row += 1
        elif row:
            layer, row = layer + 1, 0
    return found
