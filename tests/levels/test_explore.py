"""States by distance: what it is measured from; boards and their numbers there and back."""

import math
import random
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from cases import nightly
from conftest import Run

from parsolve.errors import BadInput
from parsolve.levels.dense import Dense
from parsolve.levels.explore import explore
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle, parameter
from parsolve.puzzles import Peg, Sliding
from parsolve.puzzles.sliding.geometry import packed, solvable
from parsolve.search.watch import UNWATCHED


class Marks(NamedTuple):
    marks: Any  # bool[fields]


@dataclass(frozen=True)
class Line(Puzzle):
    """Walk on a line of fields, from its middle to the fields that are marked."""

    length: int = parameter(11, "fields")
    marked: str = parameter("3 7", "fields that are solved")
    way: Literal["reversible", "any"] = parameter("reversible", "what is said of the graph")

    state = np.dtype([("place", "u4"), ("cost", "u2"), ("move", "u1")])
    children = 2

    @property
    def graph(self):
        return self.way

    def root(self):
        return {"place": self.length // 2}

    def tables(self):
        marks = np.zeros(self.length, np.bool_)
        marks[[int(place) for place in self.marked.split()]] = True
        return Marks(marks)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for way in range(2):
            place = np.int64(here.place) + 2 * way - 1
            row = rows[top]
            row.place, row.cost, row.move = place, here.cost + 1, way
            top += 0 <= place < tables.marks.size and here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return tables.marks[here.place]

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)


@dataclass(frozen=True)
class LineByKey(Line):
    """The same with a way back from its keys."""

    def goals(self):
        return [{"place": int(place)} for place in self.marked.split()]

    @staticmethod
    def unkey(tables, key, row):
        row.place, row.move = key, 0


@dataclass(frozen=True)
class LineByNumber(LineByKey):
    """The same with numbers."""

    @property
    def size(self):
        return self.length

    @staticmethod
    def index(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unindex(tables, number, row):
        row.place, row.move = number, 0


@pytest.mark.parametrize("line", [Line, nightly(LineByKey), nightly(LineByNumber)])
def test_solved_states_in_the_middle(line: type[Line]) -> None:
    found = explore(line(), origin="start")
    assert (found.start, found.depths[-1]) == ("root", (5, 2))
    assert found.states == 11
    if line is Line:
        with pytest.raises(BadInput, match="Line gives no 'goals' from which"):
            explore(line(), origin="goals")
        return
    from_goals = explore(line(), origin="goals")
    assert from_goals.start == "goal"
    assert from_goals.depths == [(0, 2), (1, 4), (2, 3), (3, 2)]
    assert sorted(from_goals.farthest) == ["place=0", "place=10"]


@pytest.mark.nightly
def test_where_distances_can_be_measured_from(run: Run) -> None:
    assert run("explore", "eight").stdout.startswith("depth from the goal, states\n")
    assert run("explore", "eight", "--from", "start").stdout.startswith("depth from the root, states\n")
    with pytest.raises(BadInput, match="take --from start"):  # its goals are for a search from both ends
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
