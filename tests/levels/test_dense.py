"""Breadth-first search over numbered states: distances, depths, threads, and what it refuses."""

import threading

import pytest
from worlds.graphs import Numbered
from worlds.places import Graph

from parsolve.errors import BadPuzzle, OutOfMemory
from parsolve.levels.dense import distances
from parsolve.levels.explore import explore
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.watch import UNWATCHED, Watch

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    ("graph", "says"),
    [
        (Graph(50, dear=True, back=True), "moves that cost 0 or 1 only"),
        (Graph(50, declared=1), "'index' gives 1, 'size' says below 1 "),
        (Graph(50, declared=-3), "'size' must be an int, at least 1"),
    ],
)
def test_what_is_not_numbered_rightly_is_refused(graph: Graph, says: str) -> None:
    with pytest.raises(BadPuzzle, match=says):
        distances(Problem(graph))


def test_a_distance_that_a_byte_does_not_hold_is_refused() -> None:
    assert distances(Problem(Graph(256, degree=1, line=1, back=True))).tolist() == [0, *range(255)]
    with pytest.raises(BadPuzzle, match="a state is 255 moves away"):
        distances(Problem(Graph(257, degree=1, line=1, back=True)))


def test_goals_of_one_number_count_once() -> None:
    assert explore(Numbered(4106135923), origin="goals").depths[0] == (0, 3)  # three of six are not like another


def test_too_little_memory_is_refused_before_any_is_taken() -> None:
    with pytest.raises(OutOfMemory, match="take 36 MB, and there are"):
        explore(Graph(2, declared=100_000_000), Watch(max_memory=1 << 20))


def test_threads_end_with_the_first_error() -> None:
    done: list[int] = []

    def work(thread: int, piece: int) -> None:
        done.append(piece)
        if piece == 3:
            raise ValueError(piece)

    before = threading.active_count()
    with Threads(2, UNWATCHED) as pool:
        with pytest.raises(ValueError, match="3"):
            pool.each(1000, work)
        assert len(done) < 1000
        seen: list[int] = []
        pool.each(10, lambda thread, piece: seen.append(piece))
        assert sorted(seen) == list(range(10))
    assert threading.active_count() == before
