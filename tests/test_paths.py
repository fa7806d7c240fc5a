"""Path counts and lists of breadth-first search: by every store, on random graphs, and beyond 64 bits."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from graphs import Graph
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import DOUBLING, KEY
from test_dense import true_distances

import parsolve
from parsolve.breadth.graded import Graded
from parsolve.breadth.layers import Store, Unsuited
from parsolve.breadth.paths import CheapestPaths
from parsolve.breadth.records import Records
from parsolve.breadth.search import search
from parsolve.breadth.stores import ByKey, ByNumber, stores
from parsolve.breadth.threads import Threads
from parsolve.problem import Problem
from parsolve.puzzle import Want
from parsolve.puzzles import Sliding
from parsolve.registry import load_class
from parsolve.search.listener import Listener
from parsolve.search.result import Result

Paths = list[tuple[int, ...]]


class Numbered(Graph):
    """A graph whose numbers are places in the table of distances."""

    entry = entries = None


class Plain(Graph):
    """A graph without a way back."""

    entry = entries = index = unindex = unkey = size = None


class Keyed(Graph):
    """A graph without numbers."""

    entry = entries = index = unindex = size = None


def cheapest(graph: Graph) -> tuple[float, Paths]:
    """Return the least cost and every cheapest path in depth-first order, by plain Python."""
    edges = graph.edges
    back: list[list[tuple[int, int]]] = [[] for _ in edges]
    for place, each in enumerate(edges):
        for to, cost in each:
            back[to].append((place, cost))
    far = true_distances(back, range(min(2, graph.places)))

    def paths(place: int) -> Iterator[tuple[int, ...]]:
        if place < 2:
            yield ()
            return
        for move, (to, cost) in enumerate(edges[place]):
            if to != place and far[to] + cost == far[place]:
                yield from ((move, *rest) for rest in paths(to))

    root = graph.places - 1
    return far[root], list(paths(root)) if far[root] < len(edges) else []


def by_breadth(graph: Graph, workers: int = 2, want: Want = "all") -> Result:
    result = Result(Problem(graph), want, workers)
    search(result, result.paths.append, Listener(), lambda: None, None)
    return result


@settings(max_examples=100, deadline=None)
@given(
    cls=st.sampled_from([Numbered, Keyed, Plain]),
    kind=st.sampled_from(["graded", "bipartite", "reversible", "any"]),
    places=st.integers(1, 12),
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 3),
    free=st.sampled_from([0.0, 0.3]),
    workers=st.integers(1, 3),
)
def test_every_store_counts_and_lists_all(
    cls: type[Graph], kind: Any, places: int, seed: int, degree: int, free: float, workers: int
) -> None:
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


def kinds(problem: Problem) -> list[type[Store]]:
    with Threads(1) as threads:
        return [type(store) for store in stores(problem, threads, None, lambda: None, lambda: None)]


def test_the_most_compact_store_is_taken() -> None:
    assert kinds(Problem(Numbered(20, kind="reversible"))) == [ByNumber, ByKey, Records]
    assert kinds(Problem(Numbered(20, kind="bipartite"))) == [ByNumber, ByKey, Records]
    assert kinds(Problem(Numbered(20, kind="any"))) == [ByKey, Records]  # no way back along its moves
    assert kinds(Problem(Graph(20, kind="reversible"))) == [ByKey, Records]  # its entries are no numbers
    assert kinds(Problem(Keyed(20, kind="graded"))) == [Graded, ByKey, Records]
    assert kinds(Problem(Plain(20))) == [Records]


class Line(Numbered):
    """Places in a line, each a move from the next one; `degree` says what it costs."""

    children = 1

    @property
    def edges(self) -> Any:
        return [[(max(place - 1, 0), self.degree)] for place in range(self.places)]


@pytest.mark.parametrize(
    ("cost", "places", "store"), [(0, 9, ByNumber), (0, 9, ByKey), (2, 9, ByNumber), (2, 9, ByKey), (1, 300, ByNumber)]
)
def test_a_store_says_that_moves_do_not_suit_it(cost: int, places: int, store: type[ByKey]) -> None:
    graph = Line(places, degree=cost, kind="any")
    with Threads(1) as threads, pytest.raises(Unsuited):
        list(store(Problem(graph), threads, None, lambda: None).search())
    found = by_breadth(graph)
    assert (found.cost, found.paths) == ((places - 2) * cost, [(0,) * (places - 2)])


def test_keys_take_over_where_numbers_do_not_fit() -> None:
    graph = Numbered(60, 4, 3, kind="reversible", declared=10**13)
    assert kinds(Problem(graph)) == [ByKey, Records]
    assert by_breadth(graph).paths == cheapest(graph)[1]


def test_the_eight_puzzle_by_every_store() -> None:
    known = parsolve.solve(Sliding(), workers=1)
    problem = Problem(Sliding())
    with Threads(2) as threads:
        for store in stores(problem, threads, None, lambda: None, lambda: None):
            layers = list(store.search())
            if isinstance(store, Records):  # it goes on: what is solved may be reached at no more cost
                layers = [layer for layer in layers if layer.cost <= 31]
            paths = CheapestPaths(store, layers, 31, problem)
            assert paths.count == 40
            assert list(paths.walk(problem.root)) == known.paths


@pytest.mark.parametrize("size", [61, 62, 63, 64, 65, 200])
def test_counts_of_any_size_by_breadth_first_search(puzzle_file: Callable[..., Path], size: int) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    assert parsolve.solve(cls(size=size), engine="breadth", want="count").count == 2**size
    assert parsolve.solve(cls(size=size), engine="breadth", want="first").paths == [(1,) * size]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [61, 62, 63, 64, 66])
@pytest.mark.processes
def test_counts_of_any_size_by_deepening(puzzle_file: Callable[..., Path], size: int, workers: int) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    assert parsolve.solve(cls(size=size), table=1 << 20, want="count", workers=workers).count == 2**size


WEIGHTS = """
    @staticmethod
    def weight(tables, here):
        return {weight}, 0
"""


@pytest.mark.parametrize("weight", [1, 2**61, 2**62 - 1, 2**62, 2**63 - 1])
@pytest.mark.parametrize("budget", [None, 1, 7])
def test_weights_of_any_sum(puzzle_file: Callable[..., Path], weight: int, budget: int | None) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + WEIGHTS.format(weight=weight))}:Walk")
    assert parsolve.solve(cls(size=5), want="count", workers=1, budget=budget).count == 32 * weight


def test_a_weight_that_is_no_number_of_solutions(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(DOUBLING + WEIGHTS.format(weight="np.uint64(1) << np.uint64(63)"))
    done = run("count", "my_puzzle.py:Walk", code=2)
    assert "by its 'weight' a solved state stands for 2^63 solutions or more; 2^63 - 1 is the most" in done.stderr


def test_a_solution_longer_than_the_stack_of_python(puzzle_file: Callable[..., Path]) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    size = 2 * sys.getrecursionlimit()
    assert parsolve.solve(cls(size=size), engine="breadth", want="first").paths == [(1,) * size]
