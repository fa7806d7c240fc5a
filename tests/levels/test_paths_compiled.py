"""Path counts and lists of breadth-first search: by every store, on random graphs, and beyond 64 bits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import DOUBLING, KEY
from worlds.places import Graph, Keyed, Numbered, Plain, by_breadth, cheapest

import parsolve
from parsolve.problem.registry import load_class

STORES = [
    *((cls, kind) for cls in (Keyed, Plain) for kind in ("graded", "bipartite", "reversible", "any")),
    *((Numbered, kind) for kind in ("bipartite", "reversible")),  # of other kinds as if without numbers
]


@pytest.mark.nightly
@settings(max_examples=50, deadline=None)
@given(
    store=st.sampled_from(STORES),
    places=st.integers(1, 12),
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 3),
    free=st.sampled_from([0.0, 0.3]),
    workers=st.integers(1, 3),
)
def test_every_store_counts_and_lists_all(
    store: tuple[type[Graph], Any], places: int, seed: int, degree: int, free: float, workers: int
) -> None:
    cls, kind = store
    graph = cls(10 * places, seed, degree, free, acyclic=True, kind=kind)
    cost, paths = cheapest(graph)
    found = by_breadth(graph, workers)
    assert found.paths == paths
    assert (found.status, found.count) == ("solved" if paths else "none", len(paths))
    if paths:
        assert found.cost == cost
    counted = by_breadth(graph, workers, "count")
    assert (counted.count, counted.cost) == (found.count, found.cost)
    assert counted.nodes <= found.nodes <= 2 * counted.nodes
    assert by_breadth(graph, workers, "first").paths == paths[:1]


@pytest.mark.nightly
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [61, 62, 63, 64, 66])
@pytest.mark.processes
def test_counts_of_any_size_by_deepening(puzzle_file: Callable[..., Path], size: int, workers: int) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    assert parsolve.solve(cls(size=size), transposition=1 << 20, want="count", workers=workers).count == 2**size
