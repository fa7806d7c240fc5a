"""A journal of many short jobs: their results are written together; kills are in `test_journal_states.py`."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from journals import EVERY_OUTCOME, Plug, Pulled
from toys import Coins, Lamps, Ring

import parsolve
from parsolve.batch.job_search import JobSearch
from parsolve.batch.jobs import FileJob, read
from parsolve.batch.journaled import get_or_create_jobs, search
from parsolve.errors import BadPuzzle, OtherJob, OutOfMemory, ParsolveError
from parsolve.journal.changes import Change
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import Job
from parsolve.problem.problem import Identity, Problem
from parsolve.puzzles import Sliding
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.tuning import Tuning
from parsolve.search.watch import UNWATCHED, Watch

pytestmark = pytest.mark.plain

LATER = Request(workers=1, engine="deepening", tuning=Tuning(commit_seconds=1000, checkpoint_seconds=1000))
"""What ends waits until the test commits it."""

PLAIN = [parsolve.solve(Coins(amount), workers=1, engine="deepening") for amount in range(9)]

LISTED = [FileJob(f"coins-{amount}", "toys:Coins", LATER, {}, Coins(amount)) for amount in range(len(PLAIN))]


def jobs_in(journal: Journal) -> dict[str, Job]:
    return get_or_create_jobs(journal, LISTED, lambda name: UNWATCHED)


def searched(journal: Journal, job: Job, watch: Watch = UNWATCHED, request: Request = LATER, **more: Any) -> Result:
    (listed,) = (each for each in LISTED if each.name == job.name)
    store = JobStore(journal, job, watch, request.tuning, wait=True, **more)
    return search(store, Problem(listed.puzzle, "all"), request)


def states(path: Path) -> list[str]:
    """The states of the jobs, as another process sees them."""
    with JournalReader(path) as journal:
        return [job.state for job in journal.jobs()]


def require_right(path: Path) -> None:
    """Check that all jobs are done, with the results that they have alone."""
    with JournalReader(path) as journal:
        for job, plain in zip(journal.jobs(), PLAIN, strict=True):
            journal.verify(job)
            assert (job.state, job.status, job.cost) == ("done", plain.status, plain.cost)
            assert (job.count, job.found, job.nodes) == (plain.count, plain.count, plain.nodes)
            assert [*journal.solutions(job)] == plain.paths
            assert [each.limit for each in journal.iterations(job)] == [each.limit for each in plain.iterations]
            assert journal.checkpoint(job) is None


def statements_of(journal: Journal) -> "Counter[str]":
    """Count what is written from now on, by its first words."""
    statements: Counter[str] = Counter()
    journal._database.connection.set_trace_callback(lambda sql: statements.update([" ".join(sql.split()[:5])]))
    return statements


def test_one_transaction_creates_all_and_one_ends_all(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        statements = statements_of(journal)
        jobs = jobs_in(journal)
        assert statements["BEGIN IMMEDIATE"] == 1
        assert states(path) == ["waiting"] * len(PLAIN)
        statements.clear()
        given: list[Any] = []
        for job, plain in zip(jobs.values(), PLAIN, strict=True):
            assert searched(journal, job).count == plain.count
            searched(journal, job, Watch(on_solution=given.append))
        assert given == [path for plain in PLAIN for path in plain.paths]
        assert statements == {}
        assert states(path) == ["waiting"] * len(PLAIN)
        assert not journal.is_due
        journal.unsaved = len(given)
        assert journal.is_due
        journal.commit()
        assert (statements["BEGIN IMMEDIATE"], statements["COMMIT"]) == (1, 1)
        assert not any("checkpoint VALUES" in statement for statement in statements)
        require_right(path)


def test_what_waits_is_written_when_it_is_due(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        first, second, third, *_ = jobs_in(journal).values()
        searched(journal, first)
        searched(journal, second)
        journal.begin(third, Identity("rules", "data"), 1e-9)
        JobStore(journal, third).check()
        assert states(path)[:3] == ["done", "done", "running"]


def test_what_is_longer_than_a_moment_has_checkpoints(tmp_path: Path) -> None:
    with Journal(tmp_path / "it.sqlite") as journal:
        *_, last = jobs_in(journal).values()
        statements = statements_of(journal)
        searched(journal, last, request=replace(LATER, tuning=EVERY_OUTCOME))
        written = sum(number for sql, number in statements.items() if "INTO checkpoint" in sql)
        assert written >= len(PLAIN[-1].iterations)
        assert states(journal.path)[-1] == "done"


def test_the_job_that_gives_a_solution_twice_is_the_one_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        first, second, *_ = jobs_in(journal).values()
        searched(journal, first)
        with pytest.raises(BadPuzzle, match="the same moves lead to two solutions"):
            journal.finish(second, Result(Problem(Coins(1), "all"), Request(), 1), [(1,), (1,)], 1000)
        journal.stop(second, "failed", "it")
        assert states(path)[:2] == ["done", "failed"]


def test_what_fails_waits_as_well(tmp_path: Path) -> None:
    def fail() -> None:
        raise BadPuzzle("it fails")

    with Journal(tmp_path / "it.sqlite") as journal:
        jobs = jobs_in(journal)
        statements = statements_of(journal)
        for job in jobs.values():
            with pytest.raises(BadPuzzle):
                searched(journal, job, Watch(check=fail), replace(LATER, engine="breadth"))
        assert statements == {}
        assert {(job.state, job.message) for job in journal.jobs()} == {("failed", "it fails")}
        for job in jobs_in(journal).values():
            searched(journal, job)
    require_right(tmp_path / "it.sqlite")


def test_a_file_of_jobs_needs_no_command_line(tmp_path: Path) -> None:
    with Journal(tmp_path / "it.sqlite") as journal:
        found = JobSearch(LISTED, journal, jobs_in(journal), UNWATCHED, lambda *_: UNWATCHED).search_all()
        assert [done.answer and done.answer.count for done in found] == [plain.count for plain in PLAIN]
    require_right(tmp_path / "it.sqlite")


class Full(Coins):
    def root(self):
        raise OutOfMemory("it is full")


def test_a_lack_of_memory_stops_a_job_and_reads_no_other(tmp_path: Path) -> None:
    with Journal(tmp_path / "it.sqlite") as journal:
        jobs_in(journal)
        statements = statements_of(journal)
        full = FileJob("full", "toys:Coins", LATER, {}, Full(3))
        jobs = get_or_create_jobs(journal, [full], lambda name: UNWATCHED)
        (done,) = JobSearch([full], journal, jobs, UNWATCHED, lambda *_: UNWATCHED).search_all()
        assert statements["SELECT * FROM job ORDER"] == 0
        assert (done.status, journal.jobs()[-1].state) == ("stopped", "stopped")


def test_a_job_of_other_data_is_not_searched(tmp_path: Path) -> None:
    """Some are compared before anything is searched, all when they are."""
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        jobs = jobs_in(journal)
        for job in [*jobs.values()][:6]:
            searched(journal, job)
        for number, seen in ((2, False), (4, False), (1, True), (3, True)):
            journal.commit()
            rewrite(journal, f"coins-{number}", "data", "other")
            if seen:
                with pytest.raises(OtherJob, match=rf"than when the job coins-{number} was started"):
                    jobs_in(journal)
            else:
                jobs = jobs_in(journal)
            rewrite(journal, f"coins-{number}", "data", jobs[f"coins-{number}"].data)
        jobs = jobs_in(journal)
        with pytest.raises(Pulled):
            searched(journal, jobs["coins-8"], Watch(check=Plug(1)), replace(LATER, budget=5))
        for column, says in (("data", "'tables' or 'root'"), ("rules", "the rules of .* have been edited since")):
            was = rewrite(journal, "coins-8", column, "other")
            before, stopped = path.read_bytes(), journal.job("coins-8")
            assert stopped is not None
            with pytest.raises(OtherJob, match=says):
                searched(journal, stopped)
            assert path.read_bytes() == before
            rewrite(journal, "coins-8", column, was)
        for job in [*jobs_in(journal).values()][6:]:
            searched(journal, job)
    require_right(path)


def rewrite(journal: Journal, name: str, column: str, value: str) -> str:
    """Write another value into a job's row, as a search would have, and return what was there."""
    job = journal.job(name)
    assert job is not None
    journal._change(Change(job.id, {column: value}), 0)
    return str(getattr(job, column))


def test_data_that_siblings_share_is_hashed_once() -> None:
    """The digests of jobs that differ in their roots are those that they have one by one."""
    starts = ("1 2 3 4 5 6 7 0 8", "1 2 3 4 5 0 7 8 6", "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 7 8 0")
    rings, boards = [Ring(start=start) for start in range(12)], [Sliding(start, bound="manhattan") for start in starts]
    for puzzles in (rings, boards, [Lamps()]):
        problems = [Problem(puzzle, "all") for puzzle in puzzles]
        shared, alone = problems[0].data_digest, [problem.identity.data for problem in problems]
        for limits in (Problem.limits, lambda problem: problem.costs.limits_near(problem.root)):
            assert [shared(problem.root, [*islice(limits(problem), 256)]) for problem in problems] == alone
        assert len(set(alone)) == len(puzzles)


def test_what_fails_for_several_jobs_is_recorded_by_the_name_of_their_entry(tmp_path: Path) -> None:
    """As where the process is killed while it reads their file: afterwards all of them are there."""
    (tmp_path / "rows.csv").write_text("amount\n1\n2\n")
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "one"\npuzzle = "toys:Coins"\n'
        '[[job]]\nname = "rows"\npuzzle = "toys:Coins"\nfile = "rows.csv"\n'
        '[[job]]\nname = "list"\npuzzle = "toys:Coins"\namount = [3, 4]\n'
    )
    earlier = dict.fromkeys(("one", "rows", "list"), ParsolveError("it was killed"))
    with Journal(tmp_path / "it.sqlite") as journal:
        failed = read(tmp_path / "jobs.toml", earlier)
        ended = JobSearch(failed, journal, {}, UNWATCHED, lambda *_: UNWATCHED).search_all()
        assert [str(done.failure) for done in ended] == ["it was killed"] * 3
        assert [(job.state, job.message) for job in journal.jobs()] == [("failed", "it was killed")] * 3
        listed: Any = read(tmp_path / "jobs.toml")
        assert [*get_or_create_jobs(journal, listed, lambda name: UNWATCHED)] == [
            *("one", "rows-1", "rows-2", "list-3", "list-4")
        ]
        assert [job.name for job in journal.jobs() if job.state == "failed"] == ["rows", "list"]
