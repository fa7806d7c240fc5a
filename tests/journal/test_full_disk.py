"""A journal on a full disk: waited for, and never spoilt."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from journals import EVERY_OUTCOME, Pulled, run_through

import parsolve
from parsolve.batch.run import get_or_create_job, search
from parsolve.errors import Unwritable
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request
from parsolve.search.watch import Listener, Watch

pytestmark = pytest.mark.plain


def test_a_full_disk_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    checks: list[int] = []
    tries: list[int] = []
    full = {"left": 5}
    save = Journal.save

    def failing(self: Journal, *arguments: Any) -> None:
        tries.append(len(checks))
        if len(told) < 1 or full["left"]:
            full["left"] -= full["left"] > 0
            raise Unwritable("the journal cannot be used: database or disk is full")
        save(self, *arguments)

    class Telling(Listener):
        def search_paused(self, why: str) -> None:
            told.append(why)

    monkeypatch.setattr(Journal, "save", failing)
    given: list[Any] = []
    with Journal(tmp_path / "it.sqlite") as journal:
        problem = Problem(Queens(8), "all")
        job = get_or_create_job(journal, "it", "it", problem, {})
        watch = Watch(Telling(), lambda: checks.append(1), on_solution=given.append)
        found = search(journal, job, problem, Request(workers=1), watch, make_store=EVERY_OUTCOME)
    assert (found.count, len(given), len(told)) == (92, 92, 1)
    assert [after - before for before, after in itertools.pairwise(tries[:6])] == [1] * 5
    assert told == ["the journal cannot be used: database or disk is full: waiting until it can"]


def test_a_full_disk_for_real(tmp_path: Path) -> None:
    """SQLite's own limit on the pages of the file; stopped while it waits, the journal is as it was last kept."""
    puzzle = Queens(9)
    problem, request = Problem(puzzle, "all"), Request(workers=1, budget=500, buffer=20)
    path = tmp_path / "it.sqlite"

    class Impatient(Listener):
        gave_up = False

        def search_paused(self, why: str) -> None:
            self.gave_up = True

        def check(self) -> None:
            if self.gave_up:
                raise Pulled

    impatient = Impatient()
    with Journal(path) as journal:
        job = get_or_create_job(journal, "it", "it", problem, {})
        (pages,) = journal.connection.execute("PRAGMA page_count").fetchone()
        journal.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(Pulled):
            search(journal, job, problem, request, Watch(impatient, impatient.check), make_store=EVERY_OUTCOME)
    with Journal(path, reading=True) as journal:
        job = journal.job("it") or job
        kept = list(journal.solutions(job))
        assert job.state == "stopped"
        assert 0 < len(kept) < 352
    found, given = run_through(path, puzzle, request, [])
    assert (found.count, given) == (352, parsolve.solve(puzzle, workers=1).paths)
