"""The effect of a board's symmetries on pieces and places, and the solutions for which a symmetry counts.

A symmetry counts for a solution if it maps the used pieces onto the same pieces: if each piece is used as often as its
image. If pieces have ranges of uses, it may count for some solutions and not for others.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from parsolve.puzzles.exact_cover.board import Board
from parsolve.puzzles.exact_cover.pieces import canonical, is_coloured
from parsolve.puzzles.exact_cover.space import Cells, Motion

NONE = -1
"""The image of a piece, or of its places, if the puzzle has no such piece."""

Uses = tuple[tuple[int, int], ...]
"""By piece: its minimum and maximum number of uses. This represents all solutions with such uses."""

Pair = tuple[int, int]
"""Two pieces, or `NONE` and a piece; `NONE` is never used."""


class Symmetry(NamedTuple):
    """A symmetry of a board. Pieces are numbered, and places through all pieces."""

    motion: Motion
    pieces: tuple[int, ...]  # by piece: its image, which is the piece whose places are the images of its places
    places: tuple[int, ...]  # by place: its image

    def compared(self, uses: Uses) -> list[Pair] | None:
        """Return the pairs of pieces that a solution must use equally often so that the symmetry counts for it, without
        pairs for which all solutions do; None if it counts for no solution."""
        found = []
        lost = [(NONE, piece) for piece in {*range(len(self.pieces))}.difference(self.pieces)]
        for pair in dict.fromkeys((min(pair), max(pair)) for pair in [*enumerate(self.pieces), *lost]):
            (least, most), (least_of_other, most_of_other) = (_use(piece, uses) for piece in pair)
            if least > most_of_other or least_of_other > most:
                return None
            if pair[0] != pair[1] and not least == most == least_of_other == most_of_other:
                found.append(pair)
        return found


def symmetries_of(board: Board, places_of: Mapping[Cells, Sequence[Cells]]) -> list[Symmetry]:
    """Return the symmetries of a board; the identity first.

    Args:
        board: the board.
        places_of: the places of each piece.
    """
    everywhere = [*places_of.values()]
    every_place = ((_look(piece), cells) for piece, places in places_of.items() for cells in places)
    number = {each: place for place, each in enumerate(every_place)}
    piece_in = [piece for piece, places in enumerate(everywhere) for _ in places]
    found = []
    for motion in board.symmetries():
        made = dict(zip(board.cells, motion.images(board.cells), strict=True))
        pieces, images = [], list[int]()
        for piece, (shape, places) in enumerate(places_of.items()):
            look = _look(motion.image(shape) if is_coloured(shape) else shape)
            every = (number.get((look, frozenset([made[cell] for cell in cells])), NONE) for cells in places)
            own = list(itertools.takewhile(lambda image: image != NONE, every))
            onto = {piece_in[image] for image in own} if places else {piece}
            is_whole = len(onto) == 1 and len(own) == len(places) == len(everywhere[min(onto)])
            pieces.append(min(onto) if is_whole else NONE)
            images += own if is_whole else [NONE] * len(places)
        found.append(Symmetry(motion, tuple(pieces), tuple(images)))
    return found


def _look(piece: Cells) -> Cells:
    """Return what tells a piece from others in the same places: nothing but its colours, in one image of the piece."""
    return canonical(piece, "free") if is_coloured(piece) else frozenset()


def parted(symmetries: Sequence[Symmetry], uses: Uses, is_possible: Callable[[Uses], bool]) -> Iterator[Uses]:
    """Yield a partition of the solutions, such that a symmetry counts for all solutions of a part or for none.

    Args:
        symmetries: the board's symmetries.
        uses: the uses of all solutions.
        is_possible: whether solutions with given uses may exist; other parts are left out.
    """
    left = [uses]
    while left:
        uses = left.pop()
        if not is_possible(uses):
            continue
        pair = next((pairs[0] for each in symmetries if (pairs := each.compared(uses))), None)
        if pair is None:
            yield uses
            continue
        one, other = sorted(pair, key=lambda piece: len({*_use(piece, uses)}), reverse=True)  # a range first
        (low, high), (least_of_other, _) = _use(one, uses), _use(other, uses)
        middle = max(low, least_of_other)
        parts = [part for part in ((middle + 1, high), (middle, middle), (low, middle - 1)) if part[0] <= part[1]]
        left += [(*uses[:one], part, *uses[one + 1 :]) for part in parts]


def _use(piece: int, uses: Uses) -> tuple[int, int]:
    return (0, 0) if piece == NONE else uses[piece]
