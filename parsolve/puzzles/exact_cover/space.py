"""Cells in space, and the turns and reflections of space that map cells onto cells."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

Cell = tuple[int, ...]
"""A layer, a row and a column; for a cell of a coloured piece, also its colour. Flat shapes have one layer."""

Cells = frozenset[Cell]
"""Some cells; for a piece the least layer, row and column are 0."""


class Motion(NamedTuple):
    """A turn or reflection of a box: some axes are reversed, then all are permuted."""

    order: tuple[int, int, int]  # by axis: the axis that takes its place
    reversed: tuple[bool, bool, bool]
    far: Cell = (0, 0, 0)  # the last layer, row and column of the box

    def images(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the image of each of some cells."""
        a, b, c = self.order
        (i, u), (j, v), (k, w) = [(self.far[axis], -1) if self.reversed[axis] else (0, 1) for axis in self.order]
        return [(i + u * cell[a], j + v * cell[b], k + w * cell[c], *cell[3:]) for cell in cells]

    def image(self, cells: Iterable[Cell]) -> Cells:
        """Return the image of some cells as a whole."""
        return frozenset(self.images(cells))

    def permutation(self, cells: Sequence[Cell]) -> tuple[int, ...]:
        """Return the image of each of some cells that it maps onto one another, as the image's number among them."""
        number = {cell: place for place, cell in enumerate(cells)}
        return tuple(number[image] for image in self.images(cells))

    @property
    def is_turn(self) -> bool:
        """Whether it is a turn; otherwise a reflection, possibly with a turn."""
        odd = sum(a > b for a, b in itertools.combinations(self.order, 2)) + sum(self.reversed)
        return odd % 2 == 0

    @property
    def is_upright(self) -> bool:
        """Whether layers remain layers, in their order."""
        return self.order[0] == 0 and not self.reversed[0]


def motions(far: Cell = (0, 0, 0)) -> Iterator[Motion]:
    """Yield the 48 turns and reflections of a box, the identity first; unless it is a cube, some leave the box."""
    for order in itertools.permutations(range(3)):
        for back in itertools.product((False, True), repeat=3):
            yield Motion((order[0], order[1], order[2]), (back[0], back[1], back[2]), far)


TURNS = tuple(motion for motion in motions() if motion.is_turn)
"""The 24 turns of a cube, the identity first."""


def moved(cells: Iterable[Cell]) -> Cells:
    """Return cells moved so that the least layer, row and column are 0."""
    cells = list(cells)
    top, back, left, *_ = (min(numbers) for numbers in zip(*cells, strict=True))
    return frozenset((layer - top, row - back, column - left, *rest) for layer, row, column, *rest in cells)


def far_end(cells: Iterable[Cell]) -> Cell:
    """Return the greatest layer, row and column of some cells."""
    layer, row, column, *_ = (max(numbers) for numbers in zip(*cells, strict=True))
    return layer, row, column


def cycles(images: Sequence[int]) -> list[list[int]]:
    """Return the cycles of a permutation, which gives the image of each number, by their least numbers."""
    left = dict.fromkeys(range(len(images)))
    found = []
    while left:
        cycle = [next(iter(left))]
        while images[cycle[-1]] != cycle[0]:
            cycle.append(images[cycle[-1]])
        for number in cycle:
            del left[number]
        found.append(cycle)
    return found


def conjugacy_classes(
    symmetries: Sequence[Motion], group: Sequence[Motion], cells: Sequence[Cell]
) -> list[tuple[Motion, int]]:
    """Return one symmetry of each class of those that a group makes of each other, and the size of the class.

    Args:
        symmetries: different permutations of the cells.
        group: the same; a group.
        cells: the cells of a board.
    """
    every, others = ([motion.permutation(cells) for motion in some] for some in (symmetries, group))
    left = dict(zip(every, symmetries, strict=True))
    found = []
    while left:
        one, symmetry = next(iter(left.items()))
        same = set()
        for other in others:
            conjugate = [0] * len(one)
            for cell, image in enumerate(one):
                conjugate[other[cell]] = other[image]
            same.add(tuple(conjugate))
        same &= left.keys()
        for each in same:
            del left[each]
        found.append((symmetry, len(same)))
    return found
