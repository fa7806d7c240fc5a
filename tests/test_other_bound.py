"""A search that was stopped goes on with another lower bound: nothing is lost and nothing counts twice."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import Run
from samples import TOWERS, edited

import parsolve
from parsolve.engines import solve
from parsolve.errors import BadPuzzle, NotReproducible
from parsolve.problem import Problem
from parsolve.puzzle import Counting
from parsolve.puzzles import Sliding
from parsolve.registry import load_class
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.search.searcher import Searcher


@pytest.fixture
def towers(puzzle_file: Callable[..., Path]) -> Any:
    return load_class(f"{puzzle_file(TOWERS, 'towers.py')}:Towers")


class Enough(Exception):
    """Raised by a stop condition."""


class Kept(CheckpointStore):
    """Keeps the last checkpoint and every solution, as a journal does."""

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.every: list[tuple[int, ...]] = []

    def resume(self) -> Checkpoint | None:
        return self.checkpoint

    def save(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def add(self, paths: list[tuple[int, ...]]) -> None:
        self.every += paths
        super().add(paths)


class Stop(Listener):
    """Ends a search within a limit after so many nodes of it."""

    def __init__(self, limit: int, nodes: int) -> None:
        self._limit, self._nodes = limit, nodes
        self._reached = False

    def progress_made(self, progress: Progress) -> None:
        self._reached = progress.limit == self._limit and progress.nodes >= self._nodes

    def check(self) -> None:
        """Look.

        Raises:
            Enough: it is time.
        """
        if self._reached:
            raise Enough


def stopped(puzzle: Any, limit: int, nodes: int, checkpoint: Checkpoint | None = None) -> Kept:
    """Search until so many nodes within a limit."""
    store, stop = Kept(checkpoint), Stop(limit, nodes)
    with pytest.raises(Enough):
        solve(puzzle, workers=1, budget=50, store=store, listener=stop, check=stop.check)
    assert store.checkpoint is not None
    assert store.checkpoint.limit == limit
    return store


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("nodes", [1, 300, 5000, 20_000, 45_000])
@pytest.mark.parametrize("then", [1, 3, 4])
def test_in_the_middle_of_the_last_limit(towers: Any, nodes: int, then: int, workers: int) -> None:
    every = parsolve.solve(towers(4, 4), workers=1).paths
    store = stopped(towers(4, 2), 9, nodes)
    after = Kept(store.checkpoint)
    found = solve(towers(4, then), workers=workers, budget=3000, store=after)
    assert (found.cost, found.count) == (9, 22)
    assert sorted(store.every + after.every) == every


def test_again_and_again(towers: Any) -> None:
    """Branches of one bound are searched with a second and left to a third."""
    every = parsolve.solve(towers(4, 4), workers=1).paths
    first = stopped(towers(4, 2), 9, 3000)
    second = stopped(towers(4, 3), 9, 4000, first.checkpoint)
    third = stopped(towers(4, 1), 9, 20_000, second.checkpoint)
    last = Kept(third.checkpoint)
    assert solve(towers(4, 4), workers=1, store=last).count == 22
    assert sorted(first.every + second.every + third.every + last.every) == every


@pytest.mark.parametrize("limit", [4, 6, 8])
def test_a_limit_that_the_other_bound_rules_out_is_left(towers: Any, limit: int) -> None:
    """Its branches are none of the next limit."""
    store = stopped(towers(4, 1), limit, 1)
    for then in (2, 3, 4):
        found = solve(towers(4, then), workers=1, store=Kept(store.checkpoint))
        assert (found.cost, found.count) == (9, 22)


def test_a_bound_that_hides_what_is_known_is_refused(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store = stopped(towers(4, 2), 9, 45_000)
    assert store.every
    monkeypatch.setattr(towers, "limits", lambda self: range(10, 20))
    with pytest.raises(BadPuzzle, match="solutions of cost 9 are known"):
        solve(towers(4, 3), workers=1, store=Kept(store.checkpoint))


def test_what_was_never_there_is_still_found_out(towers: Any, puzzle_file: Callable[..., Path]) -> None:
    searcher = Searcher(Problem(towers(4, 3)))
    for wrong in (Branch((0, 99), ((), (), (1,)), (1, 2, 2)), Branch((0,), ((), (77,)), (1, 3))):
        with pytest.raises(NotReproducible, match="is not there at limit 9"):
            searcher.run(wrong, 9, 100, False, None)
    # And where no bound may change, nothing is taken to be cut off.
    strict: Any = load_class(f"{puzzle_file(edited(', only_bounds=True', '', source=TOWERS), 'strict.py')}:Towers")
    cut = Branch((0, 1), ((), (), (1,)), (1, 3, 5))
    assert searcher.run(cut, 5, 100, False, None).rest == ()
    with pytest.raises(NotReproducible):
        Searcher(Problem(strict(4, 3))).run(cut, 5, 100, False, None)


def test_a_journal_goes_on_with_another_bound(run_here: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    words = ("solve", "towers.py:Towers", "--disks", "5", "--workers", "1", "--quiet", "--journal", "j.sqlite")
    begun = run_here(*words, "--known", "2", "--timeout", "0.3s", code=3)
    done = run_here(*words, "--known", "5")
    lines = done.stdout.splitlines()
    assert len(lines) == len({*lines}) == 40
    assert {*begun.stdout.splitlines()} <= {*lines}
    assert '"known": 5' in run_here("show", "j.sqlite", "--json").stdout
    assert run_here(*words, "--known", "1").stdout == done.stdout  # it is done
    refused = run_here(*words[:3], "4", *words[4:], code=2).stderr
    assert "disks 5, not 4" in refused
    assert "known" not in refused


OTHERS = ("none", "conflict", "invert", "walking", "conflict+walking", "patterns", "auto")


@pytest.mark.parametrize("then", OTHERS)
@pytest.mark.parametrize("first", ["manhattan", "patterns"])
def test_the_bounds_of_sliding(first: Any, then: Any) -> None:
    """Each is a class of its own, with the same moves."""
    store = stopped(Sliding(bound=first), 31, 20)
    after = Kept(store.checkpoint)
    found = solve(Sliding(bound=then), workers=1, store=after)
    assert (found.cost, found.count) == (31, 40)
    assert sorted(store.every + after.every) == parsolve.solve(Sliding(bound="manhattan"), workers=1).paths


def test_a_journal_of_sliding_goes_on_with_another_bound(run_here: Run) -> None:
    words = ("solve", "eight", "--workers", "1", "--quiet", "--journal", "j.sqlite", "--bound")
    done = run_here(*words, "manhattan").stdout
    for then in OTHERS:
        assert run_here(*words, then).stdout == done
    assert "start" in run_here(*words, "none", "--start", "1 2 3 4 0 5 7 8 6", code=2).stderr


@dataclass(frozen=True)
class Growing(Sliding):
    """Takes pattern databases after an iteration of 100 nodes."""

    def counting(self, want: Any) -> Counting:
        return Counting(self, then=self.with_patterns, after=100)


FIFTEEN = "5 7 0 1 6 2 11 3 10 9 12 4 14 13 8 15"

ELEVEN = "7 2 3 4 0 11 10 5 1 9 6 8", "3x4", "blank-last"


def test_a_better_bound_is_taken_once_iterations_grow() -> None:
    plain = parsolve.solve(Sliding(*ELEVEN, "manhattan"), workers=1)
    found = parsolve.solve(Growing(*ELEVEN), workers=1)
    assert (found.cost, found.count, found.paths) == (plain.cost, plain.count, plain.paths)
    assert [each.text for each in found.solutions] == [each.text for each in plain.solutions]
    nodes = [(now.nodes, then.nodes) for now, then in zip(found.iterations, plain.iterations, strict=True)]
    grown = next(number for number, (_, then) in enumerate(nodes) if then >= 100)
    assert all(now == then for now, then in nodes[: grown + 1])
    assert all(now < then for now, then in nodes[grown + 1 :])
    assert type(found.problem.puzzle).__name__ == "AdditivePatterns"


@pytest.mark.parametrize("nodes", [1, 5000])
def test_a_search_goes_on_with_the_bound_that_it_had_grown_to(nodes: int) -> None:
    plain = parsolve.solve(Sliding(*ELEVEN, "manhattan"), workers=1)
    assert plain.cost is not None
    store = stopped(Sliding(*ELEVEN, "manhattan"), plain.cost, nodes)
    after = Kept(store.checkpoint)
    found = solve(Growing(*ELEVEN), workers=1, store=after)
    assert (found.cost, found.count, sorted(store.every + after.every)) == (plain.cost, plain.count, plain.paths)
    assert type(found.problem.puzzle).__name__ == "AdditivePatterns"


def test_tables_that_do_not_fit_are_done_without() -> None:
    class Warned(Listener):
        def warning_given(self, text: str) -> None:
            warnings.append(text)

    warnings: list[str] = []
    found = solve(
        Growing(FIFTEEN, patterns="8-7"),
        workers=1,
        listener=Warned(),
        max_memory=psutil.Process().memory_info().rss + (20 << 20),
    )
    assert (found.cost, found.count) == (34, 5)
    assert len(warnings) == 1
    assert "going on without a better bound" in warnings[0]


@pytest.mark.processes
def test_the_default_bound_of_a_hard_puzzle(run_here: Run) -> None:
    """It is Manhattan distance at first; workers go on with pattern databases as this process does."""
    words = ("count", "sliding", "--goal", "blank-first", "--start", "13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6")
    done = run_here(*words, "--workers", "2", "--json").stdout
    assert json.loads(done)["count"] == 17
    assert 3_000_000 < json.loads(done)["nodes"] < 20_000_000


def test_a_better_bound_must_be_one() -> None:
    @dataclass(frozen=True)
    class Wrong(Sliding):
        def counting(self, want: Any) -> Counting:
            return Counting(self, then=lambda: Flat(), after=0)

    class Flat(Sliding):
        bounds_only = False

    with pytest.raises(BadPuzzle, match="must return a puzzle that says 'bounds_only'"):
        parsolve.solve(Wrong(), workers=1)
