"""A search that was stopped goes on with another lower bound: nothing is lost and nothing counts twice."""

import itertools
import json
from typing import Any

import psutil
import pytest
from cases import some
from conftest import Run
from searching import search as solve
from stopping import Kept, stopped

import parsolve
from parsolve.puzzle import Better, Counting
from parsolve.puzzles import Sliding
from parsolve.search.watch import Listener

OTHERS = ("none", "conflict", "invert", "walking", "conflict+walking", "patterns", "auto")


@pytest.mark.parametrize(("first", "then"), some(itertools.product(("manhattan", "patterns"), OTHERS), 14))
def test_the_bounds_of_sliding(first: Any, then: Any) -> None:
    """Each is a class of its own, with the same moves."""
    store = stopped(Sliding(bound=first), 31, 20, budget=50)
    after = Kept(store.checkpoint)
    found = solve(Sliding(bound=then), workers=1, store=after)
    assert (found.cost, found.count) == (31, 40)
    assert sorted(store.every + after.every) == parsolve.solve(Sliding(bound="manhattan"), workers=1).paths


def grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have searches by Manhattan distance take pattern databases after an iteration of 100 nodes."""
    monkeypatch.setattr(
        Sliding, "counting", lambda self, want: Counting(self, better=[Better(self.with_patterns, 100, 100)])
    )


FIFTEEN = "5 7 0 1 6 2 11 3 10 9 12 4 14 13 8 15"


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
