"""The effect of a board's symmetries on pieces and places, and the solutions for which a symmetry counts.

A symmetry counts for a solution if the image is a solution, too: if each piece is used as often as its image may be
used. If pieces have ranges of uses, it may count for some solutions and not for others.
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

NOT_USED = (0, 0)

Use = tuple[int, int, int]
"""A piece, and the minimum and maximum number of its uses."""


class Symmetry(NamedTuple):
    """A symmetry of a board. Pieces are numbered, and places through all pieces."""

    motion: Motion
    pieces: tuple[int, ...]  # by piece: its image, which is the piece whose places are the images of its places
    places: tuple[int, ...]  # by place: its image
    allowed: Uses  # by piece: how often its image may be used

    @classmethod
    def of(cls, motion: Motion, pieces: Sequence[int], places: Sequence[int], uses: Uses) -> "Symmetry | None":
        """Return a symmetry, or None if it counts for no solution.

        Args:
            motion, pieces, places: see above.
            uses: how often each piece may be used.
        """
        allowed = tuple(NOT_USED if image == NONE else uses[image] for image in pieces)
        found = cls(motion, tuple(pieces), tuple(places), allowed)
        lost = {*range(len(pieces))}.difference(pieces)
        return None if any(uses[piece][0] for piece in lost) or found.required(uses) is None else found

    def required(self, uses: Uses) -> list[Use] | None:
        """Return how often a solution must use pieces so that the symmetry counts for it, without pieces for which all
        solutions do; None if it counts for no solution."""
        found = []
        for piece, (least, most) in enumerate(self.allowed):
            low, high = uses[piece]
            if low > most or high < least:
                return None
            if low < least or high > most:
                found.append((piece, least, most))
        return found

    def keeps(self, uses: Uses) -> bool:
        """Return whether it maps the solutions with some uses onto solutions with these uses."""
        images = (NOT_USED if image == NONE else uses[image] for image in self.pieces)
        lost = (use for piece, use in enumerate(uses) if piece not in self.pieces)
        return all(use == image for use, image in zip(uses, images, strict=True)) and {*lost} <= {NOT_USED}

    def of_fixed(self, uses: Uses) -> Uses | None:
        """Return the uses of the solutions that it leaves unchanged, which use each piece as often as its image; None
        if there are none."""
        before: list[tuple[int, int]] = []
        after = [use if piece in self.pieces else NOT_USED for piece, use in enumerate(uses)]
        while before != after:
            before = [*after]
            for piece, image in enumerate(self.pieces):
                (low, high), (least, most) = after[piece], NOT_USED if image == NONE else after[image]
                after[piece] = max(low, least), min(high, most)
                if image != NONE:
                    after[image] = after[piece]
        is_empty = any(low > high for low, high in after) or any(
            use[0] and piece not in self.pieces for piece, use in enumerate(uses)
        )
        return None if is_empty else tuple(after)


def symmetries_of(
    board: Board, places_of: Mapping[Cells, Sequence[Cells]], uses: Uses, is_taken: Callable[[Motion], bool]
) -> list[Symmetry]:
    """Return the symmetries of a board that count for some solutions; the identity first.

    Args:
        board: the board.
        places_of: the places of each piece.
        uses: how often each piece may be used.
        is_taken: which turns and reflections are taken, a group; one is enough of those with the same effect.
    """
    everywhere = [*places_of.values()]
    every_place = ((_look(piece), cells) for piece, places in places_of.items() for cells in places)
    number = {each: place for place, each in enumerate(every_place)}
    piece_in = [piece for piece, places in enumerate(everywhere) for _ in places]
    found = []
    for motion in board.symmetries(is_taken):
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
        found.append(Symmetry.of(motion, pieces, images, uses))
    return [each for each in found if each is not None]


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
        use = next((each[0] for symmetry in symmetries if (each := symmetry.required(uses))), None)
        if use is None:
            yield uses
            continue
        piece, least, most = use
        low, high = uses[piece]
        bounds = [(low, least - 1), (max(low, least), min(high, most)), (most + 1, high)]
        left += [(*uses[:piece], part, *uses[piece + 1 :]) for part in bounds if part[0] <= part[1]]
