"""`slack`: solutions up to the least cost and some more, whatever the search runs on and wherever it was stopped."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from at_once import solve_at_once
from journals import EVERY_OUTCOME, run_through
from toys import PRICES, Coins, Ring

import parsolve
from parsolve.batch.run import get_or_create_job, replay_stored
from parsolve.errors import BadInput, BadPuzzle
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle, Want
from parsolve.search.request import Request
from parsolve.search.watch import Watch

pytestmark = pytest.mark.plain

SLACK = 2

PUZZLES: dict[str, Any] = {"coins": Coins(), "coins without a bound": Coins(9, "none"), "ring": Ring()}


def steps(puzzle: Any, at: int) -> list[tuple[int, int, int]]:
    """What may follow: the move, where it leads and what it costs."""
    if isinstance(puzzle, Coins):
        return [(coin, at - coin, price) for coin, price in enumerate(PRICES, 1) if coin <= at]
    return [(move, near, 1) for move, near in enumerate(puzzle.neighbours(at))]


def answer(puzzle: Any) -> dict[int, list[tuple[int, ...]]]:
    """All solutions by their cost."""
    most = puzzle.answer()[0] + SLACK
    found: dict[int, list[tuple[int, ...]]] = {}

    def go(at: int, cost: int, path: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        if at == 0:
            yield cost, path
            return
        for move, near, price in steps(puzzle, at):
            if cost + price <= most:
                yield from go(near, cost + price, (*path, move))

    for cost, path in go(puzzle.amount if isinstance(puzzle, Coins) else puzzle.start, 0, ()):
        found.setdefault(cost, []).append(path)
    return dict(sorted(found.items()))


def check(found: parsolve.Result, puzzle: Puzzle, want: Want = "all") -> None:
    expected = answer(puzzle)
    listed = [path for paths in expected.values() for path in paths]
    assert found.by_cost == {cost: len(paths) for cost, paths in expected.items()}
    assert (found.status, found.cost, found.count) == ("solved", min(expected), len(listed))
    assert found.paths == (listed if want == "all" else [])


@pytest.mark.parametrize("want", ["all", "count"])
@pytest.mark.parametrize("name", PUZZLES)
def test_all_and_their_number(name: str, want: Want) -> None:
    puzzle = PUZZLES[name]
    check(parsolve.solve(puzzle, want=want, slack=SLACK, workers=1), puzzle, want)


@pytest.mark.parametrize("buffer", [1, None])
@pytest.mark.parametrize("budget", [1, 7, 300])
@pytest.mark.parametrize("name", PUZZLES)
def test_slices(name: str, budget: int, buffer: int | None) -> None:
    puzzle = PUZZLES[name]
    check(parsolve.solve(puzzle, slack=SLACK, budget=budget, buffer=buffer, workers=1), puzzle)


@pytest.mark.parametrize("name", PUZZLES)
def test_on_threads(name: str) -> None:
    puzzle = PUZZLES[name]
    with ThreadPoolExecutor(3) as executor:
        check(solve_at_once(puzzle, workers=3, executor=executor, budget=11, slack=SLACK), puzzle)


def test_a_better_bound_midway() -> None:
    puzzle = Coins(9, "none", after=20)
    check(parsolve.solve(puzzle, slack=SLACK, workers=1), puzzle)


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("want", ["all", "count"])
@pytest.mark.parametrize("pulls", [[3, 2], [9]])
def test_resumed(tmp_path: Path, want: Want, pulls: list[int], hard: bool) -> None:
    puzzle = PUZZLES["coins without a bound"]
    path = tmp_path / "it.sqlite"
    request = Request(want=want, slack=SLACK, workers=1, budget=100)
    found, given = run_through(path, puzzle, request, pulls, hard, EVERY_OUTCOME)
    found.paths = given
    check(found, puzzle, want)
    with Journal(path) as journal:
        (job,) = journal.jobs()
        journal.verify(job)
        assert (job.slack, job.count, job.cost) == (SLACK, found.count, found.cost)
        check(replay_stored(journal, job, Problem(puzzle, want), Watch()), puzzle, want)
        with pytest.raises(BadInput, match=f"the job it has slack {SLACK}, not 0: name another journal"):
            get_or_create_job(journal, "it", "it", Problem(puzzle, want), {})


@pytest.mark.parametrize("pulls", [[], [2, 3], [8]])
def test_no_more_than_some_of_all_costs(tmp_path: Path, pulls: list[int]) -> None:
    puzzle = PUZZLES["coins without a bound"]
    listed = [path for paths in answer(puzzle).values() for path in paths]
    for at_most in (1, len(answer(puzzle)[6]), len(listed) - 1, len(listed)):
        request = Request(slack=SLACK, at_most=at_most, workers=1, budget=100)
        path = tmp_path / f"{at_most}.sqlite"
        found, given = run_through(path, puzzle, request, pulls, True, EVERY_OUTCOME)
        assert given == listed[: at_most + 1]
        assert (found.status, found.at_least) == (
            ("solved", len(listed)) if at_most == len(listed) else ("more", at_most + 1)
        )


class Skipping(Coins):
    """Limits that skip the cost 7."""

    def limits(self) -> Iterator[int]:
        return iter((6, 8, 9))


def test_limits_that_skip_a_cost_are_noticed() -> None:
    assert parsolve.solve(Skipping(), slack=0, workers=1).by_cost == {6: 9}
    with pytest.raises(BadPuzzle, match="a solution costs less than the limit 8"):
        parsolve.solve(Skipping(), slack=2, workers=1)
