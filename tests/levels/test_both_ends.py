"""Breadth-first search from both ends: what it notices of goals and of ways back that are missing."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import parsolve
from parsolve.check import check
from parsolve.errors import BadPuzzle
from parsolve.levels.both_ends import BothEnds
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle, parameter
from parsolve.puzzles.peg.chains import PegChains, PegChainsBack
from parsolve.search.watch import UNWATCHED


def answer(puzzle: Puzzle, workers: int = 2) -> tuple[Any, ...]:
    result = parsolve.solve(puzzle, engine="breadth", workers=workers)
    return result.status, result.cost, result.count, [each.moves for each in result.solutions]


@pytest.mark.nightly
@pytest.mark.parametrize("cls", [PegChains, PegChainsBack])
def test_the_contract(cls: type[PegChains]) -> None:
    # Their moves are not jumps: nothing draws them.
    for puzzle in (cls("triangle15", "0", "12"), cls("hoppers", "6", "6"), cls("triangle15", "0", "any")):
        faults = check(puzzle, states=300, samples=100).faults
        assert not {each.kind for each in faults} - {"show", "images_of", "picture"}


@dataclass(frozen=True)
class NoPuzzle(PegChains):
    def inverse_puzzle(self) -> Any:
        return 1


def test_not_a_puzzle() -> None:
    with pytest.raises(BadPuzzle, match="'inverse_puzzle' must return a puzzle or None, not 1"):
        parsolve.solve(NoPuzzle("triangle15", "0", "12"), engine="breadth")


class Edges(NamedTuple):
    first: np.ndarray[Any, Any]  # of each place, its first edge
    ends: np.ndarray[Any, Any]
    goal: int


@dataclass(frozen=True)
class Ways(Puzzle):
    """Ways in a graph: its edges are two digits each."""

    edges: str = parameter("", "from and to")
    back: str = parameter("", "those that are taken back, from and to")
    goal: int = parameter(9, "the place to end in, and all above it")
    told: str = parameter("9", "the places that `goals` gives")

    state = np.dtype([("place", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 10

    def root(self) -> dict[str, Any]:
        return {}

    def tables(self) -> Edges:
        edges = sorted((int(edge[0]), int(edge[1])) for edge in self.edges.split())
        first = np.searchsorted([start for start, _ in edges], np.arange(11))
        return Edges(first, np.array([end for _, end in edges], np.uint8), self.goal)

    def goals(self) -> list[dict[str, Any]]:
        return [{"place": int(place)} for place in self.told]

    def inverse_puzzle(self) -> Puzzle | None:
        return WaysBack(" ".join(edge[::-1] for edge in self.back.split())) if self.back else None

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for edge in range(tables.first[here.place], tables.first[here.place + 1]):
            row = rows[top]
            row.place, row.cost, row.move = tables.ends[edge], here.cost + 1, tables.ends[edge]
            top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.place >= tables.goal

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.place

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.place = key
        row.move = 0


@dataclass(frozen=True)
class WaysBack(Ways):
    """The same taken back. Its solved states are those of the puzzle: nobody asks which they are."""

    def root(self) -> dict[str, Any]:
        return {"place": 9}


WAYS = "01 02 03 14 24 36 45 46 59 69 38"
"""Of length 4 there are three ways from 0 to 9, of length 3 there is one."""


@pytest.mark.nightly
def test_what_is_solved_when_moves_are_taken_back_is_not_asked() -> None:
    assert answer(Ways(WAYS, WAYS)) == answer(Ways(WAYS)) == ("solved", 3, 1, [(3, 6, 9)])
    assert answer(Ways("01 14 45 59", "01 14 45 59")) == ("solved", 4, 1, [(1, 4, 5, 9)])


@pytest.mark.nightly
@pytest.mark.parametrize("missing", WAYS.split())
def test_each_way_back_is_missed(missing: str) -> None:
    # Wherever the ends meet, and whatever is found until then.
    back = " ".join(edge for edge in WAYS.split() if edge != missing)
    with pytest.raises(
        BadPuzzle, match="'inverse_puzzle' gives WaysBack, without a way back of a move from this state: at place="
    ):
        answer(Ways(WAYS, back))


def test_each_missing_goal_is_noticed() -> None:
    # Of two as near as each other, and of one that is nearer than where the ends meet.
    for goal, told in ((8, "9"), (8, "8"), (4, "569"), (6, "9")):
        with pytest.raises(BadPuzzle, match="'goals' lacks"):
            answer(Ways(WAYS, WAYS, goal, told))


def states_of(puzzle: Puzzle, folder: Path | None) -> list[list[int]]:
    """The states of cheapest solutions by level; with a folder each settled level goes to a file at once."""
    problem = Problem(puzzle, "count").for_breadth
    back = problem.inverse
    assert back is not None
    with Threads(1, UNWATCHED) as threads:
        ends = BothEnds(problem, back, threads, folder)
        for _ in ends.expand():
            stores = [end.store for end in ends.ends] if folder else []
            for store in stores:
                for level in store.settled.values():
                    if level.size and level is not store.current.viewed:
                        store.write(level)
        return [sorted(keys.tolist()) for keys in ends.paths()]


def test_levels_in_files(tmp_path: Path) -> None:
    puzzle = PegChains("triangle15", "0", "12")
    states = states_of(puzzle, None)
    assert states_of(puzzle, tmp_path) == states
    assert len(states) > 5
