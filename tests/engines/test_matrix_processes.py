"""The same answer, whatever the workers, how they are started, the budget and the buffer."""

from concurrent.futures import Executor, Future
from typing import Any

import pytest
from at_once import solve_at_once, start_workers
from conftest import ORACLE
from pairs import pairs
from samples import texts

import parsolve
from parsolve.puzzles import Peg, Sliding
from parsolve.search.progress import Progress

pytestmark = pytest.mark.processes

HOPPERS = (ORACLE / "hoppers_18.txt").read_text().splitlines()
PUZZLES = {"hoppers": Peg(first="0-6"), "eight": Sliding(), "any-first": Peg(bound="none")}


@pytest.fixture(scope="module")
def answers() -> dict[str, parsolve.Result]:
    """One worker, one slice an iteration."""
    return {
        name: parsolve.solve(puzzle, workers=1, budget=1 << 40, transposition=0) for name, puzzle in PUZZLES.items()
    }


def same(found: parsolve.Result, answer: parsolve.Result) -> None:
    assert texts(found) == texts(answer)
    assert (found.status, found.cost, found.count) == (answer.status, answer.cost, answer.count)
    assert found.nodes == answer.nodes
    assert [each.nodes for each in found.iterations] == [each.nodes for each in answer.iterations]


def test_the_reference_is_right(answers: dict[str, parsolve.Result]) -> None:
    assert texts(answers["hoppers"]) == HOPPERS
    assert answers["eight"].count == 40
    assert answers["any-first"].count == 72


SLICES: list[tuple[int | None, int | None]] = [(50, 1), (1000, 3), (None, None)]
"""Budget and buffer of a slice."""

SEARCHES = pairs(list(PUZZLES), SLICES, [2, 3], ["forkserver", "spawn"])


@pytest.mark.mission
@pytest.mark.parametrize(
    ("workers", "start_method"), list(dict.fromkeys(search[2:] for search in SEARCHES)), indirect=["start_method"]
)
def test_workers(answers: dict[str, parsolve.Result], workers: int, start_method: str) -> None:
    """Of puzzles, slices, numbers of workers and start methods each two together."""
    start_workers(workers)
    for name, (budget, buffer), *how in SEARCHES:
        if how == [workers, start_method]:
            found = solve_at_once(PUZZLES[name], budget=budget, buffer=buffer, workers=workers, transposition=0)
            same(found, answers[name])


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("budget", [40, None])
def test_first_is_the_first_in_depth_first_order(
    answers: dict[str, parsolve.Result], workers: int, budget: int | None
) -> None:
    for name, puzzle in PUZZLES.items():
        found = solve_at_once(puzzle, want="first", workers=workers, budget=budget)
        assert found.paths == answers[name].paths[:1]
        assert (found.cost, found.count, found.status) == (answers[name].cost, None, "solved")


class AtOnce(Executor):
    """Every task is done when it has been submitted, so that many outcomes come at the same moment."""

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **more))
        return future


def test_the_first_drops_outcomes_that_come_at_the_same_moment(answers: dict[str, parsolve.Result]) -> None:
    for name, budget in (("hoppers", 3), ("eight", 40), ("any-first", 40)):
        found = solve_at_once(PUZZLES[name], want="first", workers=4, executor=AtOnce(), budget=budget)
        assert found.paths == answers[name].paths[:1]


def test_solutions_stream_out_before_the_end() -> None:
    seen: list[int] = []

    class Nodes(parsolve.Listener):
        nodes = 0

        def progress_made(self, progress: Progress) -> None:
            self.nodes = progress.nodes

    report = Nodes()
    result = parsolve.solve(
        Sliding(),
        workers=1,
        budget=100,
        on_solution=lambda _: seen.append(report.nodes),
        listener=report,
    )
    assert len(seen) == 40
    assert result.paths == []
    assert seen[0] < result.iterations[-1].nodes / 2
