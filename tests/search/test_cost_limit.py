"""`limit`: a search up to a cost says so, and one that was kept goes on from there."""

from pathlib import Path

import pytest
from conftest import Run

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Queens, Sliding

EIGHT = Sliding(start="8 6 7 2 5 4 3 0 1")


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


def test_in_a_job_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "eight"\nwant = "count"\nlimit = 25\n')
    assert "eight: no solution costs 25 or less" in run("run", "jobs.toml", "--journal", "it.sqlite", code=3).stderr
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "eight"\nlimit = "far"\n')
    told = run("run", "jobs.toml", "--journal", "other.sqlite", code=2).stderr
    assert "limit is a whole number of at least 0, not 'far'" in told


def test_what_has_no_such_limit(run: Run) -> None:
    for limit in (-1, True, "3", 2.0):
        with pytest.raises(BadInput, match="limit is a whole number of at least 0"):
            parsolve.solve(EIGHT, limit=limit)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="has no costs that could be limited"):
        parsolve.solve(Queens(n=6), limit=3)
    with pytest.raises(BadInput, match="a limit is not for the engine breadth: take the engine deepening"):
        parsolve.solve(EIGHT, engine="breadth", limit=31)
