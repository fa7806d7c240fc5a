"""Polyominoes: fill a board with pieces."""

import itertools
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzle import Shape, State, parameter
from parsolve.puzzles.cover.board import Board, Symmetry, board_of
from parsolve.puzzles.cover.instance import Builder, Instance
from parsolve.puzzles.cover.pieces import Cells, Kind, canonical, moved, named, orientations
from parsolve.puzzles.cover.rules import Covering
from parsolve.shapes import Tone

if TYPE_CHECKING:
    from parsolve.replay import Solution


TONES: tuple[Tone, Tone] = ("piece", "other")
"""Of the pieces in turn, so that most neighbours differ."""


class Placement(NamedTuple):
    """A piece on the board. Copies of a piece are numbered, and the places of each."""

    piece: Cells
    copy: int
    place: int
    cells: Cells


@dataclass(frozen=True)
class Polyominoes(Covering):
    """Fill a board with polyominoes, each used as often as it is named. A solution prints as the rows of the board.

    Pieces are pentominoes (F I L N P T U V W X Y Z), smaller ones (I1 I2 I3 V3 I4 L4 O4 S4 T4), reflected ones (L'), or
    a set, one of each: pentominoes, tetrominoes, trominoes.
    """

    board: str = parameter("5x3", "rows x columns, or the path of a drawing: an o for each cell", text_file=True)
    pieces: str = parameter("P U V", "the pieces, each as often as it is named, such as pentominoes or I L P T")
    kind: Kind = parameter("free", "whether pieces may be turned and reflected, turned only, or neither")
    unique: bool = parameter(False, "of solutions that are turns or reflections of one another, take one")

    def __post_init__(self) -> None:
        area, cells = sum(number * len(piece) for piece, number in self._counts.items()), len(self.layout.cells)
        if area != cells:
            raise BadInput(f"polyominoes: the pieces have {area} cells, the board has {cells}: give as many")
        _ = self.instance

    @cached_property
    def layout(self) -> Board:
        """The board."""
        return board_of(self.board)

    @cached_property
    def names(self) -> dict[Cells, str]:
        """The name of each piece."""
        return {canonical(piece, self.kind): name for name, piece in reversed(named(self.pieces, self.kind))}

    @cached_property
    def _counts(self) -> Counter[Cells]:
        """How often each piece is there."""
        return Counter(canonical(piece, self.kind) for _, piece in named(self.pieces, self.kind))

    @cached_property
    def _unlimited(self) -> Cells | None:
        """The piece that is there most often, if more than once: where the others are used as often as they are there,
        what is left is for it alone."""
        piece, number = self._counts.most_common(1)[0]
        return piece if number > 1 else None

    @cached_property
    def placements(self) -> list[Placement]:
        """The options, by piece, copy, orientation and place."""
        found = []
        for piece, number in self._counts.items():
            every = self._everywhere[piece]
            if piece == self._marked:
                every = [cells for cells in every if self._is_least(cells)]
            for copy in range(1 if piece == self._unlimited else number):
                found += [Placement(piece, copy, place, cells) for place, cells in enumerate(every)]
        return found

    @cached_property
    def _everywhere(self) -> dict[Cells, list[Cells]]:
        """The cells of each piece wherever it may lie."""
        return {piece: self._places(piece) for piece in self._counts}

    def _places(self, piece: Cells) -> list[Cells]:
        board, found = set(self.layout.cells), []
        for shape in orientations(piece, self.kind):
            height, width = (max(numbers) for numbers in zip(*shape, strict=True))
            corners = itertools.product(range(self.layout.rows - height), range(self.layout.columns - width))
            for top, left in corners:
                cells = frozenset((top + row, left + column) for row, column in shape)
                found += [cells] if cells <= board else []
        return found

    @cached_property
    def symmetries(self) -> list[Symmetry]:
        """The symmetries of the board that map the pieces onto themselves, the identity first."""
        found = []
        for symmetry in self.layout.symmetries():
            images = {piece: self._piece_by(symmetry, piece) for piece in self._counts}
            if all(self._counts[image] == self._counts[piece] for piece, image in images.items()):
                found.append(symmetry)
        return found

    def _piece_by(self, symmetry: Symmetry, piece: Cells) -> Cells:
        """Return the piece that a symmetry of the board makes of one."""
        return canonical(moved(_image(symmetry, piece)), self.kind)

    @cached_property
    def _marked(self) -> Cells | None:
        """The piece whose places are restricted, so that of a solution and its images one is left, if `unique`.

        It is there once, no symmetry makes another piece of it, and none leaves it in its place: so in the images of a
        solution it is in as many different places as there are symmetries.

        Raises:
            BadInput: there is no such piece.
        """
        others = self.symmetries[1:]
        if not self.unique or not others or not all(self._everywhere.values()):
            return None
        fit = []
        for piece, places in self._everywhere.items():
            single = self._counts[piece] == 1 and all(self._piece_by(each, piece) == piece for each in others)
            if single and all(_image(each, cells) != cells for each in others for cells in places):
                fit.append(piece)
        if not fit:
            raise BadInput(
                "polyominoes: unique needs a piece that is there once, and that no symmetry of the board leaves in its"
                " place or turns into another piece: here there is none, so count all solutions"
            )
        return min(fit, key=lambda piece: len(self._everywhere[piece]))

    def _is_least(self, cells: Cells) -> bool:
        """Return whether no image of some cells comes before them."""
        return all(sorted(cells) <= sorted(_image(each, cells)) for each in self.symmetries)

    @cached_property
    def instance(self) -> Instance:
        number = {piece: place for place, piece in enumerate(self._counts)}
        limited = [piece for piece in self._counts if piece != self._unlimited]
        items = [f"p{number[piece]}.{copy}" for piece in limited for copy in range(self._counts[piece])]
        options = []
        for piece, copy, place, cells in self.placements:
            words = [f"{row + 1}.{column + 1}" for row, column in sorted(cells)]
            if piece != self._unlimited:
                words = [f"p{number[piece]}.{copy}", *words, *self._order(number[piece], piece, copy, place)]
            options.append(words)
        cells_ = [f"{row + 1}.{column + 1}" for row, column in self.layout.cells]
        secondary = {word: None for words in options for word in words if word.startswith("o")}
        try:
            builder = Builder([*items, *cells_], secondary)
            for words in options:
                builder.add(words)
        except BadInput as error:
            raise BadInput(f"polyominoes: {error}") from None
        return builder.finish()

    def _order(self, number: int, piece: Cells, copy: int, place: int) -> list[str]:
        """Return secondary items by which a copy of a piece lies in a later place than the copy before.

        In the binary tree of places a copy takes the nodes whose right half it is in, and the next copy those whose
        left half it is in: they have a node in common where the next copy is in an earlier place.
        """
        levels = range((len(self._everywhere[piece]) - 1).bit_length())
        right = [f"o{number}.{copy}.{level}.{place >> level + 1}" for level in levels if place >> level & 1]
        left = [f"o{number}.{copy - 1}.{level}.{place >> level + 1}" for level in levels if not place >> level & 1]
        return [*(right if copy + 1 < self._counts[piece] else ()), *(left if copy else ())]

    def show(self, solution: "Solution") -> str:
        return " ".join(self._drawn(solution.moves))

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(self._drawn(moves))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        letters = self._letters(moves)
        tones = dict(zip(dict.fromkeys(letters.values()), itertools.cycle(TONES), strict=False))
        board = [Shape("box", column, row, "cell", 0.94, 0.94) for row, column in self.layout.cells]
        return board + [
            Shape("box", column, row, tones[letter], text=letter, name=f"{letter} {row} {column}")
            for (row, column), letter in letters.items()
        ]

    def overview(self) -> str:
        return self.render({}, ())

    def _drawn(self, moves: Sequence[int]) -> list[str]:
        """Return the rows of the board after some moves."""
        return self.layout.draw(self._letters(moves))

    def _letters(self, moves: Sequence[int]) -> dict[tuple[int, int], str]:
        """Return the letter of each cell that is covered after some moves: a piece's name where names are letters."""
        taken = sorted((self.placements[move] for move in moves), key=lambda each: sorted(each.cells))
        named_ = len(self._counts) == self._counts.total() and all(len(name) == 1 for name in self.names.values())
        letters: dict[tuple[int, int], str] = {}
        for number, each in enumerate(taken):
            letter = self.names[each.piece] if named_ else string.ascii_letters[number % 52]
            letters |= dict.fromkeys(each.cells, letter)
        return letters


def _image(symmetry: Symmetry, cells: Cells) -> Cells:
    return frozenset(symmetry(*cell) for cell in cells)
