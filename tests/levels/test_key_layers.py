"""Breadth-first search over keys: depths and layers, on every kind of graph, with little memory."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.places import Graph, Keyed, Spread, cheapest, true_distances

import parsolve
from parsolve.errors import BadPuzzle, OutOfMemory
from parsolve.levels.explore import explore
from parsolve.levels.search import Search
from parsolve.levels.templates.blocks import BLOCK
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.watch import UNWATCHED

KINDS = ["graded", "bipartite", "reversible", "any"]
MB = 1 << 20


def search(graph: Graph, threads: int, memory: int = 64 * MB, keep: bool = False) -> tuple[Any, Any]:
    """Return the states at each depth from place 0, and the keys of each layer if they are kept."""
    with Threads(threads, UNWATCHED) as pool:
        problem, depths = Problem(graph), list[int]()
        start = Search(problem, pool, memory=MB, counts=False).states_of(np.zeros(1, np.uint64))[0]
        it = Search(problem, pool, memory=memory, few=64, counts=False, keeps=keep, past=True, start=start)
        it.seen = lambda _, level: depths.append(level.total)
        assert sum(it.expand()) == sum(depths)
        layers = [sorted(level.entries().tolist()) for level in it.settled.values()]
        return [depth for depth in depths if depth], layers[: len([*filter(None, depths)])] if keep else None


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    places=st.integers(10, 600),
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 4),
    threads=st.integers(1, 3),
    keep=st.booleans(),
)
def test_layers(kind: Any, places: int, seed: int, degree: int, threads: int, keep: bool) -> None:
    graph = Graph(places // 10 * 10, seed, degree, kind=kind)
    far = true_distances(graph.edges, [0])
    depths, layers = search(graph, threads, keep=keep)
    counted = Counter(each for each in far if each != math.inf)
    assert depths == [counted[depth] for depth in range(len(counted))]
    if keep:
        assert layers == [[place for place, each in enumerate(far) if each == depth] for depth in range(len(counted))]


@pytest.mark.parametrize("kind", KINDS[1:])  # a graded graph's layers here are of 10 keys
def test_buckets_of_many_blocks(kind: Any) -> None:
    # Buckets of more than 1,000 keys: chains of several blocks, hash tables that grow.
    graph = Graph(16_000, 1, 4, kind=kind)
    far = true_distances(graph.edges, [0])
    counted = Counter(each for each in far if each != math.inf)
    assert max(counted.values()) > 4 * 2 * BLOCK
    for threads in (1, 2):
        assert search(graph, threads)[0] == [counted[depth] for depth in range(len(counted))]


def test_a_wrong_declaration_is_noticed() -> None:
    """Without a look at what was reached before, states are met again and again."""

    class Wrong(Graph):
        entry = entries = index = unindex = size = None
        graph = "graded"

    with pytest.raises(
        BadPuzzle,
        match="'graph' is graded, but a state of depth 0 was reached again at 2, or 'key' merges states: at place=39",
    ):
        explore(Wrong(40, 1, 3, kind="reversible", goalless=True))


@pytest.mark.parametrize("kind", ["graded", "bipartite"])
def test_blocks_that_are_given_back_are_used_again(kind: Any) -> None:
    # A long walk in memory for a few layers only.
    graph = Graph(4000, kind=kind, degree=2, number=5)
    far = true_distances(graph.edges, [0])
    depths = len({each for each in far if each != math.inf})
    assert depths > 100
    assert len(search(graph, 2, memory=MB // 2)[0]) == depths


@pytest.mark.nightly
def test_children_are_merged_before_they_fill_the_memory() -> None:
    graph = Graph(80_000, 1, 8, kind="reversible")
    counted = Counter(each for each in true_distances(graph.edges, [0]) if each != math.inf)
    assert search(graph, 2, memory=3 * MB // 2)[0] == [counted[depth] for depth in range(len(counted))]


def test_the_key_0_is_found_once() -> None:
    depths, layers = search(Graph(20, 3, 3, kind="reversible"), 1, keep=True)
    assert layers[0] == [0]
    assert all(0 not in layer for layer in layers[1:])
    assert sum(depths) == len({place for layer in layers for place in layer})


def test_too_little_memory_ends_in_one_line() -> None:
    with pytest.raises(OutOfMemory, match="the next states take more than the 0 MB that are left for them"):
        search(Graph(50_000, 1, 3), 2, memory=MB // 3)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("goalless", [True, False])
def test_keys_of_many_bits(kind: Any, goalless: bool) -> None:
    arguments: dict[str, Any] = {"degree": 4, "kind": kind, "goalless": goalless}
    large, small = Spread(600, 1, **arguments), Keyed(600, 1, **arguments)
    depths = [explore(graph, origin="start").depths for graph in (large, small)]
    assert depths[0] == depths[1]
    found = [parsolve.solve(graph, engine="breadth", want="count") for graph in (large, small)]
    assert found[0].count == found[1].count == len(cheapest(small)[1])
    assert found[0].nodes == found[1].nodes


@pytest.mark.parametrize("more", [{"dear": True}, {"free": 0.5}, {"kind": "reversible", "dearest": 3}])
def test_moves_of_any_cost(more: dict[str, Any]) -> None:
    graph = Keyed(200, **more, goalless=True)
    far = true_distances(graph.edges, [graph.places - 1])
    counted = Counter(each for each in far if each != math.inf)
    assert explore(graph, origin="start").depths == sorted(counted.items())
