"""Samples of a search: taken as it runs, kept in its journal, drawn in its report."""

import itertools
from pathlib import Path

from conftest import Run

import parsolve
from parsolve.journal.journal import Journal
from parsolve.puzzles import Sliding

HARD = Sliding(start="15 2 12 11 14 13 9 5 1 3 8 7 0 10 6 4", goal="blank-first", bound="manhattan")


def test_a_search_takes_them() -> None:
    found = parsolve.solve(HARD, want="count", workers=1, timeout=1.0)
    assert 2 <= len(found.samples) <= 4
    for before, after in itertools.pairwise(found.samples):
        assert before.seconds < after.seconds
        assert before.nodes <= after.nodes
        assert (before.limit, before.share) <= (after.limit, after.share)
    assert all(sample.busy == 1 and 0 <= sample.share <= 1 for sample in found.samples)
    assert found.samples[-1].nodes <= found.nodes


def test_a_journal_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    words = {"want": "count", "workers": 1, "journal": path}
    first = parsolve.solve(HARD, timeout=1.0, **words)  # type: ignore[arg-type]
    with Journal(path, reading=True) as journal:
        (job,) = journal.jobs()
        assert [*job.samples] == first.samples != []
    second = parsolve.solve(HARD, timeout=1.0, **words)  # type: ignore[arg-type]
    assert second.samples[: len(first.samples)] == first.samples
    assert len(second.samples) > len(first.samples)


def test_in_the_report_of_a_search(run: Run, tmp_path: Path) -> None:
    run("count", "sliding", "--start", HARD.start, "--goal", "blank-first", "--bound", "manhattan", "--timeout", "1.5s",
        "--workers", "1", "--journal", "it.sqlite", code=3)  # fmt: skip
    run("report", "it.sqlite", "-o", "it.html")
    assert "share of each limit done, and up to 1 of 1 workers busy" in (tmp_path / "it.html").read_text()
