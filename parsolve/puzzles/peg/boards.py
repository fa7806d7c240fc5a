"""Peg solitaire boards as data: holes numbered row by row, with their places."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

Place = tuple[int, int]
"""A row and a column, in characters of the board's drawing."""


class Board(NamedTuple):
    """A board: its jumps as (from, over, to), in the order of a plain depth-first program.

    Every jump is straight: the jumped hole is midway between the two others.
    """

    jumps: tuple[tuple[int, int, int], ...]
    places: tuple[Place, ...]  # by hole
    names: tuple[str, ...] = ()  # by hole, such as d4; empty if the board has no columns

    @property
    def holes(self) -> int:
        """The number of holes."""
        return len(self.places)

    def draw(self, pegs: int) -> list[str]:
        """Return the board's rows in its true shape, all of one width. `pegs` has a bit for each hole."""
        return self._rows(lambda hole: "●" if pegs >> hole & 1 else "·")

    def draw_numbers(self) -> list[str]:
        """Return the board's rows with the number of each hole, and beside them the parts of the holes' names."""
        width = len(str(self.holes - 1))
        rows = self._rows(lambda hole: str(hole).rjust(width), width)
        if not self.names:
            return rows
        last_row, last_column = (max(numbers) for numbers in zip(*self.places, strict=True))
        letters = "".join(letter.rjust(width).ljust(2 * _half(width)) for letter in ascii_lowercase)
        left = len(str(1 + last_row)) + 2
        head = " " * left + letters[: last_column * _half(width) + width]
        return [head, *(str(1 + number).ljust(left) + row for number, row in enumerate(rows))]

    def _rows(self, label: Callable[[int], str], width: int = 1) -> list[str]:
        """Return the board's rows, all of one width, with a label of `width` characters at each hole."""
        last_row, last_column = (max(numbers) for numbers in zip(*self.places, strict=True))
        half = _half(width)
        rows = [[" "] * (last_column * half + width) for _ in range(1 + last_row)]
        for hole, (row, column) in enumerate(self.places):
            rows[row][column * half : column * half + width] = label(hole)
        return ["".join(row) for row in rows]


def _half(width: int) -> int:
    """Return the width of a column of places, for labels of some width two columns apart."""
    return (width + 2) // 2


def from_table(table: str, shape: str) -> Board:
    """Return a board without regular directions: from its drawing, with an o at each hole, and a jump table as
    Hiroi's pages print it, `hole:(over to)(over to)… hole:…`."""
    jumps = []
    for hole, pairs in re.findall(r"(\d+):((?:\(\d+ \d+\))+)", table):
        jumps += [(int(hole), int(over), int(to)) for over, to in re.findall(r"\((\d+) (\d+)\)", pairs)]
    return Board(tuple(jumps), holes_of(shape.strip("\n").splitlines()))


def from_places(places: Sequence[Place], steps: Sequence[Place]) -> Board:
    """Return a regular board: a peg may jump twice each step, holes ascending, steps in order."""
    hole = {place: number for number, place in enumerate(places)}
    jumps = []
    for row, column in places:
        for down, right in steps:
            path = [(row + i * down, column + i * right) for i in range(3)]
            if all(place in hole for place in path):
                jumps.append((hole[path[0]], hole[path[1]], hole[path[2]]))
    return Board(tuple(jumps), tuple(places))


def holes_of(shape: Sequence[str]) -> tuple[Place, ...]:
    """Return the places of each o in a drawing, row by row."""
    return tuple((i, j) for i, line in enumerate(shape) for j, letter in enumerate(line) if letter == "o")


def square(places: Sequence[Place]) -> Board:
    """Return a board whose holes are two columns apart; pegs jump along rows and columns.

    A hole's name is the letter of its column, from the left, and the number of its row, from the top, as in
    J. D. Beasley, The Ins and Outs of Peg Solitaire, 1985: d4 is the centre of the English board.
    """
    board = from_places(places, ((-1, 0), (0, -2), (0, 2), (1, 0)))
    if max(column for _, column in places) >= 2 * len(ascii_lowercase):
        return board
    return board._replace(names=tuple(f"{ascii_lowercase[column // 2]}{row + 1}" for row, column in places))


def triangular(places: Sequence[Place]) -> Board:
    """Return a board whose holes are two columns apart, one in the next row; pegs jump along rows and diagonals."""
    return from_places(places, ((-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1)))


def triangle(side: int) -> Board:
    """Return a triangle with `side` holes a side."""
    return triangular(holes_of([" " * (side - row) + " ".join("o" * row) for row in range(1, side + 1)]))


def rows_of(*lengths: int) -> Board:
    """Return a square board of centred rows with these numbers of holes."""
    return square(holes_of([(" ".join("o" * length)).center(2 * max(lengths) - 1) for length in lengths]))


BOARDS = {
    "hoppers": from_table(
        "0:(1 2)(3 6)(5 10) 1:(3 5)(6 11)(4 7) 2:(1 0)(4 6)(7 12) 3:(6 9) 4:(6 8) 5:(3 1)(6 7)(8 11)"
        " 6:(3 0)(4 2)(8 10)(9 12) 7:(4 1)(6 5)(9 11) 8:(6 4) 9:(6 3) 10:(5 0)(8 6)(11 12)"
        " 11:(8 5)(6 1)(9 7) 12:(11 10)(9 6)(7 2)",
        """
o   o   o
  o   o
o   o   o
  o   o
o   o   o
""",
    ),
    "triangle10": triangle(4),
    "triangle15": triangle(5),
    "triangle21": triangle(6),
    "triangle21_modified": from_table(
        "0:(2 4) 1:(2 3) 2:(3 5)(4 7) 3:(2 1)(5 8)(6 10) 4:(2 0)(6 9)(7 11) 5:(3 2)(6 7)(8 13)(9 15)"
        " 6:(9 14)(10 16) 7:(4 2)(6 5)(10 15)(11 17) 8:(5 3)(9 10)(13 19) 9:(6 4)(10 11) 10:(6 3)(9 8)"
        " 11:(7 4)(10 9)(17 20) 12:(13 14) 13:(8 5)(14 15) 14:(9 6)(13 12)(15 16) 15:(9 5)(10 7)(14 13)(16 17)"
        " 16:(10 6)(15 14)(17 18) 17:(11 7)(16 15) 18:(17 16) 19:(13 8) 20:(17 11)",
        """
     o o
      o
     o o
    o o o
   o o o o
o o o o o o o
 o         o
""",
    ),
    "english33": rows_of(3, 3, 7, 7, 7, 3, 3),
    "french37": rows_of(3, 5, 7, 7, 7, 5, 3),
    "diamond41": rows_of(1, 3, 5, 7, 9, 7, 5, 3, 1),
    "wiegleb45": rows_of(3, 3, 3, 9, 9, 9, 3, 3, 3),
}
"""The boards by name. Hoppers: ThinkFun's board of 13 holes. triangle21_modified: a triangle of 15 holes whose corners
are split, with two further holes beside each."""


def in_one_class(board: Board, pegs: int, others: int) -> bool:
    """Return whether two positions, a bit a hole, are in the same position class: if not, no jumps lead from one to the
    other.

    A jump changes three holes. So it keeps the parity of the pegs in each set of holes that has none or two holes of
    every jump. (The Rule of Three: on a square or triangular lattice the sets are two of three diagonals each, which
    gives 16 or 4 classes. N. G. de Bruijn, A solitaire game and its relation to a finite field, 1972; J. D. Beasley,
    The Ins and Outs of Peg Solitaire, 1985.) Two positions are in one class exactly if they differ by the holes of some
    jumps, each hole counted modulo 2: this needs no lattice.
    """
    return _reduced(pegs ^ others, _basis(board)) == 0


@lru_cache(maxsize=256)
def _basis(board: Board) -> dict[int, int]:
    """Return a basis of the changes by jumps, by the highest hole of each."""
    basis: dict[int, int] = {}
    for start, over, to in board.jumps:
        rest = _reduced(1 << start | 1 << over | 1 << to, basis)
        if rest:
            basis[rest.bit_length()] = rest
    return basis


def _reduced(holes: int, basis: dict[int, int]) -> int:
    """Return a set of holes modulo the sets of a basis: 0 if it is a sum of them."""
    left = holes
    for high in sorted(basis, reverse=True):
        if left.bit_length() == high:
            left ^= basis[high]
    return left
