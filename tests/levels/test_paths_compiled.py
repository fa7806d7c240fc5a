"""Path counts and lists of breadth-first search: by every store, on random graphs, and beyond 64 bits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import DOUBLING, KEY
from worlds.places import Graph, Keyed, Numbered, Plain, by_breadth, cheapest

import parsolve
from parsolve.levels.store import Unsuited
from parsolve.levels.stores import ByKey, ByNumber
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.search.watch import UNWATCHED

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
    assert (counted.count, counted.cost, counted.nodes) == (found.count, found.cost, found.nodes)
    assert by_breadth(graph, workers, "first").paths == paths[:1]


@pytest.mark.parametrize(
    ("cost", "places", "store"),
    some([(0, 9, ByNumber), (0, 9, ByKey), (2, 9, ByNumber), (2, 9, ByKey), (1, 300, ByNumber)], 3),
)
def test_a_store_says_that_moves_do_not_suit_it(cost: int, places: int, store: type[ByKey]) -> None:
    graph, keyed = Numbered(places), Keyed(places)
    for line in (graph, keyed):
        vars(line)["edges"] = [[(max(place - 1, 0), cost)] for place in range(places)]
    with Threads(1, UNWATCHED) as threads, pytest.raises(Unsuited):
        list(store(Problem(graph if store is ByNumber else keyed), threads).search())
    found = by_breadth(keyed)  # of this kind of graph with numbers too
    assert (found.cost, found.paths) == ((places - 2) * cost, [(0,) * (places - 2)])


@pytest.mark.nightly
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [61, 62, 63, 64, 66])
@pytest.mark.processes
def test_counts_of_any_size_by_deepening(puzzle_file: Callable[..., Path], size: int, workers: int) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    assert parsolve.solve(cls(size=size), transposition=1 << 20, want="count", workers=workers).count == 2**size
