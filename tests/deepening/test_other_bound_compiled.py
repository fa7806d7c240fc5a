"""A search that was stopped goes on with another lower bound: nothing is lost and nothing counts twice."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from cases import some
from conftest import Run
from samples import TOWERS
from searching import search as solve
from stopping import Kept, stopped

import parsolve
from parsolve.problem.registry import load_class
from parsolve.puzzle import Better, Counting
from parsolve.puzzles import Sliding
from parsolve.search.watch import Listener


@pytest.fixture
def towers(puzzle_file: Callable[..., Path]) -> Any:
    return load_class(f"{puzzle_file(TOWERS, 'towers.py')}:Towers")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("nodes", "then"), [(300, 4), (20_000, 3), (45_000, 1)])
def test_in_the_middle_of_the_last_limit(towers: Any, nodes: int, then: int, workers: int) -> None:
    every = parsolve.solve(towers(4, 4), workers=1).paths
    store = stopped(towers(4, 2), 9, nodes, budget=50)
    after = Kept(store.checkpoint)
    found = solve(towers(4, then), workers=workers, budget=3000, store=after)
    assert (found.cost, found.count) == (9, 22)
    assert sorted(store.every + after.every) == every


OTHERS = ("none", "conflict", "invert", "walking", "conflict+walking", "patterns", "auto")


@pytest.mark.parametrize(("first", "then"), some(itertools.product(("manhattan", "patterns"), OTHERS), 14))
def test_the_bounds_of_sliding(first: Any, then: Any) -> None:
    """Each is a class of its own, with the same moves."""
    store = stopped(Sliding(bound=first), 31, 20, budget=50)
    after = Kept(store.checkpoint)
    found = solve(Sliding(bound=then), workers=1, store=after)
    assert (found.cost, found.count) == (31, 40)
    assert sorted(store.every + after.every) == parsolve.solve(Sliding(bound="manhattan"), workers=1).paths


@pytest.mark.nightly
def test_a_journal_of_sliding_goes_on_with_another_bound(run_here: Run) -> None:
    words = ("solve", "eight", "--workers", "1", "--quiet", "--journal", "j.sqlite", "--bound")
    done = run_here(*words, "manhattan").stdout
    for then in OTHERS:
        assert run_here(*words, then).stdout == done
    assert "start" in run_here(*words, "none", "--start", "1 2 3 4 0 5 7 8 6", code=2).stderr


def grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have searches by Manhattan distance take pattern databases after an iteration of 100 nodes."""
    monkeypatch.setattr(
        Sliding, "counting", lambda self, want: Counting(self, better=[Better(self.with_patterns, 100, 100)])
    )


FIFTEEN = "5 7 0 1 6 2 11 3 10 9 12 4 14 13 8 15"

ELEVEN = "7 2 3 4 0 11 10 5 1 9 6 8", "3x4", "blank-last"


@pytest.mark.nightly
def test_a_better_bound_is_taken_once_iterations_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = parsolve.solve(Sliding(*ELEVEN, "manhattan"), workers=1)
    grow(monkeypatch)
    found = parsolve.solve(Sliding(*ELEVEN), workers=1)
    assert (found.cost, found.count, found.paths) == (plain.cost, plain.count, plain.paths)
    assert [each.text for each in found.solutions] == [each.text for each in plain.solutions]
    nodes = [(now.nodes, then.nodes) for now, then in zip(found.iterations, plain.iterations, strict=True)]
    grown = next(number for number, (_, then) in enumerate(nodes) if then >= 100)
    assert all(now == then for now, then in nodes[: grown + 1])
    assert all(now < then for now, then in nodes[grown + 1 :])
    assert type(found.problem.puzzle).__name__ == "AdditivePatterns"


@pytest.mark.nightly
@pytest.mark.parametrize("nodes", [1, 5000])
def test_a_search_goes_on_with_the_bound_that_it_had_grown_to(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = parsolve.solve(Sliding(*ELEVEN, "manhattan"), workers=1)
    assert plain.cost is not None
    store = stopped(Sliding(*ELEVEN, "manhattan"), plain.cost, nodes, budget=50)
    after = Kept(store.checkpoint)
    grow(monkeypatch)
    found = solve(Sliding(*ELEVEN), workers=1, store=after)
    assert (found.cost, found.count, sorted(store.every + after.every)) == (plain.cost, plain.count, plain.paths)
    assert type(found.problem.puzzle).__name__ == "AdditivePatterns"


def test_tables_that_do_not_fit_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    class Warned(Listener):
        def warning_given(self, text: str) -> None:
            warnings.append(text)

    warnings: list[str] = []
    grow(monkeypatch)
    found = solve(
        Sliding(FIFTEEN, patterns="8-7"),
        workers=1,
        listener=Warned(),
        max_memory=psutil.Process().memory_info().rss + (20 << 20),
    )
    assert (found.cost, found.count) == (34, 5)
    assert len(warnings) == 1
    assert "continuing without a better bound" in warnings[0]


@pytest.mark.nightly
@pytest.mark.processes
def test_the_default_bound_of_a_hard_puzzle(run_here: Run) -> None:
    """It is Manhattan distance at first; workers go on with pattern databases as this process does."""
    words = ("count", "sliding", "--goal", "blank-first", "--start", "13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6")
    done = run_here(*words, "--workers", "2", "--json").stdout
    assert json.loads(done)["count"] == 17
    assert 3_000_000 < json.loads(done)["nodes"] < 20_000_000
