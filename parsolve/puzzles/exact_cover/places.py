"""Pieces of a board, their places, and the symmetries of both."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.board import Board
from parsolve.puzzles.exact_cover.instance import MOST_ENTRIES, MOST_OPTIONS
from parsolve.puzzles.exact_cover.pieces import Kind, is_coloured, orientations
from parsolve.puzzles.exact_cover.space import Cell, Cells, Motion, far_end
from parsolve.puzzles.exact_cover.symmetry import Symmetry, Uses, symmetries_of
from parsolve.text import plural

Same = Literal["none", "turns", "all"]
"""Solutions that are the same: none, those that turns make of each other, or turns and reflections."""


class Stock(NamedTuple):
    """A piece: its name, and how often it may be used.

    Attributes:
        listed: the same for each shape, if a file lists equal shapes several times; otherwise empty.
    """

    name: str
    least: int
    most: int
    listed: tuple[tuple[int, int], ...] = ()


def capped(stock: Mapping[Cells, Stock], board: Board) -> dict[Cells, Stock]:
    """Return pieces with no more copies than a board has room for, but as many as are required."""
    room = len(board.cells)
    return {
        piece: each._replace(most=max(each.least, 1, min(each.most, room // len(piece))))
        for piece, each in stock.items()
    }


@dataclass(frozen=True, eq=False)
class Places:
    """Pieces in all of their places on a board, without copies, and the symmetries of both.

    The symmetries are the turns and reflections of space that map the board onto itself. Two with the same effect on
    its cells are one: to turn a flat board over is to reflect it. The image of a piece is the piece, itself or another,
    whose places are the images of all its places. A symmetry counts for a solution if the image is a solution, too: if
    each piece is used as often as its image may be used.

    - free: each turn does; a reflection does if the reflected pieces may be used.
    - one-sided: so does a turn or reflection that keeps layers as layers. One that sets them upright does not,
      unless the pieces look the same, as single cubes do, or the board has no room for the difference.
    - fixed: only if each piece becomes one that may be used as often, as it is drawn.

    With `same` turns these are turns; those of pieces that keep a side up keep it up, too.

    Attributes:
        stock: the pieces, by the image that `canonical` returns.
        same: which solutions are the same.
    """

    layout: Board
    stock: Mapping[Cells, Stock]
    kind: Kind
    same: Same

    @cached_property
    def obstacle(self) -> str:
        """Why there is no solution, if the numbers of cells show that; otherwise empty."""
        if self.is_possible(self.uses):
            return ""
        least, most = self._covered(self.uses)
        pieces = plural(least, "cell") if least == most else f"{between(least, most)} cells"
        board = between(len(self.layout.cells) - len(self.layout.optional), len(self.layout.cells))
        return f"the pieces have {pieces}, the board has {board}"

    def _covered(self, uses: Uses) -> tuple[int, int]:
        """Return how many cells pieces cover, at least and at most; no more copies count than the board holds."""
        used = [(len(piece), *use) for piece, use in zip(self.stock, uses, strict=True)]
        room = len(self.layout.cells)
        most = sum(cells * max(fewest, min(greatest, room // cells)) for cells, fewest, greatest in used)
        return sum(cells * fewest for cells, fewest, _ in used), most

    def is_possible(self, uses: Uses) -> bool:
        """Return whether pieces can have as many cells as the board."""
        least, most = self._covered(uses)
        return least <= len(self.layout.cells) and most >= len(self.layout.cells) - len(self.layout.optional)

    @cached_property
    def by_piece(self) -> dict[Cells, list[Cells]]:
        """The places of each piece as sets of cells; no pieces if they cannot fill the board.

        Raises:
            BadInput: there are more places than options are possible, even if symmetries restrict one piece.
        """
        found: dict[Cells, list[Cells]] = {}
        number = entries = most = 0
        for piece in () if self.obstacle else self.stock:
            found[piece] = self._places(piece)
            number, entries = number + len(found[piece]), entries + len(found[piece]) * (1 + len(piece))
            most = max(most, len(found[piece]))
            if number - most > MOST_OPTIONS or entries > 2 * MOST_ENTRIES:
                raise BadInput(
                    f"the pieces have too many places: at most {MOST_OPTIONS:,} options are possible, with"
                    f" {MOST_ENTRIES:,} items in all"
                )
        return found

    def _places(self, piece: Cells) -> list[Cells]:
        """Return the places of a piece: by orientation, then by layer, row and column."""
        found: dict[Cells, None] = {}  # with colours, several orientations may have the same place
        _, rows, columns = (last + 1 for last in self.layout.far)
        for shape in orientations(piece, self.kind):
            corners = self._corners(far_end(shape))
            for layer, row, column, *_ in shape:
                corners &= self._bits >> (layer * rows + row) * columns + column
            while corners:
                corner = (corners & -corners).bit_length() - 1
                corners &= corners - 1
                top, back, left = corner // (rows * columns), corner // columns % rows, corner % columns
                placed = [(top + layer, back + row, left + column, *colour) for layer, row, column, *colour in shape]
                if not is_coloured(piece) or self.layout.takes(placed):
                    found[frozenset(cell[:3] for cell in placed)] = None
        return [*found]

    @cached_property
    def _bits(self) -> int:
        """The cells of the board, a bit for each cell of the box around it."""
        _, rows, columns = (last + 1 for last in self.layout.far)
        return sum(1 << (layer * rows + row) * columns + column for layer, row, column in self.layout.cells)

    def _corners(self, end: Cell) -> int:
        """Return the possible beginnings of a box from 0 to `end` in the box around the board, a bit for each cell."""
        bits, step = 1, 1
        for last, size in zip(reversed(self.layout.far), reversed(end), strict=True):
            if size > last:
                return 0
            bits *= ((1 << step * (1 + last - size)) - 1) // ((1 << step) - 1)
            step *= last + 1
        return bits

    @cached_property
    def every(self) -> list[tuple[Cells, Cells]]:
        """Each piece in each of its places, by number."""
        return [(piece, cells) for piece, places in self.by_piece.items() for cells in places]

    @cached_property
    def number_of(self) -> dict[tuple[Cells, Cells], int]:
        """The number of each piece in a place."""
        return {each: number for number, each in enumerate(self.every)}

    @cached_property
    def uses(self) -> Uses:
        """By piece: the bounds of its number of uses."""
        return tuple((each.least, each.most) for each in self.stock.values())

    @cached_property
    def symmetries(self) -> list[Symmetry]:
        """The symmetries that count for some solutions, the identity first."""
        return symmetries_of(self.layout, self.by_piece, self.uses, self._is_taken)

    @cached_property
    def always(self) -> list[Symmetry]:
        """The symmetries that count for all solutions, without the identity."""
        return [each for each in self.symmetries[1:] if not each.required(self.uses)]

    def _is_taken(self, motion: Motion) -> bool:
        """Return whether a turn or reflection makes the same solution of a solution."""
        return self.same != "turns" or (motion.is_turn and (self.kind == "free" or motion.is_upright))


def between(least: int, most: int) -> str:
    """Return a range of numbers as text."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
