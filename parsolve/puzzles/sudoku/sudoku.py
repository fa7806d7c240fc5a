"""Sudoku: fill a grid so that each row, column and box has each digit once."""

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from parsolve.puzzle.core import Roots, Shape, State, Text, parameter
from parsolve.puzzle.shapes import Tone
from parsolve.puzzles.exact_cover.bounded import COVERED
from parsolve.puzzles.exact_cover.covering import Covering, Tables
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.sudoku import forms

EXAMPLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

FREE = 81 * "."
"""The grid without digits."""

RULED = "------+-------+------"

KINDS = ((4,), (2, 3), (0, 1), (1, 3))
"""The axes of an item's options, see `_by_item`: of a cell, and of a digit in a row, column and box."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Sudoku(Covering):
    """Fill a grid of 9x9 so that each row, column and box has each digit once. A solution prints as its 81 digits."""

    grid: Text = parameter(EXAMPLE, "81 cells, row by row: a digit, or one of . 0 _ * x ? - for a free cell")

    def __post_init__(self) -> None:
        _ = self.cells  # refuses what is no grid

    @cached_property
    def cells(self) -> str:
        """The 81 cells of the grid; dots are free ones."""
        return forms.cells_of(self.grid)

    children = 9

    @property
    def instance(self) -> Instance:
        return all_options()

    def tables(self) -> Tables:
        return all_tables()

    def root(self) -> dict[str, Any]:
        (root,) = roots_of([self.cells], self.state)
        return {name: root[name].tolist() for name in ("options", "counts", "left")}

    @property
    def shared(self) -> Instance:
        every = all_options()
        return every._replace(options=tuple(every.options[number] for number in self._left))

    def unfolded(self, options: Sequence[int]) -> list[int]:
        return [number for option in options if (number := self._left[option]) not in self._given]

    @cached_property
    def _given(self) -> set[int]:
        """The options of the given digits."""
        return {9 * cell + int(digit) - 1 for cell, digit in enumerate(self.cells) if digit != "."}

    @cached_property
    def _left(self) -> list[int]:
        """The options of the given digits and those that remain possible."""
        bits = self.root()["options"]
        every = range(len(all_options().options))
        return [number for number in every if number in self._given or bits[number >> 6] >> (number & 63) & 1]

    def batch_key(self) -> Hashable:
        return ()

    @staticmethod
    def table_lines(lines: Iterable[str]) -> Iterator[str]:
        return forms.table_lines(lines)

    root_parameters = ("grid",)

    def roots(self, texts: Mapping[str, Sequence[str]], state: Any, *distances: Any) -> Roots:
        found = [forms.PLAIN.fullmatch(grid) for grid in texts["grid"]]
        grids = [each[1] if each else FREE for each in found]
        read = np.array([each is not None for each in found])
        return Roots(roots_of(grids, state), read, [self.limits()], np.zeros(len(grids), np.uint8))

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
                is_new = self.cells[9 * row + column] == "." and cell != "."
                ground: Tone = "shade" if (row // 3 + column // 3) % 2 else "cell"
                text = "" if cell == "." else cell
                shapes.append(Shape("box", column, row, "other" if is_new else ground, 0.94, 0.94, text))
        return shapes

    def overview(self) -> str:
        return self.render({}, ())

    def _filled(self, moves: Sequence[int]) -> list[list[str]]:
        """Return the rows of the grid after some moves."""
        cells = [[*self.cells[row : row + 9]] for row in range(0, 81, 9)]
        for move in moves:
            cells[move // 81][move // 9 % 9] = str(move % 9 + 1)
        return cells


@cache
def all_options() -> Instance:
    """Return the problem of the empty grid: an option for each row, column and digit, in this order."""
    pairs = [f"{a}{b}" for a, b in itertools.product(range(1, 10), repeat=2)]
    builder = Builder([f"{kind}{pair}" for kind in ("p", "r", "c", "b") for pair in pairs])
    for row, column, digit in itertools.product(range(9), repeat=3):
        box = row // 3 * 3 + column // 3
        items = [f"p{row + 1}{column + 1}", f"r{row + 1}{digit + 1}", f"c{column + 1}{digit + 1}"]
        builder.add([*items, f"b{box + 1}{digit + 1}"])
    return builder.finish()


@cache
def all_tables() -> Tables:
    """Return the lookups of the rules, which all grids share."""
    return Covering.tables(Sudoku())


def roots_of(grids: Sequence[str], state: Any) -> Array:
    """Return the states in which the given digits of grids are taken: record[grids].

    In a grid with a digit twice in a row, column or box, all items are uncovered, and no options are left.

    Args:
        grids: 81 characters each.
        state: dtype of the puzzle's states.
    """
    characters = np.frombuffer("".join(grids).encode("ascii"), np.uint8).reshape(-1, 81)
    digits = np.ascontiguousarray(characters.T).reshape(3, 3, 3, 3, 1, -1)  # the grids come last, as the longest axis
    given = (digits == np.arange(ord("1"), ord("9") + 1, dtype=np.uint8).reshape(9, 1)).view(np.uint8)
    taken = _by_item(given)
    free = np.ones_like(given)
    for covered, axes in zip(taken, KINDS, strict=True):
        free &= np.expand_dims(covered == 0, axes)
    covers, counts = (np.concatenate([each.reshape(81, -1) for each in every]) for every in (taken, _by_item(free)))
    is_wrong = (covers > 1).any(0)
    free &= ~is_wrong
    flags = np.packbits(np.ascontiguousarray(free.reshape(729, -1).T), axis=1, bitorder="little")
    words = np.zeros((len(grids), 8 * state["options"].shape[0]), np.uint8)
    words[:, : flags.shape[1]] = flags
    roots = np.zeros(len(grids), state)
    roots["options"] = words.view("<u8")
    roots["counts"] = COVERED
    roots["counts"][:, : len(counts)] = np.maximum(counts, COVERED * (covers > 0)).T
    roots["left"] = np.where(is_wrong, len(covers), (covers == 0).sum(0))
    return roots


def _by_item(options: Array) -> list[Array]:
    """Return how many of some options, uint8[3, 3, 3, 3, 9, grids], each item has: by kind, uint8[..., grids]."""
    return [options.sum(axes, np.uint8) for axes in KINDS]
