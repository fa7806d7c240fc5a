"""Breadth-first search over keys: depths and layers, on every kind of graph, with little memory."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.places import Graph, Keyed, Spread, cheapest, true_distances

import parsolve
from parsolve.errors import BadInput, BadPuzzle, OutOfMemory
from parsolve.levels.explore import explore
from parsolve.levels.keys import Keys
from parsolve.levels.store import TooLarge
from parsolve.levels.templates.blocks import BLOCK
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.puzzles import Peg
from parsolve.search.watch import UNWATCHED, Watch

KINDS = ["graded", "bipartite", "reversible", "any"]
MB = 1 << 20


def search(
    graph: Graph, threads: int, memory: int = 64 * MB, keep: bool = False, bits: int = 12, short: bool = True
) -> tuple[Any, Any]:
    """Return the states at each depth from place 0, and the keys of each layer if they are kept."""
    with Threads(threads, Watch(max_memory=memory)) as pool:
        keys = Keys(Problem(graph), pool, bits, short=short)
        start = keys.states_of(np.zeros(1, np.uint64))[0]
        depths = [states for _, states in keys.layers(start, keep=keep)]
        assert keys.states == sum(depths)
        return depths, [sorted(keys.keys(depth).tolist()) for depth in range(len(depths))] if keep else None


@pytest.fixture(scope="module", autouse=True)
def _memory() -> Iterator[None]:
    """The memory that a test allows is for what it searches: what this process has taken already does not count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parsolve.search.budget.memory_left", lambda most: most)
        yield


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    places=st.integers(10, 600),
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 4),
    threads=st.integers(1, 3),
    keep=st.booleans(),
    bits=st.sampled_from([4, 6, 12]),
    short=st.booleans(),
)
def test_layers(
    kind: Any, places: int, seed: int, degree: int, threads: int, keep: bool, bits: int, short: bool
) -> None:
    graph = Graph(places // 10 * 10, seed, degree, kind=kind)
    far = true_distances(graph.edges, [0])
    depths, layers = search(graph, threads, keep=keep, bits=bits, short=short)
    counted = Counter(each for each in far if each != math.inf)
    assert depths == [counted[depth] for depth in range(len(counted))]
    if keep:
        assert layers == [[place for place, each in enumerate(far) if each == depth] for depth in range(len(counted))]


@pytest.mark.parametrize("kind", KINDS[1:])  # a graded graph's layers here are of 10 keys
def test_buckets_of_many_blocks(kind: Any) -> None:
    # 4 buckets of more than 1,000 keys: chains of several blocks, hash tables that grow.
    graph = Graph(16_000, 1, 4, kind=kind)
    far = true_distances(graph.edges, [0])
    counted = Counter(each for each in far if each != math.inf)
    assert max(counted.values()) > 4 * 2 * BLOCK
    for threads in (1, 2):
        assert search(graph, threads, bits=2)[0] == [counted[depth] for depth in range(len(counted))]


def test_a_wrong_declaration_is_noticed() -> None:
    """Without a look at what was reached before, states are met again and again."""

    class Wrong(Graph):
        entry = entries = index = unindex = size = None
        graph = "graded"

    with pytest.raises(BadPuzzle, match="'graph' says graded, but place=39 of depth 0 was reached again at 2"):
        explore(Wrong(40, 1, 3, kind="reversible", goalless=True))


@pytest.mark.parametrize("kind", ["graded", "bipartite"])
def test_blocks_that_are_given_back_are_used_again(kind: Any) -> None:
    # A long walk in memory for a few layers only.
    graph = Graph(4000, kind=kind, degree=2, number=5)
    far = true_distances(graph.edges, [0])
    depths = len({each for each in far if each != math.inf})
    assert depths > 100
    assert len(search(graph, 2, memory=3 * MB, bits=4)[0]) == depths


@pytest.mark.nightly
def test_children_are_merged_before_they_fill_the_memory() -> None:
    graph = Graph(80_000, 1, 8, kind="reversible")
    counted = Counter(each for each in true_distances(graph.edges, [0]) if each != math.inf)
    assert search(graph, 2, memory=3 * MB // 2, bits=4)[0] == [counted[depth] for depth in range(len(counted))]


def test_the_key_0_is_found_once() -> None:
    depths, layers = search(Graph(20, 3, 3, kind="reversible"), 1, keep=True)
    assert layers[0] == [0]
    assert all(0 not in layer for layer in layers[1:])
    assert sum(depths) == len({place for layer in layers for place in layer})


def test_small_keys_are_found_in_any_order() -> None:
    """What marks a free place of the hash table is none of the keys, which need not be sorted."""
    numbers = np.random.default_rng(22)
    with Threads(1, Watch(max_memory=64 * MB)) as pool:
        keys = Keys(Problem(Graph(20, kind="reversible")), pool)
        for size in range(1, 40):
            every = np.arange(2 * size, dtype=np.uint64)
            known = numbers.permutation(every)[:size]
            assert keys.find(every, known).tolist() == np.isin(every, known).tolist()


def test_too_little_memory_ends_in_one_line() -> None:
    with pytest.raises(OutOfMemory, match="states reached, and the next layer takes more than"):
        search(Graph(50_000, 1, 3), 2, memory=MB // 3, bits=2)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("goalless", [True, False])
def test_keys_that_are_too_large_for_short_entries(kind: Any, goalless: bool) -> None:
    arguments: dict[str, Any] = {"degree": 4, "kind": kind, "goalless": goalless}
    large, small = Spread(600, 1, **arguments), Keyed(600, 1, **arguments)
    with Threads(1, UNWATCHED) as pool:
        keys = Keys(Problem(large), pool, short=True)
        with pytest.raises(TooLarge):
            list(keys.layers(keys.problem.root))
        assert keys.has_large_keys
    depths = [explore(graph, origin="start").depths for graph in (large, small)]
    assert depths[0] == depths[1]
    found = [parsolve.solve(graph, engine="breadth", want="count") for graph in (large, small)]
    assert found[0].count == found[1].count == len(cheapest(small)[1])
    assert found[0].nodes == found[1].nodes


def test_what_is_refused() -> None:
    with pytest.raises(BadInput, match="gives no way back from a key"), Threads(1, UNWATCHED) as pool:
        Keys(Problem(Peg()), pool)
    with pytest.raises(BadPuzzle, match="moves that cost 1 only"):
        search(Graph(50, dear=True), 1)
    with pytest.raises(BadPuzzle, match="moves that cost 1 only"):
        search(Graph(50, free=0.5), 1)
