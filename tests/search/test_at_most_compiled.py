"""`--at-most` and `parsolve unique`: known numbers of solutions, at every door."""

import json
from pathlib import Path

import pytest
from cases import nightly
from shared import Run

import parsolve
from parsolve.puzzles import Queens, Sliding, Sudoku

EIGHT = Sliding(start="8 6 7 2 5 4 3 0 1")
"""40 solutions."""

GRID = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
AMBIGUOUS = GRID.replace("9", ".")


@pytest.mark.parametrize(
    ("method", "unique"),
    [
        ("bits", False),
        ("mirror", False),
        ("backtrack", True),
        nightly(("quadrants", False)),  # which takes 11 s to compile, and is compiled there anyway
        nightly(("quadrants", True)),
    ],
)
def test_queens_by_totals(method: str, unique: bool) -> None:
    number = 341 if unique else 2680
    for at_most in (0, 1, number - 1, number):
        found = parsolve.solve(Queens(11, method, unique), want="count", at_most=at_most, workers=1)
        known = ("more", None, at_most + 1) if at_most < number else ("solved", number, number)
        assert (found.status, found.count, found.at_least) == known


def test_sudokus() -> None:
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
        (("eight",), "no", 1),
        (("eight", "--engine", "both"), "no", 1),
        (("queens", "--n", "1"), "yes", 0),
        (("queens", "--n", "3"), "none", 1),
    ],
)
def test_unique(run: Run, words: tuple[str, ...], answer: str, code: int) -> None:
    assert run("unique", *words, code=code).stdout == f"{answer}\n"
    found = json.loads(run("unique", *words, "--json", code=code).stdout)
    assert found["unique"] is (answer == "yes")
    assert found["status"] == {"yes": "solved", "no": "more", "none": "none"}[answer]


def test_unique_rows(run: Run, tmp_path: Path) -> None:
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


def test_jobs_that_are_done(run: Run, tmp_path: Path) -> None:
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
