"""Breadth-first search over numbered states: distances, depths, threads, and what it refuses."""

import math

import numpy as np
import pytest
from graphs import Graph, true_distances
from hypothesis import given, settings
from hypothesis import strategies as st

from parsolve.breadth.databases import distances
from parsolve.breadth.dense import Dense
from parsolve.breadth.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.watch import UNWATCHED


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


def test_free_moves_that_no_stack_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    # From 0 and 1 on all others are reached without cost, more of them at once than a thread keeps in mind.
    monkeypatch.setattr("parsolve.breadth.dense.STACK", 1 << 4)
    places = 2000
    assert distances(Problem(Graph(places, degree=1, line=2, back=True))).tolist() == [0] * places
    spread = Graph(places, seed=1, degree=4, free=0.9, back=True)
    far = true_distances(spread.edges, (0, 1))
    assert distances(Problem(spread)).tolist() == [255 if each == math.inf else each for each in far]


def test_more_threads_than_pieces_and_pieces_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORDS", "CLOSED_WORDS"):
        monkeypatch.setattr(f"parsolve.breadth.dense.{name}", 64)
    problem = Problem(Graph(10_000, seed=3, degree=2))  # three pieces
    for threads in (1, 2, 5):
        with Threads(threads, UNWATCHED) as pool:
            dense = Dense(problem, pool)
            found = [states for _, states in dense.layers(dense.states_of(np.zeros(1, np.uint64))[0])]
            if threads == 1:
                first = found
            assert found == first
            assert sum(found) == dense.states
