"""Domination of chessboards: the fewest pieces that attack or occupy all squares, and in how many ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, takewhile
from typing import Any, Literal

from parsolve.errors import BadInput
from parsolve.puzzle.core import Shape, State, parameter
from parsolve.puzzle.shapes import Tone
from parsolve.puzzles.exact_cover.board import Board, board_of
from parsolve.puzzles.exact_cover.cheapest import Cheapest
from parsolve.puzzles.exact_cover.distinct import NOTHING, Symmetries
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.exact_cover.space import Cell

PieceName = Literal["queen", "rook", "bishop", "king", "knight"]

STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LEAPS = ((1, 2), (2, 1), (1, -2), (2, -1), (-1, 2), (-2, 1), (-1, -2), (-2, -1))

MOVES = {
    "queen": ("Q", STRAIGHT + DIAGONAL, True),
    "rook": ("R", STRAIGHT, True),
    "bishop": ("B", DIAGONAL, True),
    "king": ("K", STRAIGHT + DIAGONAL, False),
    "knight": ("N", LEAPS, False),
}
"""By piece: its letter, its steps in rows and columns, and whether it may take several of one kind at once."""


@dataclass(frozen=True)
class Domination(Cheapest):
    """Put as few pieces on a chessboard as attack or occupy all squares. A solution prints as the rows of the board:
    the letter of a piece, a dot for a free square, a space where the board has none.

    A queen, rook or bishop attacks along a line up to the first hole of the board, through other pieces. The numbers of
    solutions are, for queens and n = 1, 2, ..., those of OEIS A002564, for knights A103315, and with `unique` A006076.
    """

    piece: PieceName = parameter("queen", "the pieces")
    n: int = parameter(8, "rows and columns", least=1, most=32)
    board: str = parameter(
        "", "rows x columns, or the path of a drawing with an o for each square; instead of n", text_file=True
    )
    independent: bool = parameter(False, "no piece attacks another")
    total: bool = parameter(False, "each piece is attacked by another one, too")
    unique: bool = parameter(False, "of solutions that are turns or reflections of one another, take one")

    def __post_init__(self) -> None:
        if self.independent and self.total:
            raise BadInput("domination: independent pieces attack none, and total asks for it: leave out one of them")
        if self.layout.far[0] or self.layout.optional:
            raise BadInput("domination: the board is flat, and all its squares are drawn as o")

    @cached_property
    def layout(self) -> Board:
        """The squares, in one layer."""
        return board_of(self.board or f"{self.n}x{self.n}", "domination")

    @cached_property
    def attacked(self) -> list[list[int]]:
        """By square, those that a piece there attacks; squares are numbered row by row."""
        number = {square: place for place, square in enumerate(self.layout.cells)}
        _, steps, slides = MOVES[self.piece]
        reach = range(1, 1 + max(self.layout.far) if slides else 2)

        def line(square: Cell, down: int, right: int) -> Iterator[Cell]:
            layer, row, column = square
            return ((layer, row + down * far, column + right * far) for far in reach)

        lines = [[line(square, *step) for step in steps] for square in number]
        return [sorted(number[at] for each in own for at in takewhile(number.__contains__, each)) for own in lines]

    @cached_property
    def places(self) -> list[int]:
        """The square of each option: where a piece attacks or occupies a square."""
        return [square for square, attacked in enumerate(self.attacked) if attacked or not self.total]

    @cached_property
    def problem(self) -> Instance:
        covered = [attacked if self.total else [square, *attacked] for square, attacked in enumerate(self.attacked)]
        # Two pieces that attack each other have an item together.
        pairs = [
            [f"{min(square, other)}-{max(square, other)}" for other in attacked if self.independent]
            for square, attacked in enumerate(self.attacked)
        ]
        names = [f"1:{max(1, len(each))}|{square}" for square, each in enumerate(covered)]
        builder = Builder(names, dict.fromkeys(chain.from_iterable(pairs)))
        for square in self.places:
            builder.add([*map(str, covered[square]), *pairs[square]], 1)
        return builder.finish()

    @cached_property
    def _images(self) -> list[tuple[int, ...]]:
        """The image of each square by each symmetry of the board, the identity first."""
        return [motion.permutation(self.layout.cells) for motion in self.layout.symmetries()]

    @property
    def symmetric_things(self) -> Symmetries:
        return Symmetries(self.places, self._images[1:]) if self.unique and self._images[1:] else NOTHING

    def images_of(self, moves: Sequence[int]) -> list[list[int]]:
        squares, option = self.squares(moves), {square: option for option, square in enumerate(self.places)}
        found = {frozenset(image[square] for square in squares) for image in self._images}
        return [self.unfolded([option[square] for square in each]) for each in found]

    def squares(self, moves: Sequence[int]) -> list[int]:
        """Return the squares of the pieces that moves put on the board."""
        return [self.places[move] for move in moves if move < len(self.places)]

    def _rows(self, moves: Sequence[int]) -> list[str]:
        taken, letter = [self.layout.cells[square] for square in self.squares(moves)], MOVES[self.piece][0]
        return self.layout.layers(dict.fromkeys(taken, letter))[0]

    def show(self, solution: Any) -> str:
        return "/".join(row.replace("·", ".") for row in self._rows(solution.moves))

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(map(" ".join, self._rows(moves)))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        tones: tuple[Tone, Tone] = ("cell", "shade")
        board = [Shape("box", column, row, tones[(row + column) % 2]) for _, row, column in self.layout.cells]
        places = [self.layout.cells[square] for square in self.squares(moves)]
        return board + [
            Shape("disc", column, row, "piece", 0.8, 0.8, MOVES[self.piece][0], f"{self.piece} {row + 1} {column + 1}")
            for _, row, column in places
        ]
