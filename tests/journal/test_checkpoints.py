"""Checkpoints write what has changed, and what the journal then holds is what is open, whatever went wrong before."""

import copy
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import IN_MEMORY

from parsolve.batch.run import get_or_create_job
from parsolve.errors import Damaged, Unwritable
from parsolve.journal.integrity import EMPTY, Digest
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job, text_of
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Result

pytestmark = pytest.mark.plain

RESULT = Result(Problem(Queens(8)), "count", 1)


def branch(number: int) -> Branch:
    """One of 50,000 branches that differ."""
    return Branch((0,), ((), (number,)), (1, 1 << 15))


def checkpoint(branches: list[Branch]) -> Checkpoint:
    return Checkpoint([], 0, branches, 1, 0, False, 0.5, 1.0, 1.0)


def job_in(journal: Journal, name: str = "it") -> Job:
    return get_or_create_job(journal, name, name, Problem(Queens(8), "count"), {})


def rows_of(journal: Journal, job: Job) -> list[str]:
    return [row[0] for row in journal.connection.execute("SELECT branch FROM branch WHERE job = ?", (job.id,))]


def writes_of(journal: Journal, job: Job, branches: list[Branch]) -> Counter[str]:
    """Save a checkpoint; how many rows of branches are inserted and deleted."""
    statements: Counter[str] = Counter()
    journal.connection.set_trace_callback(lambda sql: statements.update([" ".join(sql.split()[:3])]))
    journal.save(job, RESULT, checkpoint(branches), [])
    journal.connection.set_trace_callback(None)
    return Counter({what: statements[f"{what} branch"] for what in ("INSERT INTO", "DELETE FROM")})


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("how", ["the same objects", "equal objects"])
def test_only_what_has_changed_is_written(tmp_path: Path, how: str, resumed: bool) -> None:
    path = tmp_path / "it.sqlite"
    branches = [branch(number) for number in range(1000)]
    with Journal(path) as journal:
        job = job_in(journal)
        assert writes_of(journal, job, branches) == {"INSERT INTO": 1000, "DELETE FROM": 0}
    with Journal(path) as journal:
        job = job_in(journal)
        if resumed:
            saved = journal.checkpoint(job)
            assert saved is not None
            assert list(saved.branches) == branches
            branches = list(saved.branches)
        if how == "equal objects":
            branches = copy.deepcopy(branches)
        assert writes_of(journal, job, branches) == {"INSERT INTO": 0, "DELETE FROM": 0}
        branches[100:110] = [branch(number) for number in range(2000, 2007)]
        assert writes_of(journal, job, branches[::-1]) == {"INSERT INTO": 7, "DELETE FROM": 10}
        assert sorted(rows_of(journal, job)) == sorted(map(text_of, branches))
        assert writes_of(journal, job, []) == {"INSERT INTO": 0, "DELETE FROM": 997}


class Failure(Exception):
    """Something between a checkpoint's writing and its commit."""


STEPS = ("save", "save equal objects", "save and fail", "reopen", "resume", "the other job")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sets(st.integers(0, 12)), st.booleans()), max_size=12))
def test_the_journal_holds_what_is_open(steps: list[tuple[str, set[int], bool]]) -> None:
    """After any saves, some of which fail and are rolled back, on two jobs in turns, the file opened again or not."""
    known = {number: branch(number) for number in range(13)}
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        path = Path(folder) / "it.sqlite"
        journal = Journal(path)
        jobs = {name: job_in(journal, name) for name in ("it", "other")}
        expected: dict[str, set[int]] = {"it": set(), "other": set()}
        name = "it"
        for step, numbers, full in steps:
            if step == "the other job":
                name = "other" if name == "it" else "it"
            elif step == "reopen":
                journal.close()
                journal = Journal(path)
            elif step == "resume":
                saved = journal.checkpoint(jobs[name])
                known |= {each.pending[1][0]: each for each in saved.branches} if saved else {}
            elif step == "save and fail":
                kind = Unwritable if full else Failure
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr("parsolve.journal.journal.update_job", failing(kind))
                    with pytest.raises(kind):
                        journal.save(jobs[name], RESULT, checkpoint([known[each] for each in numbers]), [])
            else:
                if step == "save equal objects":
                    known = copy.deepcopy(known)
                journal.save(jobs[name], RESULT, checkpoint([known[each] for each in numbers]), [])
                expected[name] = numbers
            for each, job in jobs.items():
                assert sorted(rows_of(journal, job)) == sorted(text_of(branch(number)) for number in expected[each])
            with Journal(path, reading=True) as reader:  # whose seals are checked
                assert [job.name for job in reader.jobs()] == ["it", "other"]
        journal.close()


def failing(kind: type[Exception]) -> object:
    def fail(*_: object, **__: object) -> None:
        raise kind("it")

    return fail


def test_a_checkpoint_after_a_commit_that_nobody_noted(tmp_path: Path) -> None:
    """What the file says counts, not what this process remembers."""
    with Journal(tmp_path / "it.sqlite") as journal:
        job = job_in(journal)
        branches = [branch(number) for number in range(5)]
        journal.save(job, RESULT, checkpoint(branches), [])
        noted = journal._held
        journal.save(job, RESULT, checkpoint(branches[1:]), [])
        journal._held = noted  # as if this process had been interrupted between the commit and the note
        journal.save(job, RESULT, checkpoint(branches[2:]), [])
        assert sorted(rows_of(journal, job)) == sorted(map(text_of, branches[2:]))
        assert journal.job("it") is not None


def test_a_branch_that_is_lost_while_the_journal_is_open(tmp_path: Path) -> None:
    with Journal(tmp_path / "it.sqlite") as journal:
        job = job_in(journal)
        journal.save(job, RESULT, checkpoint([branch(1), branch(2)]), [])
        journal.connection.execute("DELETE FROM branch")
        with pytest.raises(Damaged, match="a branch is missing"):
            journal.save(job, RESULT, checkpoint([]), [])


@given(st.sets(st.binary(max_size=5)), st.sets(st.binary(max_size=5)))
def test_a_digest_depends_on_the_set_alone(first: set[bytes], second: set[bytes]) -> None:
    whole = Digest()
    for value in sorted(second):
        whole.add(value)
    changed = Digest()
    for value in sorted(first, reverse=True):
        changed.add(value)
    for value in first - second:
        changed.remove(value)
    for value in second - first:
        changed.add(value)
    assert changed.hexdigest() == whole.hexdigest()
    assert (whole.hexdigest() == EMPTY) == (not second)
