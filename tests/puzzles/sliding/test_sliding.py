"""Bounds of sliding tiles: never too high, the same by any way, and the same answers as with Manhattan distance."""

import functools
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import counted
from shared import Run, oracle
from worlds.families import slid, sliding_solutions

import parsolve
from parsolve.compiler.cache import cached
from parsolve.compiler.marks import with_globals
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.geometry import neighbours
from parsolve.puzzles.sliding.partitions import group_sizes, largest, partition
from parsolve.puzzles.sliding.ranks import BITS, rank
from parsolve.puzzles.sliding.wide_patterns import WidePatterns
from parsolve.tables.databases import supply

pytestmark = pytest.mark.nightly


BOUNDS = ("manhattan", "patterns")


PACKAGE = Path(parsolve.puzzles.sliding.__file__ or "").parent

NINES = {
    "blank last": "1 2 3 4 5 6 7 8 0",
    "blank first": "0 1 2 3 4 5 6 7 8",
    "blank in a corner off the diagonal": "1 2 0 3 4 5 6 7 8",
    "blank in the middle": "1 2 3 8 0 4 7 6 5",
    "blank at an edge, tiles in disorder": "3 7 1 0 8 2 5 4 6",
}
"""Goals of 3x3 cells."""


def small_patterns(cells: int) -> str:
    """Patterns whose tables take no time: of four tiles on nine cells, else of three."""
    if cells == 9:
        return "4-4"
    return "-".join("3" * ((cells - 1) // 3) + str((cells - 1) % 3) * ((cells - 1) % 3 > 0))


def position(start: Sequence[int], goal: Sequence[int], shape: tuple[int, int], bound: str) -> Sliding:
    """A puzzle by its tiles, with the smallest patterns."""
    return Sliding(
        start=" ".join(map(str, start)),
        goal=" ".join(map(str, goal)),
        shape="{}x{}".format(*shape),
        bound=bound,  # type: ignore[arg-type]
        patterns=small_patterns(len(start)) if bound == "patterns" else "",
    )


@functools.cache
def walk_everywhere(cls: type[Puzzle]) -> Any:
    """A breadth-first search over all boards of 3x3 cells by the compiled rules of a class, from the goal."""
    return cached(with_globals(walk, {"expand": cls.expand}))


def expand(tables: Any, here: Any, limit: int, rows: Any, top: int) -> int:
    """The rule of a class, which stands here instead."""
    raise NotImplementedError


def number_of(cells: Any) -> Any:
    """Return the rank of a board of 3x3 cells: uint64."""
    placed = np.uint64(0)
    for cell in range(9):
        placed |= ((cells >> np.uint64(4 * cell)) & np.uint64(15)) << (BITS * np.uint64(cell))
    return rank(placed, np.uint64(9), np.uint64(9))


def walk(tables: Any, rows: Any, depths: Any, room: Any) -> Any:
    """Fill in `depths`, int16[9!] by the rank of the cells; return how many bounds are above the depth, and how
    many are not what the same board had by another way."""
    bounds = np.zeros(depths.size, np.int16)
    depths[number_of(rows[0].cells)] = 0
    end, above, other = 1, 0, 0
    for at in range(rows.size):
        if at == end:
            break
        depth = depths[number_of(rows[at].cells)]
        room[0] = rows[at]
        for child in range(1, expand(tables, room[0], NO_LIMIT, room, 1)):
            number = number_of(room[child].cells)
            if depths[number] < 0:
                depths[number], bounds[number] = depth + 1, room[child].bound
                rows[end] = room[child]
                end += 1
            above += room[child].bound > depths[number]
            other += room[child].bound != bounds[number] and depths[number] > 0
    return end, above, other


@pytest.mark.parametrize("goal", NINES.values(), ids=NINES)
@pytest.mark.parametrize("bound", BOUNDS)
def test_no_bound_is_above_the_distance_of_any_eight_puzzle(bound: str, goal: str) -> None:
    tiles = list(map(int, goal.split()))
    problem = supply(Problem(counted(position(tiles, tiles, (3, 3), bound))))
    rows, depths = np.zeros(181_440, problem.state), np.full(362_880, -1, np.int16)
    rows[:1] = problem.root
    room = np.zeros(1 + problem.children, problem.state)
    boards, above, other = walk_everywhere(type(problem.puzzle))(problem.tables, rows, depths, room)
    assert (boards, above, other) == (181_440, 0, 0)
    blank = "center" if tiles[4] == 0 else "edge" if tiles.index(0) % 2 else "corner"
    known = [row for row in oracle("sliding_depths.csv") if row["puzzle"] == "3x3"]
    expected = [int(row["states"]) for row in known if row["goal_blank"] == blank]
    assert np.bincount(depths[depths >= 0]).tolist() == expected


def test_fifteen_puzzles_of_korf_by_fewer_nodes() -> None:
    assert nodes_of_fifteens("patterns") < 0.02 * nodes_of_fifteens("manhattan")


def nodes_of_fifteens(bound: str) -> int:
    """The nodes of three of them, all with the known answer."""
    nodes = 0
    for row in [row for row in oracle("korf100.csv") if row["id"] in ("4", "12", "30")]:
        puzzle = Sliding(start=row["tiles"], goal="blank-first", bound=bound)  # type: ignore[arg-type]
        found = parsolve.solve(puzzle, want="count", workers=1)
        assert (found.cost, found.count) == (int(row["optimal_length"]), int(row["optimal_solutions"]))
        nodes += found.nodes
    return nodes


@pytest.mark.parametrize(("shape", "cost", "count"), [("4x3", 33, 4), ("3x4", 53, 76)])
def test_the_board_is_rows_by_columns(shape: str, cost: int, count: int) -> None:
    """The same numbers on 4x3 are another puzzle than on 3x4."""
    puzzle = Sliding("0 3 2 1 8 7 6 5 4 11 10 9", shape, bound="patterns")
    found = parsolve.solve(puzzle, want="count", workers=1)
    assert (found.cost, found.count) == (cost, count)


@pytest.mark.processes
def test_an_identity_does_not_depend_on_what_is_imported() -> None:
    """A module of the package with the name of an attribute would be taken for a global of the rules, once imported."""
    first = "from parsolve.puzzles.sliding.sliding import Sliding; from parsolve.problem.compiled import of_rules\n"
    then = "found = of_rules(Sliding)\nprint(found.digest, found.opaque)\n"
    names = [file.stem for file in PACKAGE.glob("*.py") if file.stem != "__init__"]
    every = "".join(f"import parsolve.puzzles.sliding.{name}\n" for name in names)
    told = [subprocess.check_output([sys.executable, "-c", first + more + then], text=True) for more in ("", every)]
    assert told[0] == told[1]
    assert told[0].split()[1] == "False"


# Sliding tiles on boards of more than 16 cells, and patterns that are looked up by rank.


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
    assert puzzle.images[1] == tuple(cell % 5 * 5 + cell // 5 for cell in range(25))


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


def test_the_command_line(run_here: Run) -> None:
    start = walked(5, 5, 10, 1, "blank-last")
    far = ("solve", "sliding", "--start", start)
    assert len(run_here(*far, "--quiet").stdout.split()) == 10
    for words in ((*far, "--engine", "breadth"), ("explore", "sliding", "--shape", "5x5")):
        refused = run_here(*words, code=2).stderr
        assert "breadth-first search takes up to 16 cells, not 25" in refused
        assert refused.count("\n") == 1
