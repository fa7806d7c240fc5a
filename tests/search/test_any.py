"""`want="any"`: a solution up to a limit, cheapest or not, which is never said to be the cheapest."""

import json
from pathlib import Path

import pytest
from cases import nightly
from journals import EVERY_OUTCOME, job_of
from shared import Run
from toys import Coins

import parsolve
from parsolve.batch.journaled import search
from parsolve.errors import BadInput
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Sliding
from parsolve.search.request import Request

START, CHEAPEST = "8 6 7 2 5 4 3 0 1", 31

EIGHT = Sliding(start=START)


def refuse(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def search_in(journal: Journal, puzzle: Sliding, limit: int) -> parsolve.Result:
    problem = Problem(puzzle, "any")
    request = Request(want="any", workers=1, limit=limit, tuning=EVERY_OUTCOME)
    return search(JobStore(journal, job_of(journal, problem), tuning=EVERY_OUTCOME), problem, request)


def test_less_is_searched_than_for_the_cheapest() -> None:
    """The first solution there is found after the same nodes, and those of no limit before it."""
    found = parsolve.solve(EIGHT, want="any", limit=CHEAPEST, workers=1)
    first = parsolve.solve(EIGHT, want="first", workers=1)
    assert (found.paths, found.cost) == (first.paths, CHEAPEST)
    assert found.nodes == first.iterations[-1].nodes < first.nodes
    assert not found.is_cheapest


@pytest.mark.plain
@pytest.mark.parametrize("limit", [10, 300])
def test_a_limit_is_no_cost(limit: int) -> None:
    """Neither of the solution that is found, nor one that must fit the field of costs."""
    found = parsolve.solve(Coins(), want="any", limit=limit, workers=1)
    assert found.cost is not None
    assert found.by_cost == {found.cost: 1}


def test_a_journal_goes_on_with_another_limit(run: Run) -> None:
    words = ("solve", "eight", "--want", "any", "--journal", "it.sqlite", "--limit")
    assert "no solution costs 25 or less" in run(*words, "25", code=3).stderr
    assert "no solution costs 20 or less" in run(*words, "20", code=3).stderr
    assert "which may not be the cheapest" in run(*words, "36").stderr


def test_a_known_solution_is_not_given_for_a_lower_limit(tmp_path: Path) -> None:
    """A search that was killed between its solution and its end."""
    puzzle = Sliding(start=START, bound="manhattan")
    with Journal(tmp_path / "it.sqlite") as journal:
        keep = journal.finish
        journal.finish = refuse  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            search_in(journal, puzzle, 36)
        journal.finish = keep  # type: ignore[method-assign]
        with pytest.raises(BadInput, match="up to the limit 35 is known: give that limit, or another journal"):
            search_in(journal, puzzle, 33)
        assert search_in(journal, puzzle, 36).status == "solved"


@pytest.mark.parametrize(
    "words", ["jugs --limit 12", *map(nightly, ("crossing --limit 30", "peg --bound feasible --limit 12"))]
)
def test_puzzles_that_breadth_first_search_solves_by_default(run: Run, words: str) -> None:
    found = json.loads(run("solve", *words.split(), "--want", "any", "--json").stdout)
    assert (found["engine"], found["status"], len(found["solutions"])) == ("deepening", "solved", 1)


# `limit`: a search up to a cost says so, and one that was kept goes on from there.


@pytest.mark.parametrize(("limit", "status"), [(0, "stopped"), (29, "stopped"), (30, "stopped"), (31, "solved")])
def test_the_greatest_cost(limit: int, status: str) -> None:
    found = parsolve.solve(EIGHT, want="count", workers=1, limit=limit)
    assert (found.status, found.count) == (status, 40 if status == "solved" else None)
    assert all(iteration.limit <= limit for iteration in found.iterations)
    if status == "stopped":
        assert found.message == f"no solution costs {limit} or less: the limit that was asked for"


def test_a_journal_goes_on_beyond_it(run: Run) -> None:
    told = run("count", "eight", "--limit", "25", "--journal", "it.sqlite", code=3).stderr
    assert "limits up to 25 finished; the same command resumes it" in told
    assert "no solution costs 25 or less" in told
    told = run("count", "eight", "--limit", "29", "--journal", "it.sqlite", code=3).stderr
    assert "resuming" in told
    assert "limit 23" not in told
    assert run("count", "eight", "--journal", "it.sqlite").stdout == "40\n"
