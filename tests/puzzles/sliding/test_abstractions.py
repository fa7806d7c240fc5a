"""Abstractions of sliding tiles: their distances against plain-Python searches, their numbers there and back."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from worlds import plain

from parsolve import distances
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.geometry import neighbours, symmetries
from parsolve.puzzles.sliding.partitions import group_sizes, partition
from parsolve.puzzles.sliding.ranks import numbered

pytestmark = pytest.mark.nightly


def pattern_distances(shape: tuple[int, int], homes: tuple[int, ...], blank: int) -> dict[tuple[int, ...], int]:
    """The fewest moves of some tiles from each placement home, by a search cell by cell in which the blank moves past
    the other tiles for nothing."""

    def moves(state: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], int]]:
        *placed, empty = state
        for near in neighbours(empty, *shape):
            yield near, (*(empty if cell == near else cell for cell in placed), near), int(near in placed)

    best: dict[tuple[int, ...], int] = {}
    for state, cost in plain.distances([(*homes, blank)], moves).items():
        best.setdefault(state[:-1], cost)  # the nearest come first
    return best


@pytest.mark.parametrize(
    ("shape", "homes", "blank"),
    [
        ((3, 3), (1, 2, 3, 4), 0),
        ((3, 3), (0, 8, 2, 5), 4),
        ((3, 4), (1, 4, 5), 0),
        ((4, 3), (1, 4, 5), 0),
        ((2, 4), (7, 0, 3, 4), 2),
        ((2, 3), (1, 2, 3, 4, 5), 0),
        ((4, 4), (1, 4, 5), 0),
        ((1, 4), (0, 1), 3),
        ((3, 6), (1, 6), 0),
        ((2, 4), (0, 1, 2, 3, 4, 5, 6), 7),
    ],
    ids=str,
)
def test_distances_of_a_pattern(shape: tuple[int, int], homes: tuple[int, ...], blank: int) -> None:
    puzzle = Pattern("{}x{}".format(*shape), " ".join(map(str, homes)), blank)
    known, cells = pattern_distances(shape, homes, blank), shape[0] * shape[1]
    table = distances(puzzle)
    assert table.size == puzzle.entries
    every = [*itertools.permutations(range(cells), len(homes))]
    for placed, number in zip(every, numbered(np.array(every, np.uint8), cells), strict=True):
        assert table[number] == known.get(placed, 255), placed


def test_the_partitions_of_the_literature() -> None:
    five = [(1, 4, 5, 8, 9), (2, 3, 6, 7, 11), (10, 12, 13, 14, 15)]
    assert group_sizes("", 16) == (5, 5, 5)
    assert partition(4, 4, 0, (5, 5, 5)) == five
    for corner in (3, 12, 15):
        turned = {frozenset(group) for group in partition(4, 4, corner, (5, 5, 5))}
        images = (image for image in symmetries(4, 4) if image[0] == corner)
        assert turned in [{frozenset(image[cell] for cell in group) for group in five} for image in images]
    assert partition(4, 4, 0, (7, 8)) == [tuple(range(1, 8)), tuple(range(8, 16))]
