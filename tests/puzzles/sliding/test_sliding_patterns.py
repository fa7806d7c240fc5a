"""What the bounds of sliding tiles are made of: conflicts, inversions, symmetries, partitions and patterns."""

import itertools
from collections.abc import Iterator

import pytest
from samples import counted

import parsolve
from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.additive import Patterned
from parsolve.puzzles.sliding.conflict import conflicts
from parsolve.puzzles.sliding.geometry import neighbours, solvable, symmetries
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


def test_symmetries_keep_neighbours() -> None:
    for rows, columns, number in ((4, 4, 7), (3, 3, 7), (3, 4, 3), (1, 3, 3)):
        images = symmetries(rows, columns)
        assert len(images) == number
        for image in images:
            assert sorted(image) == list(range(rows * columns))
            for cell in range(rows * columns):
                near = {image[each] for each in neighbours(cell, rows, columns)}
                assert near == set(neighbours(image[cell], rows, columns))


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


@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 2), (1, 4), (2, 2), (2, 3), (2, 8), (3, 3), (3, 4), (4, 3), (3, 5), (5, 3), (4, 4)]
)
def test_each_tile_is_in_one_pattern(rows: int, columns: int) -> None:
    cells = rows * columns
    for blank in range(cells):
        sizes = group_sizes("", cells)
        groups = partition(rows, columns, blank, sizes)
        assert [len(group) for group in groups] == list(sizes)
        assert sorted(itertools.chain(*groups)) == [cell for cell in range(cells) if cell != blank]


def test_the_partitions_of_the_literature() -> None:
    five = [(1, 4, 5, 8, 9), (2, 3, 6, 7, 11), (10, 12, 13, 14, 15)]
    assert group_sizes("", 16) == (5, 5, 5)
    assert partition(4, 4, 0, (5, 5, 5)) == five
    for corner in (3, 12, 15):
        turned = {frozenset(group) for group in partition(4, 4, corner, (5, 5, 5))}
        images = (image for image in symmetries(4, 4) if image[0] == corner)
        assert turned in [{frozenset(image[cell] for cell in group) for group in five} for image in images]
    assert partition(4, 4, 0, (7, 8)) == [tuple(range(1, 8)), tuple(range(8, 16))]


def test_patterns_of_many_tiles_are_looked_up_by_rank() -> None:
    for start in ("8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 7 8 0", "1 8 2 0 4 3 7 6 5"):
        plain = parsolve.solve(Sliding(start), workers=1)
        found = parsolve.solve(Sliding(start, bound="patterns", patterns="1-7"), workers=1)
        assert type(found.problem.puzzle).__name__ == "WidePatterns"
        assert (found.cost, found.paths) == (plain.cost, plain.paths)
        assert found.nodes <= plain.nodes


def boards(shape: tuple[int, int]) -> Iterator[tuple[int, ...]]:
    """All boards of a shape that can be reached from the numbers in order, the blank first."""
    goal = list(range(shape[0] * shape[1]))
    for board in itertools.permutations(goal):
        if solvable(board, goal, *shape):
            yield board


def test_patterns_of_all_tiles_are_the_distance() -> None:
    """On 2x3 cells one pattern has all tiles: its bound is the number of moves, and no move is in vain."""
    for board in itertools.islice(boards((2, 3)), 0, None, 37):
        start = " ".join(map(str, board))
        plain = parsolve.solve(Sliding(start, goal="blank-first", bound="manhattan"), workers=1)
        found = parsolve.solve(Sliding(start, goal="blank-first", bound="patterns"), workers=1)
        assert (found.cost, found.paths) == (plain.cost, plain.paths)
        assert [each.limit for each in found.iterations] == [plain.cost]
