"""What the bounds of sliding tiles are made of: conflicts, inversions, symmetries, partitions and patterns."""

import itertools

import pytest
from samples import counted

from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.additive import Patterned
from parsolve.puzzles.sliding.conflict import conflicts
from parsolve.puzzles.sliding.geometry import symmetries
from parsolve.puzzles.sliding.invert import moves_for
from parsolve.puzzles.sliding.partitions import group_sizes, partition

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_as_many_tiles_must_leave_a_line_as_leave_the_others_in_order(length: int) -> None:
    more = conflicts(length)
    for line in itertools.product(range(length + 1), repeat=length):
        tiles = [place for place in line if place]
        if len(set(tiles)) < len(tiles):
            continue
        contents = sum(place << 3 * cell for cell, place in enumerate(line))
        fewest = next(
            leave
            for leave in range(length + 1)
            for stay in itertools.combinations(tiles, max(0, len(tiles) - leave))
            if list(stay) == sorted(stay)
        )
        assert more[contents] == 2 * fewest


@pytest.mark.parametrize("width", range(1, 8))
def test_inversions_need_as_many_moves(width: int) -> None:
    """Against a breadth-first search over numbers of inversions."""
    needed, layer, moves = {0: 0}, {0}, 0
    while layer:
        moves += 1
        layer = {each + step for each in layer for step in range(-width, width + 1, 2) if 0 <= each + step <= 200}
        layer -= needed.keys()
        needed |= dict.fromkeys(layer, moves)
    for inverted in range(106):
        if inverted in needed:
            assert moves_for(inverted, width) == needed[inverted]


@pytest.mark.parametrize(
    ("tiles", "shape", "goal", "image"),
    [
        (16, "4x4", "blank-first", (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)),
        (16, "4x4", "blank-last", (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)),
        (16, "4x4", "1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15", None),
        (12, "3x4", "blank-first", None),
        (15, "3x5", "blank-last", None),
    ],
)
def test_the_board_is_looked_up_reflected_only_where_the_goal_allows_it(
    tiles: int, shape: str, goal: str, image: tuple[int, ...] | None
) -> None:
    numbers = list(range(tiles)) if goal == "blank-first" else [*range(1, tiles), 0]
    start = " ".join(map(str, numbers)) if " " not in goal else goal
    puzzle = counted(Sliding(start, shape, goal, "patterns"))
    assert isinstance(puzzle, Patterned)
    assert puzzle.symmetry == image


def test_the_partitions_of_the_literature() -> None:
    five = [(1, 4, 5, 8, 9), (2, 3, 6, 7, 11), (10, 12, 13, 14, 15)]
    assert group_sizes("", 16) == (5, 5, 5)
    assert partition(4, 4, 0, (5, 5, 5)) == five
    for corner in (3, 12, 15):
        turned = {frozenset(group) for group in partition(4, 4, corner, (5, 5, 5))}
        images = (image for image in symmetries(4, 4) if image[0] == corner)
        assert turned in [{frozenset(image[cell] for cell in group) for group in five} for image in images]
    assert partition(4, 4, 0, (7, 8)) == [tuple(range(1, 8)), tuple(range(8, 16))]
