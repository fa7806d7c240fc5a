"""`at_most`: a search ends as soon as one solution more is known, with the same answer whatever it runs on."""

import json
from pathlib import Path
from typing import Any

import pytest
from shared import Run
from toys import Lamps

import parsolve
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.outcome import Outcome, paths_of
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Counting, Puzzle, Want
from parsolve.puzzles import Queens, Sliding, Sudoku
from parsolve.search.branch import Branch

pytestmark = pytest.mark.plain


class Halves(Lamps):
    """Lamps of which half the number of solutions is told."""

    def counting(self, want: Want) -> Counting | None:
        return Counting(Lamps(self.lamps), total=lambda weights: weights // 2)


QUEENS = [Queens(6, "bits"), Queens(6, "mirror"), Queens(6, "quadrants"), Queens(7, "backtrack", unique=True)]


@pytest.mark.parametrize(
    ("puzzle", "number"),
    [(Halves(6), 40), (Lamps(6, until=3), 80), *zip(QUEENS, (4, 4, 4, 6), strict=True)],
    ids=repr,
)
def test_totals_are_compared(puzzle: Puzzle, number: int) -> None:
    for at_most in (0, 1, number - 1, number):
        found = parsolve.solve(puzzle, want="count", at_most=at_most, workers=1, budget=1)
        known = ("more", None, at_most + 1) if at_most < number else ("solved", number, number)
        assert (found.status, found.count, found.at_least) == known


@pytest.mark.parametrize("total", [int, lambda weights: weights // 8, lambda weights: (weights + 5) // 3])
@pytest.mark.parametrize("solutions", [1, 2, 7, 1000, 10**18])
def test_the_least_weight_of_a_number(total: Any, solutions: int) -> None:
    problem = Problem(Lamps(), "count", Counting(Lamps(), total))
    weight = problem.weight_of(solutions)
    assert weight is not None
    assert total(weight) >= solutions
    assert weight == 1 or total(weight - 1) < solutions


def test_a_number_that_no_weight_reaches() -> None:
    problem = Problem(Lamps(), "count", Counting(Lamps(), lambda weights: min(weights, 7)))
    assert problem.weight_of(8) is None
    assert problem.weight_of(7) == 7


def test_it_ends_as_soon_as_it_is_known() -> None:
    whole = parsolve.solve(Lamps(7), want="count", workers=1)
    for want in ("all", "count"):
        found = parsolve.solve(Lamps(7), want=want, at_most=1, workers=1)
        assert found.nodes < 50 < whole.nodes // 5


@pytest.mark.parametrize("known", [1, 5])
def test_the_frontier_drops_what_comes_after_the_first_ones(known: int) -> None:
    """Of solutions that workers find in any order, the first `known` tell what is still wanted."""
    branches = [Branch((0,), ((), (move,)), (1, 12)) for move in range(12)]
    frontier = Frontier(branches, first=known)
    tasks = [frontier.take_first(1.0) for _ in range(12)]
    for move in reversed(range(12)):
        task = tasks[move]
        assert task
        if move in (9, 7, 6, 4, 3, 1):
            frontier.finish(task, Outcome(3, 2, paths_of([(move, 1), (move, 2)]), False, 0.1))
    left = [branch.order for branch in frontier.branches]
    # The solutions are (1, 1), (1, 2), (3, 1), (3, 2), (4, 1) ...
    assert left == {1: [(0,)], 5: [(0,), (2,)]}[known]


EIGHT = Sliding(start="8 6 7 2 5 4 3 0 1")
"""40 solutions."""

GRID = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
AMBIGUOUS = GRID.replace("9", ".")


def test_sudokus(compiled: None) -> None:
    assert parsolve.solve(Sudoku(GRID), want="count", at_most=1).is_unique
    found = parsolve.solve(Sudoku(AMBIGUOUS), at_most=1)
    assert (found.status, found.is_unique, len(found.paths)) == ("more", False, 2)
    assert found.paths == parsolve.solve(Sudoku(AMBIGUOUS)).paths[:2]
    empty = parsolve.solve(Sudoku("." * 81), want="count", at_most=1000, workers=1)
    assert (empty.status, empty.at_least) == ("more", 1001)
    assert empty.nodes < 100_000


@pytest.mark.parametrize(
    ("words", "answer", "code"),
    [
        (("sudoku", "--grid", GRID), "yes", 0),
        (("sudoku", "--grid", AMBIGUOUS), "no", 1),
        (("eight", "--engine", "both"), "no", 1),
        (("queens", "--n", "1"), "yes", 0),
        (("queens", "--n", "3"), "none", 1),
    ],
)
def test_unique(run: Run, words: tuple[str, ...], answer: str, code: int, compiled: None) -> None:
    assert run("unique", *words, code=code).stdout == f"{answer}\n"
    found = json.loads(run("unique", *words, "--json", code=code).stdout)
    assert found["unique"] is (answer == "yes")
    assert found["status"] == {"yes": "solved", "no": "more", "none": "none"}[answer]


def test_unique_rows(run: Run, tmp_path: Path, compiled: None) -> None:
    (tmp_path / "grids.txt").write_text(f"{GRID}\n{AMBIGUOUS}\n{SOLVED}\n{GRID[1:]}\n")
    rows = [line.split("\t") for line in run("unique", "sudoku", "--file", "grids.txt", code=2).stdout.splitlines()]
    assert [row[2] for row in rows] == ["unique", "yes", "no", "yes", "-"]
    done = run("unique", "sudoku", "--file", "grids.txt", "--json", code=2)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["unique"] for each in found] == [True, False, True, None]
    assert [each["count"] for each in found] == [1, None, 1, None]
    assert found[1]["at_least"] == 2
    rows = [
        line.split("\t")
        for line in run("count", "sudoku", "--file", "grids.txt", "--at-most", "1", code=2).stdout.splitlines()
    ]
    assert [row[2] for row in rows] == ["solutions", "1", "more than 1", "1", "-"]


def test_jobs_that_are_done(run: Run, tmp_path: Path, compiled: None) -> None:
    """A job with more solutions is done, and every command about the journal says so."""
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "eight"\nat_most = 1\n')
    for done in (0, 1):
        told = run("run", "jobs.toml", "--journal", "it.sqlite").stderr
        assert ("more than 1 solution of cost 31" in told) is (done == 0)
    assert "more" in run("status", "it.sqlite").stdout.splitlines()[1].split()
    assert "2+" in run("status", "it.sqlite").stdout
    shown = json.loads(run("show", "it.sqlite", "--solutions", "--json").stdout)
    assert (shown["status"], shown["at_most"], shown["count"], shown["found_so_far"]) == ("more", 1, None, 2)
    assert len(shown["solutions"]) == 2
    (job,) = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert (job["status"], job["at_most"]) == ("more", 1)
    run("report", "it.sqlite", "-o", "it.html")
    page = (tmp_path / "it.html").read_text()
    assert "more than 1 solution<" in page
    assert "at least 2" in page
    assert "at least 2 solutions" in parsolve.solve(EIGHT, at_most=1)._repr_html_()  # type: ignore[operator]
