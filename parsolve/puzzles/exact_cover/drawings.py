"""Boards and pieces as they are drawn: a letter for each cell, an empty line between layers."""

from collections.abc import Iterable

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.space import Cell
from parsolve.text import shown

EMPTY = ". "
"""Where there is no cell."""


def cells_of(lines: Iterable[tuple[int, str]], letters: str, subject: str, hint: str) -> dict[Cell, str]:
    """Return the letter of each cell that is drawn.

    Args:
        lines: each with its number.
        letters: of cells.
        subject: what is drawn, for messages.
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
