"""Domination of chessboards: the fewest pieces that attack or occupy all squares, and in how many ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from parsolve.errors import BadInput
from parsolve.puzzle import Shape, State, parameter
from parsolve.puzzles.exact_cover.board import Board, board_of
from parsolve.puzzles.exact_cover.cheapest import Cheapest
from parsolve.puzzles.exact_cover.distinct import NOTHING, Symmetries
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.exact_cover.space import Cell
from parsolve.shapes import Tone

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
        return [sorted(self._attacked_from(square)) for square in self.layout.cells]

    def _attacked_from(self, square: Cell) -> Iterator[int]:
        """Yield the squares that a piece attacks."""
        number = {square: place for place, square in enumerate(self.layout.cells)}
        _, steps, slides = MOVES[self.piece]
        for down, right in steps:
            layer, row, column = square
            while (at := (layer, row := row + down, column := column + right)) in number:
                yield number[at]
                if not slides:
                    break

    @cached_property
    def places(self) -> list[int]:
        """The square of each option: where a piece attacks or occupies a square."""
        return [square for square, attacked in enumerate(self.attacked) if attacked or not self.total]

    @cached_property
    def problem(self) -> Instance:
        squares = range(len(self.layout.cells))
        covering = [len(attacked) + (not self.total) for attacked in self.attacked]
        # Two pieces that attack each other have an item together.
        pairs = [(a, b) for a in squares for b in self.attacked[a] if a < b and self.independent]
        of = {square: [f"{a}-{b}" for a, b in pairs if square in (a, b)] for square in squares if pairs}
        names = [f"1:{max(1, covering[square])}|{square}" for square in squares]
        builder = Builder(names, [f"{a}-{b}" for a, b in pairs])
        for square in self.places:
            own = [] if self.total else [square]
            builder.add([*map(str, [*own, *self.attacked[square]]), *of.get(square, [])], 1)
        return builder.finish()

    @cached_property
    def _images(self) -> list[list[int]]:
        """The image of each square by each symmetry of the board, the identity first."""
        cells = self.layout.cells
        number = {cell: square for square, cell in enumerate(cells)}
        return [[number[cell] for cell in motion.images(cells)] for motion in self.layout.symmetries()]

    @property
    def symmetric_things(self) -> Symmetries:
        return Symmetries(self.places, self._images[1:]) if self.unique and self._images[1:] else NOTHING

    def images_of(self, moves: Sequence[int]) -> list[list[int]]:
        squares, option = self.squares(moves), {square: option for option, square in enumerate(self.places)}
        found = {frozenset(image[square] for square in squares) for image in self._images}
        return [self.unfolded([option[square] for square in each]) for each in found] if moves else [[]]

    def squares(self, moves: Sequence[int]) -> list[int]:
        """Return the squares of the pieces that moves put on the board."""
        return [self.places[move] for move in moves if move < len(self.places)]

    def _rows(self, moves: Sequence[int]) -> list[str]:
        return self.layout.layers({self.layout.cells[square]: MOVES[self.piece][0] for square in self.squares(moves)})[
            0
        ]

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
