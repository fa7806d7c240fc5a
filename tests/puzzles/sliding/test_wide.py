"""Sliding tiles on boards of more than 16 cells, and patterns that are looked up by rank."""

import random
from typing import Any

import pytest
from conftest import Run
from worlds.families import slid, sliding_solutions

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.geometry import neighbours
from parsolve.puzzles.sliding.partitions import group_sizes, largest, partition
from parsolve.puzzles.sliding.wide_patterns import WidePatterns

pytestmark = pytest.mark.nightly


def walked(rows: int, columns: int, moves: int, seed: int, goal: str) -> str:
    """Return a position so many random moves from the goal, never straight back."""
    tiles = range(rows * columns) if goal == "blank-first" else (*range(1, rows * columns), 0)
    return " ".join(map(str, slid(tiles, columns, moves, random.Random(seed))))


def all_of(puzzle: Any) -> tuple[int | None, int, list[str]]:
    found = parsolve.solve(puzzle, workers=1)
    return found.cost, found.count, [each.text for each in found.solutions]


@pytest.mark.parametrize("goal", ["blank-first", "blank-last"])
@pytest.mark.parametrize(
    ("rows", "columns", "patterns"),
    [(3, 3, "4-4"), (3, 3, "2-2-2-2"), (2, 4, "3-4"), (2, 4, "7"), (4, 4, "4-4-4-3"), (3, 4, "4-4-3")],
)
def test_patterns_by_rank_on_small_boards(rows: int, columns: int, patterns: str, goal: str) -> None:
    for seed in range(3):
        start, shape = walked(rows, columns, 40, seed, goal), f"{rows}x{columns}"
        assert all_of(WidePatterns(start, shape, goal, patterns)) == all_of(Sliding(start, shape, goal, "manhattan"))


@pytest.mark.parametrize(("rows", "columns"), [(1, 17), (3, 6), (4, 5), (5, 5), (3, 7)])
@pytest.mark.parametrize("goal", ["blank-first", "blank-last"])
def test_boards_of_more_than_one_word(rows: int, columns: int, goal: str) -> None:
    for seed in range(3):
        start, shape = walked(rows, columns, 9, seed, goal), f"{rows}x{columns}"
        end = range(rows * columns) if goal == "blank-first" else (*range(1, rows * columns), 0)
        expected = sliding_solutions([*map(int, start.split())], end, columns)
        for bound in ("none", "manhattan"):
            cost, _, texts = all_of(Sliding(start, shape, goal, bound))
            assert (cost, texts) == expected


@pytest.mark.parametrize("goal", ["blank-first", "blank-last"])
def test_patterns_of_a_large_board(goal: str) -> None:
    for seed in range(2):
        start = walked(2, 9, 60, seed, goal)
        assert all_of(Sliding(start, "2x9", goal, "patterns")) == all_of(Sliding(start, "2x9", goal, "manhattan"))


def test_the_24_puzzle_has_two_tables() -> None:
    """Three of its patterns are images of one another."""
    tiles = " ".join(map(str, range(25)))
    puzzle = WidePatterns(tiles, goal="blank-first")
    assert [len(group) for group in puzzle.groups] == [6, 6, 6, 6]
    assert len(puzzle.abstractions()) == 2
    assert len({placing.table for placing in puzzle.shared[1]}) == 2
    assert puzzle.symmetry == tuple(cell % 5 * 5 + cell // 5 for cell in range(25))


def test_a_pattern_that_shuts_the_blank_in_keeps_its_blank() -> None:
    start = walked(3, 3, 50, 1, "blank-first")
    puzzle = WidePatterns(start, goal="blank-first", patterns="5-3")
    assert sorted(puzzle.groups[0]) == [1, 3, 4, 6, 7]
    pattern, _ = puzzle.abstractions()
    assert {*neighbours(pattern.blank, 3, 3)} <= {*pattern.home_cells}
    assert all_of(puzzle) == all_of(Sliding(start, goal="blank-first", bound="manhattan"))


@pytest.mark.parametrize(("rows", "columns"), [*((1, cells) for cells in range(2, 26)), (2, 3), (3, 3), (3, 5), (4, 4)])
def test_each_tile_is_in_one_pattern(rows: int, columns: int) -> None:
    cells = rows * columns
    sizes = group_sizes("", cells)
    assert sum(sizes) == cells - 1
    assert max(sizes) <= largest(cells)
    for blank in range(cells):
        groups = partition(rows, columns, blank, sizes)
        assert [len(group) for group in groups] == list(sizes)
        assert sorted(home for group in groups for home in group) == [cell for cell in range(cells) if cell != blank]


FIVE = {"shape": "5x5", "goal": "blank-first"}


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"shape": "2x13"}, "has not 2 to 25 cells"),
        ({"start": " ".join(map(str, range(26)))}, "start has 26 cells; 2 to 25 are possible"),
        ({**FIVE, "bound": "walking"}, "bound walking is for up to 16 cells, not 5x5; say patterns"),
        ({**FIVE, "bound": "conflict"}, "bound conflict is for up to 16 cells"),
        ({**FIVE, "bound": "patterns", "patterns": "8-8-8"}, "sizes from 1 to 6 that add up to 24 tiles"),
    ],
)
def test_bad_input_is_one_line(parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Sliding(**parameters)
    assert "\n" not in str(raised.value)


def test_the_command_line(run_here: Run) -> None:
    start = walked(5, 5, 10, 1, "blank-last")
    far = ("solve", "sliding", "--start", start)
    assert len(run_here(*far, "--quiet").stdout.split()) == 10
    for words in ((*far, "--engine", "breadth"), ("explore", "sliding", "--shape", "5x5")):
        refused = run_here(*words, code=2).stderr
        assert "breadth-first search takes up to 16 cells, not 25" in refused
        assert refused.count("\n") == 1
