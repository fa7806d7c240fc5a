"""Breadth-first search over numbered states: distances, depths, threads, and what it refuses."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.places import Graph, true_distances

from parsolve.errors import OutOfMemory
from parsolve.levels.dense import Dense, distances
from parsolve.levels.templates.dense import UNREACHED
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import memory_in_use


@settings(max_examples=60, deadline=None)
@given(
    places=st.integers(2, 400),
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 4),
    free=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    group=st.sampled_from([1, 1, 3, 64]),
    threads=st.integers(1, 3),
)
def test_distances(places: int, seed: int, degree: int, free: float, group: int, threads: int) -> None:
    graph = Graph(places, seed, degree, free, group=group, back=True)
    far = true_distances(graph.edges, range(min(2, places)))
    least = [min(far[at : at + group]) for at in range(0, places, group)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARSOLVE_WORKERS", str(threads))
        found = distances(Problem(graph))
    assert found.dtype == np.uint8
    assert found.tolist() == [255 if each == math.inf else each for each in least]


@pytest.mark.parametrize("more", [{"degree": 1, "line": 2}, {"number": 1, "degree": 4, "free": 0.9}])
def test_free_moves_that_no_stack_holds(more: dict[str, Any]) -> None:
    # From 0 and 1 on many others are reached without cost, more of them at once than a thread keeps in mind.
    graph = Graph(2000, back=True, **more)
    found = np.full(graph.places, UNREACHED, np.uint8)
    problem = Problem(graph)
    with Threads(2, UNWATCHED) as pool:
        dense = Dense(problem, pool, start=problem.goals(), from_goals=True, stack=16)
        assert sum(dense.expand(found)) == dense.nodes
    far = true_distances(graph.edges, (0, 1))
    assert found.tolist() == [UNREACHED if each == math.inf else each for each in far]


def test_more_threads_than_pieces_and_pieces_than_threads() -> None:
    problem = Problem(Graph(10_000, number=3, degree=2))  # 40 pieces, and three when a layer is closed
    for threads in (1, 2, 5):
        with Threads(threads, UNWATCHED) as pool:
            dense = Dense(problem, pool, words=4)
            found = [*dense.expand()]
            if threads == 1:
                first = found
            assert found == first
            assert sum(found) == dense.nodes


def test_memory_for_a_table_counts() -> None:
    """What marks the states would fit without the table that is filled: 12 MB and 16 MB."""
    puzzle = Pattern("3x5", "1 2 3 5 6 7")
    room = memory_in_use().rss + (3 * puzzle.size // 8 + puzzle.entries // 2)
    with pytest.raises(OutOfMemory, match="--max-memory"):
        distances(Problem(puzzle), Watch(max_memory=room))
