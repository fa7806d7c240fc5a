"""Positions of peg solitaire without the peg moved last: the abstraction that finds the winnable positions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.compiler.cache import cached
from parsolve.compiler.marks import inlined
from parsolve.puzzle.core import Puzzle, State
from parsolve.puzzle.parameters import values_of
from parsolve.puzzles.peg.game import ONE, WORD, ZERO, Game, agreeing, by_byte
from parsolve.puzzles.peg.symmetries import Symmetry

BYTES = 8
"""The bytes of a position, whatever its holes: LLVM makes vectors of a loop over them whose length it knows."""

HOLE = np.uint64(256 * BYTES)
"""The first row of images that is a hole's, see `images_of`."""


class Tables(NamedTuple):
    """The lookups of the rules."""

    can: np.ndarray[Any, Any]  # uint64[words, bytes, 256]: which jumps can be made, see `by_byte`
    holes: np.ndarray[Any, Any]  # uint64[jumps]: the bits of the three holes
    images: np.ndarray[Any, Any]  # uint64[rows, symmetries]: see `images_of`
    goal: np.uint64  # the pegs to end with; 0 if one peg in any hole will do
    any: np.uint64  # 1 if one peg in any hole will do


@dataclass(frozen=True)
class PegBoards(Game):
    """Jump pegs over pegs until one is left, and count jumps instead of moves. Positions that are images of one another
    by a symmetry of start and end count as one."""

    state = np.dtype([("pegs", "u8"), ("move", "u2"), ("cost", "u1")])
    graph = "graded"

    def root(self, *tables: Any) -> dict[str, Any]:
        return {"pegs": self.start_pegs}

    def goals(self) -> list[dict[str, Any]]:
        return [{"pegs": goal} for goal in self.goals_in_class]

    def inverse_puzzle(self) -> Puzzle:
        return PegBoardsBack(**values_of(self))

    def tables(self, *tables: Any) -> Tables:
        jumps = self.layout.jumps
        return Tables(
            can=by_byte([(1 << a | 1 << b, 1 << c) for a, b, c in jumps], self.layout.holes),
            holes=np.array([1 << a | 1 << b | 1 << c for a, b, c in jumps], np.uint64),
            images=images_of(self.symmetries, self.layout.holes),
            goal=np.uint64(0 if len(self.goal_pegs) > 1 else self.goal_pegs[0]),
            any=np.uint64(len(self.goal_pegs) > 1),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.cost >= limit:
            return top
        pegs, spent = here.pegs, here.cost + 1
        for word in range(tables.can.shape[0]):
            can = agreeing(tables.can, pegs, word)
            while can != ZERO:
                jump = np.uint64(word * WORD + trailing_zeros(can))
                can &= can - ONE
                row = rows[top]
                row.pegs = pegs ^ tables.holes[jump]
                row.move = jump
                row.cost = spent
                top += 1
        return top

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return least_image(tables.images, here.pegs, 0)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.pegs = key
        row.move = 0

    def limits(self) -> Iterable[int]:
        return range(self.jumps_needed, self.jumps_needed + 1)

    def images_in_all(self, keys: np.ndarray[Any, Any]) -> int:
        """Return the number of positions that keys, uint64[n], represent: all images of each."""
        images = images_of(self.symmetries, self.layout.holes)[:, : len(self.symmetries)]
        return int(cached_count_images(np.ascontiguousarray(images), keys))

    def targets(self, farthest: Sequence[State]) -> dict[str, list[str]]:
        """Return the possible holes of the last peg in some positions, or in their images."""
        pegs = [each.image(state["pegs"]) for state in farthest for each in self.symmetries]
        holes = sorted({each.bit_length() - 1 for each in pegs if each.bit_count() == 1})
        return {"targets": [self.layout.names[hole] if self.layout.names else str(hole) for hole in holes]}


@dataclass(frozen=True)
class PegBoardsBack(PegBoards):
    """The same with all jumps taken back: from the pegs at the end to the pegs at the start."""

    def root(self, *tables: Any) -> dict[str, Any]:
        return {"pegs": self.goal_pegs[0]}

    def goals(self) -> list[dict[str, Any]]:
        return [{"pegs": self.start_pegs}]

    def inverse_puzzle(self) -> Puzzle:
        return PegBoards(**values_of(self))

    def tables(self, *tables: Any) -> Tables:
        can = by_byte([(1 << c, 1 << a | 1 << b) for a, b, c in self.layout.jumps], self.layout.holes)
        return super().tables()._replace(can=can, goal=np.uint64(self.start_pegs), any=np.uint64(0))


@inlined
def image_of(images: Any, pegs: Any, column: Any) -> Any:
    """Return the image of a position by a symmetry, uint64."""
    image = ZERO
    for byte in range(BYTES):
        image |= images[np.uint64(256 * byte) + (pegs >> np.uint64(8 * byte) & np.uint64(255)), np.uint64(column)]
    return image


@inlined
def least_image(images: Any, pegs: Any, row: Any) -> Any:
    """Return the least image of a position under all symmetries, uint64.

    Args:
        images: see `images_of`.
        pegs: the position, uint64.
        row: a row whose bits are also set in the images; 0 sets no more, because it is the image of no pegs.
    """
    least = ~ZERO
    for column in range(images.shape[1]):
        least = min(least, image_of(images, pegs, column) | images[np.uint64(row), np.uint64(column)])
    return least


def count_images(images: Any, keys: Any) -> Any:
    """Return the number of boards that are images of some keys, uint64[n], no two of which are images of each other.

    `images`: see `images_of`, each symmetry once.
    """
    number = 0
    for key in keys:
        same = 0
        for column in range(images.shape[1]):
            same += image_of(images, key, column) == key
        number += images.shape[1] // same
    return number


cached_count_images = cached(count_images)


def images_of(symmetries: Sequence[Symmetry], holes: int) -> np.ndarray[Any, Any]:
    """Return the images of positions by symmetries: uint64[rows, n], n a multiple of 8, as many as
    the longest vectors have.

    After the rows by byte of a position there is one for each hole, and one for no hole: the number of its image, above
    the bits of the position.
    """
    every = [*symmetries, *[symmetries[0]] * (-len(symmetries) % 8)]
    images = np.zeros((int(HOLE) + holes + 1, len(every)), np.uint64)
    values = np.arange(256)
    for column, symmetry in enumerate(every):
        for hole, to in enumerate(symmetry.holes):
            byte = images[256 * (hole // 8) : 256 * (hole // 8 + 1), column]
            byte |= (values >> hole % 8 & 1).astype(np.uint64) << np.uint64(to)
        images[HOLE:, column] = [to << holes & (1 << 64) - 1 for to in (*symmetry.holes, holes)]
    return images
