"""Polyominoes and polycubes: fill a board or a box with pieces."""

from dataclasses import dataclass
from functools import cached_property

from parsolve.errors import BadInput
from parsolve.puzzle.core import Text, parameter
from parsolve.puzzles.exact_cover.board import board_of
from parsolve.puzzles.exact_cover.packing import Packing
from parsolve.puzzles.exact_cover.pieces import Kind, named
from parsolve.puzzles.exact_cover.places import Places, Same, Stock, capped
from parsolve.puzzles.exact_cover.space import Cells


@dataclass(frozen=True)
class Polyominoes(Packing):
    """Fill a board or a box with polyominoes or polycubes, each used as often as it is named, or as numbers before its
    name say, such as 32*I2, or 0:6*I3 for at most six. A solution prints as the rows of the board, a dot where there is
    no piece, a slash between layers.

    Pieces are pentominoes (F I L N P T U V W X Y Z), smaller ones (I1 I2 I3 V3 I4 L4 O4 S4 T4), solid ones (A4 B4 P4),
    reflected ones (L'), or a set, one of each: pentominoes, tetrominoes, trominoes, tetracubes, soma. Or they are drawn
    as a board is, each below a line with its name and a colon, such as corner: or 3*corner:.

    Solutions that turns of the board make of each other count once with the `symmetry` turns; with all, those that
    reflections make, too, which is also `unique`. In a box that includes reflections that no hand can make, as is
    usual: Soma has 240 solutions, 11,520 / 48, because a reflection exchanges A4 and B4; with turns 480.
    """

    board: str = parameter(
        "5x3", "rows x columns, layers x rows x columns, or the path of a drawing: an o for each cell", text_file=True
    )
    pieces: Text = parameter(
        "P U V",
        "the pieces, each as often as it is named: pentominoes, I L P T, 32*I2, 0:6*I3; or the path of drawings",
        text_file=True,
    )
    kind: Kind = parameter("free", "whether pieces may be turned and turned over, turned with one side up, or neither")
    unique: bool = parameter(False, "of solutions that are turns or reflections of one another, take one")
    symmetric: bool = parameter(False, "take only solutions that a turn or reflection maps onto themselves")
    order: str = parameter("", "cells that the engine sharing covers first, such as 1.1 1.2; others as it computes")

    symmetry: Same = parameter(
        "none", "which solutions are the same, and count once: turns of one another, all also reflections, or none"
    )

    def __post_init__(self) -> None:
        if self.unique and self.symmetry == "turns":
            raise BadInput("polyominoes: unique and the symmetry turns differ about reflections: leave out one of them")
        self.check("polyominoes: ")

    @cached_property
    def places(self) -> Places:
        stock: dict[Cells, Stock] = {}
        for name, piece, least, most in named(self.pieces, self.kind):
            before = stock.get(piece, Stock(name, 0, 0))
            stock[piece] = Stock(before.name, before.least + least, before.most + most)
        board = board_of(self.board)
        return Places(board, capped(stock, board), self.kind, "all" if self.unique else self.symmetry)
