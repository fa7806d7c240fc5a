"""Boards of cells: rectangles and drawings, with their symmetries."""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from parsolve.errors import BadInput
from parsolve.text import shown

MOST = 1024
"""Cells of a board, and rows and columns of a drawing."""

Cell = tuple[int, int]
"""A row and a column."""

Symmetry = Callable[[int, int], Cell]
"""A turn or reflection of the plane, from row and column."""


class Board(NamedTuple):
    """The cells of a board, row by row, and the size of its drawing."""

    cells: tuple[Cell, ...]
    rows: int
    columns: int

    def draw(self, letters: dict[Cell, str]) -> list[str]:
        """Return the lines of a drawing: a cell's letter, a dot where it has none, a space where there is no cell."""
        shown = {cell: letters.get(cell, "·") for cell in self.cells}
        return ["".join(shown.get((y, x), " ") for x in range(self.columns)) for y in range(self.rows)]

    def symmetries(self) -> list[Symmetry]:
        """Return the turns and reflections that map the board onto itself; the identity first."""
        found: dict[tuple[Cell, ...], Symmetry] = {}
        for symmetry in _maps(self.rows - 1, self.columns - 1):
            image = tuple(symmetry(*cell) for cell in self.cells)
            if set(image) == set(self.cells):
                found.setdefault(image, symmetry)
        return list(found.values())


def _maps(bottom: int, right: int) -> Iterator[Symmetry]:
    """Yield the eight maps of a square and its like; of a board that is no square half of them lead beyond it."""
    for swap, down, across in itertools.product((False, True), repeat=3):

        def image(row: int, column: int, swap: bool = swap, down: bool = down, across: bool = across) -> Cell:
            y, x = bottom - row if down else row, right - column if across else column
            return (x, y) if swap else (y, x)

        yield image


def board_of(text: str) -> Board:
    """Return a board by its size, such as 6x10, or its drawing: an o for each cell, dots and spaces elsewhere.

    Raises:
        BadInput: it is no board.
    """
    size = re.fullmatch(r"\s*(\d{1,4})x(\d{1,4})\s*", text)
    if size:
        rows, columns = map(int, size.groups())
        if not 1 <= rows * columns <= MOST:
            raise BadInput(
                f"polyominoes: the board {text.strip()} has {rows * columns:,} cells; 1 to {MOST} are possible"
            )
        lines = ["o" * columns] * rows
    else:
        lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        wrong = line.strip("o. ")
        if wrong:
            raise BadInput(
                f"polyominoes: line {number} of the board has {shown(wrong[0])}: it is a size such as 6x10, or the path"
                " of a drawing with an o for each cell, and dots or spaces elsewhere"
            )
    cells = [(row, column) for row, line in enumerate(lines) for column, letter in enumerate(line) if letter == "o"]
    if not 1 <= len(cells) <= MOST or max(map(max, cells)) >= MOST:
        raise BadInput(f"polyominoes: the board has {len(cells):,} cells; 1 to {MOST} in as many rows are possible")
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    cells = [(row - top, column - left) for row, column in cells]
    return Board(tuple(cells), 1 + max(row for row, _ in cells), 1 + max(column for _, column in cells))
