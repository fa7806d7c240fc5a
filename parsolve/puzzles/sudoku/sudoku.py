"""Sudoku: fill a grid so that each row, column and box has each digit once."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parsolve.errors import BadInput
from parsolve.puzzle import Shape, State, Text, parameter
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.exact_cover.rules import Covering
from parsolve.shapes import Tone
from parsolve.text import shown

EXAMPLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

RULED = "------+-------+------"


@dataclass(frozen=True)
class Sudoku(Covering):
    """Fill a grid of 9x9 so that each row, column and box has each digit once. A solution prints as its 81 digits."""

    grid: Text = parameter(EXAMPLE, "81 characters, row by row: a digit, or . or 0 for a free cell")

    def __post_init__(self) -> None:
        if len(self.cells) != 81:
            raise BadInput(f"sudoku: the grid has 81 cells, not {len(self.cells)}: give 9 rows of 9, . or 0 for free")
        wrong = self.cells.strip("0123456789.")
        if wrong:
            raise BadInput(f"sudoku: the grid has {shown(wrong[0])}: a cell is a digit, or . or 0 where it is free")

    @cached_property
    def cells(self) -> str:
        """The grid without spaces and lines' ends."""
        return "".join(self.grid.split())

    @cached_property
    def candidates(self) -> list[tuple[int, int, int]]:
        """The options: row, column and digit, each from 0, of given digits and of those that they allow."""
        given = {divmod(place, 9): int(cell) - 1 for place, cell in enumerate(self.cells) if cell not in ".0"}
        seen = [(each, *cell, digit) for cell, digit in given.items() for each in _units(*cell)]
        taken = {(unit, digit): (row, column) for unit, row, column, digit in seen}
        found = []
        for row, column, digit in itertools.product(range(9), repeat=3):
            if given.get((row, column), digit) == digit:
                holders = [taken.get((unit, digit), (row, column)) for unit in _units(row, column)]
                if all(holder == (row, column) for holder in holders):
                    found.append((row, column, digit))
        return found

    @cached_property
    def instance(self) -> Instance:
        pairs = [f"{a}{b}" for a, b in itertools.product(range(1, 10), repeat=2)]
        builder = Builder([f"{kind}{pair}" for kind in ("p", "r", "c", "b") for pair in pairs])
        for row, column, digit in self.candidates:
            box = row // 3 * 3 + column // 3
            items = [f"p{row + 1}{column + 1}", f"r{row + 1}{digit + 1}", f"c{column + 1}{digit + 1}"]
            builder.add([*items, f"b{box + 1}{digit + 1}"])
        return builder.finish()

    def show(self, solution: Any) -> str:
        return "".join(itertools.chain.from_iterable(self._filled(solution.moves)))

    def render(self, state: State, moves: Sequence[int]) -> str:
        lines = []
        for number, row in enumerate(self._filled(moves)):
            lines += [RULED] if number in (3, 6) else []
            lines.append(" | ".join(" ".join(row[column : column + 3]) for column in (0, 3, 6)))
        return "\n".join(lines)

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        shapes = []
        for row, cells in enumerate(self._filled(moves)):
            for column, cell in enumerate(cells):
                is_new = self.cells[9 * row + column] in ".0" and cell != "."
                ground: Tone = "shade" if (row // 3 + column // 3) % 2 else "cell"
                text = "" if cell == "." else cell
                shapes.append(Shape("box", column, row, "other" if is_new else ground, 0.94, 0.94, text))
        return shapes

    def overview(self) -> str:
        return self.render({}, ())

    def _filled(self, moves: Sequence[int]) -> list[list[str]]:
        """Return the rows of the grid after some moves."""
        cells = [["." if cell == "0" else cell for cell in self.cells[row : row + 9]] for row in range(0, 81, 9)]
        for move in moves:
            row, column, digit = self.candidates[move]
            cells[row][column] = str(digit + 1)
        return cells


def _units(row: int, column: int) -> list[tuple[str, int]]:
    """Return the units of a cell that have each digit once."""
    return [("row", row), ("column", column), ("box", row // 3 * 3 + column // 3)]
