"""Symmetries of peg solitaire boards: turns and reflections that map holes onto holes and jumps onto jumps."""

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from parsolve.puzzles.peg.boards import Board


class Symmetry(NamedTuple):
    """A symmetry of a board."""

    holes: tuple[int, ...]  # by hole: its image
    jumps: tuple[int, ...]  # by jump: its image
    turns: bool  # whether it is a turn; otherwise a reflection

    def image(self, pegs: int) -> int:
        """Return the image of some pegs, a bit a hole."""
        return sum(1 << to for hole, to in enumerate(self.holes) if pegs >> hole & 1)


@lru_cache(maxsize=256)
def symmetries(board: Board) -> tuple[Symmetry, ...]:
    """Return the symmetries of a board, the identity first."""
    square = [(2 * row, column) for row, column in board.places]
    # Cubic coordinates, whose sum is 0: the symmetries of a triangular lattice permute them and change all signs.
    cubic = [(2 * row, column - row, -column - row) for row, column in board.places]
    return max(_group(board, square, False), _group(board, cubic, True), key=len)


def _group(board: Board, points: Sequence[tuple[int, ...]], one_sign: bool) -> tuple[Symmetry, ...]:
    """Return the symmetries that permute the coordinates and change signs: all at once, or each."""
    number = {jump: number for number, jump in enumerate(board.jumps)}
    hole = {point: hole for hole, point in enumerate(_moved(points))}
    found: dict[tuple[int, ...], Symmetry] = {}  # on a line, different ones have the same effect
    for order, signs in _maps(len(points[0]), one_sign):
        image = _moved([tuple(sign * point[axis] for axis, sign in zip(order, signs, strict=True)) for point in points])
        holes = tuple(hole.get(point, -1) for point in image)
        if -1 in holes:
            continue
        jumps = tuple(number.get((holes[a], holes[b], holes[c]), -1) for a, b, c in board.jumps)
        if -1 not in jumps:
            even = sum(a > b for a, b in itertools.combinations(order, 2)) % 2 == 0
            turns = even if one_sign else even == (signs.count(-1) % 2 == 0)
            found.setdefault(holes, Symmetry(holes, jumps, turns))
    return tuple(found.values())


def _maps(axes: int, one_sign: bool) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the orders of coordinates with the signs of each, the identity first."""
    for order in itertools.permutations(range(axes)):
        for signs in [(1,) * axes, (-1,) * axes] if one_sign else itertools.product((1, -1), repeat=axes):
            yield order, signs


def _moved(points: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return points moved so that the least value of each coordinate is 0."""
    least = [min(values) for values in zip(*points, strict=True)]
    return [tuple(value - low for value, low in zip(point, least, strict=True)) for point in points]
