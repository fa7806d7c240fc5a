"""Breadth-first search over numbered states: distances, depths, threads, and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.places import Graph, true_distances

from parsolve.errors import OutOfMemory
from parsolve.levels.dense import distances
from parsolve.problem.problem import Problem
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.search.watch import Watch
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


@pytest.mark.nightly
def test_more_free_moves_than_a_stack_holds() -> None:
    assert not distances(Problem(Graph(36_000, 1, 8, free=1.0, back=True))).any()


def test_memory_for_a_table_counts() -> None:
    """What marks the states would fit without the table that is filled: 12 MB and 16 MB."""
    puzzle = Pattern("3x5", "1 2 3 5 6 7")
    room = memory_in_use().rss + (3 * puzzle.size // 8 + puzzle.entries // 2)
    with pytest.raises(OutOfMemory, match="--max-memory"):
        distances(Problem(puzzle), Watch(max_memory=room))
