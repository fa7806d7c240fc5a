"""Boards and boxes of cells: by size or drawn, with their symmetries."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.space import Cell, Cells, Motion, far_end, motions, moved
from parsolve.text import lines_of, shown

MOST = 1024
"""Maximum number of cells of a board, and of rows and columns of a drawing."""

MOST_SPACE = 1 << 15
"""Maximum number of cells of the box around a board, including those outside the board."""

EMPTY = ". "
"""Characters of a drawing outside the board."""

GAP = "  "
"""The space between layers drawn side by side."""


class Board(NamedTuple):
    """The cells of a board, layer by layer and row by row.

    Colours are numbers from 1 on. A cell without a colour takes every colour of a piece, and a piece's cell without a
    colour is taken by every cell of the board.
    """

    cells: tuple[Cell, ...]
    optional: Cells = frozenset()  # those that may stay empty
    colours: Mapping[Cell, int] = {}  # of the coloured cells
    fitting: frozenset[tuple[int, int]] = frozenset()  # colours of pieces, and the board's colours that take them

    @property
    def far(self) -> Cell:
        """The last layer, row and column."""
        return far_end(self.cells)

    @property
    def space(self) -> int:
        """The number of cells of the box around the board."""
        return math.prod(last + 1 for last in self.far)

    def layers(self, letters: dict[Cell, str]) -> list[list[str]]:
        """Return the rows of each layer: a cell's letter, a dot if it has none, a space outside the board."""
        texts = {cell: letters.get(cell, "·") for cell in self.cells}
        layers, rows, columns = (range(last + 1) for last in self.far)
        return [
            ["".join(texts.get((layer, row, column), " ") for column in columns) for row in rows] for layer in layers
        ]

    def symmetries(self, is_taken: Callable[[Motion], bool] = lambda motion: True) -> list[Motion]:
        """Return the turns and reflections that map the board onto itself, one of each effect; the identity first."""
        found: dict[tuple[Cell, ...], Motion] = {}
        for motion in filter(is_taken, motions(self.far)):
            image = tuple(motion.images(self.cells))
            colours = {
                made: self.colours[cell] for cell, made in zip(self.cells, image, strict=True) if cell in self.colours
            }
            is_same = set(image) == set(self.cells) and motion.image(self.optional) == self.optional
            if is_same and colours == self.colours:
                found.setdefault(image, motion)
        return list(found.values())

    def takes(self, cells: Iterable[Cell]) -> bool:
        """Return whether the colours of the board take those of cells of a piece there."""
        for *place, colour in cells:
            own = self.colours.get(tuple(place), 0)
            if own and colour and (colour, own) not in self.fitting:
                return False
        return True


def board_of(text: str, family: str = "polyominoes") -> Board:
    """Return a board by its size, such as 6x10 or layers x rows x columns, or by its drawing: an o for each cell, a +
    for one that may stay empty, dots and spaces elsewhere, and an empty line between two layers.

    Raises:
        BadInput: it is neither; the message begins with the family.
    """
    size = re.fullmatch(r"\s*(?:(\d{1,4})x)?(\d{1,4})x(\d{1,4})\s*", text, re.ASCII)
    if size:
        layers, rows, columns = (int(number or 1) for number in size.groups())
        if not 1 <= layers * rows * columns <= MOST:
            raise BadInput(
                f"{family}: the board {text.strip()} has {layers * rows * columns:,} cells; 1 to {MOST} are possible"
            )
        return Board(tuple(itertools.product(range(layers), range(rows), range(columns))))
    hint = (
        "it is a size such as 6x10 or 3x3x3, or the path of a drawing with an o for each cell, a + for one that may"
        " stay empty, and dots or spaces elsewhere"
    )
    letters = cells_of(enumerate(lines_of(text), 1), "o+", family, "the board", hint)
    if not 1 <= len(letters) <= MOST or max(map(max, letters)) >= MOST:
        raise BadInput(f"{family}: the board has {len(letters):,} cells; 1 to {MOST} in as many rows are possible")
    top, back, left = (min(numbers) for numbers in zip(*letters, strict=True))
    optional = [cell for cell, letter in letters.items() if letter == "+"]
    board = Board(
        tuple(sorted(moved(letters))),
        frozenset((layer - top, row - back, column - left) for layer, row, column in optional),
    )
    if board.space > MOST_SPACE:
        raise BadInput(f"{family}: the box around the board has {board.space:,} cells; {MOST_SPACE:,} are possible")
    return board


def cells_of(lines: Iterable[tuple[int, str]], letters: str, family: str, subject: str, hint: str) -> dict[Cell, str]:
    """Return the letter of each drawn cell.

    Args:
        lines: each with its number.
        letters: the allowed letters of cells.
        family, subject: the family and the drawn object, for messages.
        hint: how to draw it.

    Raises:
        BadInput: there is another character; the message names the line.
    """
    found: dict[Cell, str] = {}
    layer, row = 0, 0
    for number, line in lines:
        wrong = line.strip(letters + EMPTY)
        if wrong:
            raise BadInput(f"{family}: line {number} of {subject} has {shown(wrong[0])}: {hint}")
        if line.strip():
            found |= {(layer, row, column): letter for column, letter in enumerate(line) if letter in letters}
            row += 1
        elif row:
            layer, row = layer + 1, 0
    return found
