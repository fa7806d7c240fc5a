"""A journal whose n-th write fails, or whose disk is full: the answer is right, or an error says why."""

import contextlib
import sys
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from cases import nightly
from failing import Countdown, failing_sqlite, require_one_line
from journals import EVERY_OUTCOME, Pulled, job_of, run_through

import parsolve
from parsolve.batch.journaled import search
from parsolve.errors import BadInput, Unwritable
from parsolve.journal.database import Database
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.checkpoint import LevelCheckpoint, Piece
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener, Watch

pytestmark = pytest.mark.plain

PUZZLE, REQUEST = Queens(6), Request(workers=1, budget=40, buffer=2, tuning=EVERY_OUTCOME)


class Impatient(Listener):
    """Stops a search that waits for its journal."""

    has_waited = False

    def search_paused(self, why: str) -> None:
        assert "\n" not in why
        self.has_waited = True

    def check(self) -> None:
        if self.has_waited:
            raise Pulled


def searched(path: Path, watch: Watch) -> int:
    """Search and return the number of solutions."""
    problem = Problem(PUZZLE, "all")
    with Journal(path) as journal:
        return search(JobStore(journal, job_of(journal, problem), watch, REQUEST.tuning), problem, REQUEST).count


@pytest.mark.parametrize("step", [15, nightly(1)])
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from-then-on"])
def test_each_write_that_fails(tmp_path: Path, lasting: bool, step: int) -> None:
    paths = parsolve.solve(PUZZLE, workers=1).paths
    number, has_failed = 0, True
    while has_failed:
        path = tmp_path / f"{number}.sqlite"
        countdown, impatient = Countdown(number, 1 << 60 if lasting else number), Impatient()
        with failing_sqlite(countdown):
            try:
                count = searched(path, Watch(impatient, impatient.check) if lasting else Watch(impatient))
                assert count == len(paths)
                assert not (lasting and countdown.has_failed)
            except (BadInput, Pulled) as error:
                require_one_line(error)
        found, given = run_through(path, PUZZLE, Request(workers=1), [])
        assert (found.count, given) == (len(paths), paths)
        has_failed, number = countdown.has_failed, number + step
    assert number > 40


def test_a_pause_is_no_part_of_what_writing_takes(tmp_path: Path) -> None:
    """Otherwise the next checkpoint of levels would be due in hours."""
    problem, tuning = Problem(PUZZLE, "count"), Tuning(checkpoint_seconds=-10.0, retry=0.6)
    levels = LevelCheckpoint("counts", "", 1, 1, 0, 0, 1.0, lambda: iter([Piece(0, 0, 1, np.zeros(9, np.uint64))]))
    with Journal(tmp_path / "it.sqlite") as journal:
        store = JobStore(journal, job_of(journal, problem), tuning=tuning)
        store.begin(problem, Result(problem, "count", 1))
        with failing_sqlite(Countdown(0, 0)):
            store.save(levels)
        assert store.is_due(1 << 20)


def test_an_interrupt_leaves_no_transaction(tmp_path: Path) -> None:
    def interrupt(frame: FrameType, event: str, _: object) -> None:
        if event == "c_return" and frame.f_code.co_name == "transaction":
            sys.setprofile(None)
            raise KeyboardInterrupt

    with contextlib.closing(Database(tmp_path / "it.sqlite", reading=False)) as database:
        sys.setprofile(interrupt)
        with pytest.raises(KeyboardInterrupt), database.transaction():
            pass
        assert not database.connection.in_transaction


def test_a_failed_write_leaves_one_file(tmp_path: Path) -> None:
    """The file is at once as it was, so that a copy of it is a journal."""
    path, failed = tmp_path / "it.sqlite", 0
    run_through(path, PUZZLE, Request(workers=1), [])
    with contextlib.closing(Database(path, reading=False)) as database:
        for number in range(60):
            with contextlib.suppress(Unwritable), failing_sqlite(Countdown(number, number)):
                failed += 1
                with database.transaction() as write:
                    write.execute("UPDATE summary SET path = path || 'x'")
                    write.execute("CREATE TABLE more (text)")
                    write.execute("INSERT INTO more VALUES (zeroblob(30000))")
                    write.execute("DROP TABLE more")
                failed -= 1
            assert [*tmp_path.iterdir()] == [path], number
    assert failed > 5
