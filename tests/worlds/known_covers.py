"""Exact cover problems whose solutions are counted otherwise: tilings, permanents, queens."""

import itertools
import random
from collections.abc import Iterator, Sequence

from parsolve.puzzles.exact_cover.instance import Builder, Instance


def grid(rows: int, columns: int, shapes: Sequence[Sequence[tuple[int, int]]]) -> Instance:
    """Return the tilings of a rectangle by as many of each shape as it takes; shapes are not turned."""
    builder = Builder([f"{row}.{column}" for row in range(rows) for column in range(columns)])
    for shape, row, column in itertools.product(shapes, range(rows), range(columns)):
        cells = [(row + down, column + right) for down, right in shape]
        if all(0 <= down < rows and 0 <= right < columns for down, right in cells):
            builder.add([f"{down}.{right}" for down, right in cells])
    return builder.finish()


DOMINOES = ([(0, 0), (0, 1)], [(0, 0), (1, 0)])
TROMINOES = (
    [(0, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (2, 0)],
    [(0, 0), (0, 1), (1, 0)],
    [(0, 0), (0, 1), (1, 1)],
    [(0, 0), (1, 0), (1, 1)],
    [(0, 0), (1, -1), (1, 0)],
)


def matrix(rows: Sequence[Sequence[int]]) -> Instance:
    """Return the problem whose solutions a permanent counts: each row takes a column of its own where it has a 1."""
    builder = Builder([f"{kind}{number}" for kind in ("r", "c") for number in range(len(rows))])
    for row, column in itertools.product(range(len(rows)), repeat=2):
        if rows[row][column]:
            builder.add([f"r{row}", f"c{column}"])
    return builder.finish()


def permanent(rows: Sequence[Sequence[int]]) -> int:
    """Return the permanent of a square matrix, column by column of the first row."""
    if not rows:
        return 1
    below = rows[1:]
    return sum(
        value * permanent([[*row[:column], *row[column + 1 :]] for row in below])
        for column, value in enumerate(rows[0])
        if value
    )


def queens(number: int) -> Instance:
    """Return the problem of as many queens on a board: rows and columns are primary items, diagonals secondary ones."""
    every = range(number)
    diagonals = [f"{kind}{place}" for kind in ("u", "d") for place in range(2 * number - 1)]
    builder = Builder([f"{kind}{place}" for kind in ("r", "c") for place in every], diagonals)
    for row, column in itertools.product(every, repeat=2):
        builder.add([f"r{row}", f"c{column}", f"u{row + column}", f"d{row - column + number - 1}"])
    return builder.finish()


def orders(instance: Instance, seed: int) -> Iterator[list[int]]:
    """Yield some orders of the items that are covered once: as they are, backwards, and at random."""
    bounds = instance.bounds or ((1, 1),) * len(instance.primary)
    once = [item for item, bound in enumerate(bounds) if bound == (1, 1)]
    yield once
    yield once[::-1]
    yield random.Random(seed).sample(once, len(once))
