"""Plain packings for the tests: all ways to fill cells with pieces, and what turns and reflections make of them."""

import functools
import itertools
from collections.abc import Iterable, Iterator

from parsolve.puzzles.cover.board import Board
from parsolve.puzzles.cover.pieces import Kind, orientations
from parsolve.puzzles.cover.space import Cell

Cells = frozenset[Cell]
Filled = frozenset[tuple[int, Cells]]


def fill(free: frozenset[Cell], pieces: tuple[tuple[int, list[Cells]], ...]) -> Iterator[Filled]:
    """Yield all ways to fill cells with pieces, each piece its number and its images; equal pieces have one number."""
    if not free:
        yield frozenset()
        return
    first = min(free)
    for place, (number, shapes) in enumerate(pieces):
        if number in [other for other, _ in pieces[:place]]:
            continue  # the same piece was tried in this place
        for shape in shapes:
            z, y, x = min(shape)
            cells = frozenset((first[0] + a - z, first[1] + b - y, first[2] + c - x) for a, b, c in shape)
            if cells <= free:
                for rest in fill(free - cells, pieces[:place] + pieces[place + 1 :]):
                    yield rest | {(number, cells)}


def orbits(
    board: Board,
    every: list[Filled],
    numbers: dict[frozenset[Cells], int],
    bounds: dict[int, tuple[int, int]],
    kind: Kind,
) -> dict[frozenset[Filled], bool]:
    """Return the solutions grouped by what turns and reflections make of them, and whether one leaves them as they are.

    Args:
        board: that is filled. Only maps of it count that make the same set of pieces of the pieces.
        every: all solutions.
        numbers: of the pieces, by their `shape`.
        bounds: how many of each are used at least and at most.
        kind: of the pieces.
    """
    maps: dict[tuple[Cell, ...], list[tuple[int, int]]] = {}
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            axes = list(zip(order, signs, strict=True))
            images = {cell: image_of(cell, axes, board.cells) for cell in board.cells}
            made = {piece: numbers.get(shape(image_of_all(next(iter(piece)), axes), kind), -1) for piece in numbers}
            is_same = all(bounds.get(image, (0, 0)) == bounds[numbers[piece]] for piece, image in made.items())
            is_same &= {images[cell] for cell in board.optional} == board.optional
            if is_same and set(images.values()) == set(board.cells):
                maps.setdefault(tuple(images.values()), axes)
    groups: dict[Filled, frozenset[Filled]] = {}
    symmetric = {}
    for filled in every:
        images_ = []
        for axes in maps.values():
            moved = [frozenset(image_of(cell, axes, board.cells) for cell in piece) for _, piece in filled]
            images_.append(frozenset((numbers[shape(cells, kind)], cells) for cells in moved))
        group = frozenset(images_)
        symmetric[group] = len(group) < len(images_)
        assert all(groups.setdefault(image, group) == group for image in group)
    return symmetric


def image_of(cell: Cell, axes: list[tuple[int, int]], cells: Iterable[Cell]) -> Cell:
    """Return what a map that leaves some cells in their place as a whole makes of one."""
    low = [min(sign * each[axis] for each in cells) for axis, sign in axes]
    z, y, x = (sign * cell[axis] - least for (axis, sign), least in zip(axes, low, strict=True))
    return z, y, x


def image_of_all(cells: Cells, axes: list[tuple[int, int]]) -> Cells:
    """Return cells with their axes in another order, some of them reversed."""
    return frozenset(image_of(cell, axes, cells) for cell in cells)


@functools.cache
def shape(cells: Cells, kind: Kind) -> frozenset[Cells]:
    """Return what tells a piece wherever it lies."""
    return frozenset(orientations(lowered(cells), kind))


def lowered(cells: Iterable[Cell]) -> Cells:
    """Return cells moved so that the least of each axis is 0."""
    every = list(cells)
    low = [min(numbers) for numbers in zip(*every, strict=True)]
    return frozenset((z - low[0], y - low[1], x - low[2]) for z, y, x in every)
