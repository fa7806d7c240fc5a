"""States by distance: by numbers, by keys and with rows the same; boards and their numbers there and back."""

import math
import random
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from cases import nightly
from conftest import Run
from pocket import Line, LineByKey, LineByNumber
from worlds.places import Graph

from parsolve.errors import BadInput
from parsolve.levels.dense import Dense
from parsolve.levels.explore import _Explorer, explore
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Peg, Sliding
from parsolve.puzzles.sliding.geometry import packed, solvable
from parsolve.search.watch import UNWATCHED


def by_each_way(puzzle: Puzzle, from_goals: bool = True) -> list[tuple[list[tuple[int, int]], list[str]]]:
    """Return depths and farthest states by numbers, by keys, and with rows."""
    rowed = type("Rowed", (type(puzzle),), {"unkey": None})(
        **{each.name: getattr(puzzle, each.name) for each in fields(puzzle)}
    )
    explorers = [
        _Explorer(Problem(each), Problem(each).goals(), from_goals, UNWATCHED, puzzle.exploring())
        for each in (puzzle, rowed)
    ]
    with Threads(2, UNWATCHED) as pool:
        found = [explorers[0].by_number(pool), *(each.by_levels(pool) for each in explorers)]
    return [(each.depths, sorted(each.farthest)) for each in found if each is not None]


@pytest.mark.parametrize("kind", [nightly("graded"), "bipartite", "reversible", "any"])
def test_three_ways_to_explore_a_graph(kind: str) -> None:
    # From the places 0 and 1, which are of different parity, and a move from one another in some.
    graph = Graph(200, 7, 3, kind=kind, back=kind == "any")  # type: ignore[arg-type]
    ways = by_each_way(graph, from_goals=kind != "graded")
    assert len(ways) == 3
    assert ways[0] == ways[1] == ways[2]


@pytest.mark.parametrize("line", [Line, nightly(LineByKey), nightly(LineByNumber)])
def test_solved_states_in_the_middle(line: type[Line]) -> None:
    found = explore(line())
    assert (found.start, found.depths[-1]) == ("root", (5, 2))
    assert found.states == 11
    if line is Line:
        with pytest.raises(BadInput, match="gives neither 'goals' nor a way back from its keys"):
            explore(line(), origin="goals")
        return
    from_goals = explore(line(), origin="goals")
    assert from_goals.start == "goal"
    assert from_goals.depths == [(0, 2), (1, 4), (2, 3), (3, 2)]
    assert sorted(from_goals.farthest) == ["place=0", "place=10"]


@pytest.mark.nightly
def test_where_distances_can_be_measured_from(run: Run, tmp_path: Path) -> None:
    assert run("explore", "eight").stdout.startswith("depth from the goal, states\n")
    assert run("explore", "eight", "--from", "start").stdout.startswith("depth from the root, states\n")
    with pytest.raises(BadInput, match="its 'graph' is any: take --from start"):
        explore(Line(way="any"), origin="goals")
    with pytest.raises(BadInput, match="no state that can be reached is solved: take --from start"):
        explore(LineByKey(marked=""), origin="goals")
    with pytest.raises(BadInput, match="without --spill they are looked for"):
        explore(LineByKey(), origin="goals", spill=tmp_path)
    with pytest.raises(BadInput, match="take --from start"):  # its goals are for moves turned around
        explore(Peg("triangle10", "1"), origin="goals")


@pytest.mark.parametrize("shape", ["2x2", "2x3", "3x2", "2x4", "4x2", "3x3", "3x4", "4x3", "2x6"])
@pytest.mark.parametrize("goal", ["blank-last", "blank-first", "mixed"])
def test_boards_and_their_numbers(shape: str, goal: str) -> None:
    rows, columns = map(int, shape.split("x"))
    numbers = random.Random(shape)
    tiles = list(range(rows * columns))
    if goal == "mixed":
        numbers.shuffle(tiles)
        goal = " ".join(map(str, tiles))
    puzzle = Sliding(shape=shape, goal=goal)
    size = math.factorial(rows * columns) // 2
    with Threads(1, UNWATCHED) as pool:
        dense = Dense(Problem(puzzle), pool)
        assert dense.size == size
        chosen = range(size) if size < 30_000 else [0, size - 1, *(numbers.randrange(size) for _ in range(5000))]
        some = np.array(chosen, np.uint64)
        boards = dense.states_of(some)[0]
        assert (dense.ids_of(boards) == some).all()
        cells = boards["cells"].tolist()
        assert len({*cells}) == len({*chosen})
        for board in cells[:: max(1, len(cells) // 300)]:
            here = [board >> 4 * cell & 15 for cell in range(rows * columns)]
            assert solvable(here, puzzle.goal_tiles, rows, columns)
            assert packed(here) == board


def test_a_line_and_a_large_board_have_no_numbers() -> None:
    for shape in ("1x6", "6x1", "1x2", "4x4", "2x7"):
        assert Sliding(shape=shape).size is None
    assert explore(Sliding(shape="1x6")).depths == [(depth, 1) for depth in range(6)]


TWINS = """
from dataclasses import dataclass
import numpy as np
from parsolve import Puzzle

@dataclass(frozen=True)
class Twins(Puzzle):
    \"\"\"Two ways of one cost lead to the place 2: of one move, and of two.\"\"\"
    state = np.dtype([("place", "u1"), ("moves", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 2

    def root(self):
        return {"place": 0}

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for place in range(here.place + 1, 3):
            row = rows[top]
            row.place = place
            row.moves = here.moves + 1
            row.cost = here.cost + (place == 2)
            row.move = place
            top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return False

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)
"""


def test_a_state_that_is_reached_twice_at_one_cost_is_one_of_the_farthest(puzzle_file: Callable[..., Path]) -> None:
    twins = load_class(f"{puzzle_file(TWINS, 'twins.py')}:Twins")
    found = explore(twins())
    assert found.depths == [(0, 2), (1, 1)]
    assert found.farthest == ["place=2 moves=1"]
