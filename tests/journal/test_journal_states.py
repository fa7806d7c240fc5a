"""A journal as a machine of states: whatever is done to it, killed, renamed and copied, it holds what a dict would."""

import contextlib
import copy
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from shared import IN_MEMORY
from toys import Lamps

from parsolve.errors import BadInput, BadPuzzle, JournalGone, Unwritable
from parsolve.journal.changes import Change
from parsolve.journal.journal import Journal
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import Wanted
from parsolve.journal.solutions import BEFORE_ALL, Listed
from parsolve.problem.digests import job_identity
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.request import Request
from parsolve.search.result import Result

pytestmark = pytest.mark.plain

PROBLEM = Problem(Lamps(), "all")

BRANCHES = [Branch((0, move), ((), (), (0, 1)), (1, 9, 2)) for move in range(6)]

names = st.sampled_from("abc")
some_found = st.sets(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 2), max_size=2).map(tuple)), max_size=3)
some_branches = st.sets(st.sampled_from(range(len(BRANCHES))))


@dataclass
class Known:
    """What the journal holds of a job."""

    state: str = "waiting"
    nodes: int = 0
    found: set[Listed] = field(default_factory=set)
    branches: set[int] | None = None  # of its checkpoint


def failing_after(number: int, kind: type[BaseException]) -> Callable[..., None]:
    """Return what writes so many changes and one more, at which it fails."""
    write, left = Change.write, iter(range(number))

    def fail(self: Change, connection: sqlite3.Connection) -> None:
        write(self, connection)
        if next(left, None) is None:
            raise kind("by the test")

    return fail


class Journals(RuleBasedStateMachine):
    """A journal and what is known of it: `jobs` as this process has them, and `kept` as a kill leaves them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.path = Path(self.folder.name) / "0.sqlite"
        self.journal = Journal(self.path)
        self.jobs: dict[str, Known] = {}
        self.kept: dict[str, Known] = {}
        self.files = 1
        self.copied: list[tuple[Path, dict[str, Known]]] = []

    def written(self) -> None:
        """Everything is on disk now."""
        self.kept = copy.deepcopy(self.jobs)

    def job(self, name: str) -> Any:
        """A job as the journal has it; what waits is written."""
        self.written()
        return self.journal.job(name)

    def other_path(self) -> Path:
        self.files += 1
        return self.path.with_name(f"{self.files}.sqlite")

    def open(self, path: Path) -> None:
        """Open what a kill has left."""
        self.path, self.journal = path, Journal(path)
        self.jobs = copy.deepcopy(self.kept)

    # A job.

    @rule(name=names)
    def create(self, name: str) -> None:
        self.journal.get_or_create([Wanted(name, "toys.py:Lamps", {}, "all", {})])
        if name not in self.jobs or (not self.jobs[name].nodes and self.jobs[name].state != "done"):
            self.jobs[name] = Known()
        self.written()

    @rule(name=names, wait=st.sampled_from([0.0, 60.0]))
    def begin(self, name: str, wait: float) -> None:
        if name in self.jobs and self.jobs[name].state != "done":
            self.journal.begin(self.job(name), job_identity(PROBLEM), wait)
            self.jobs[name].state = "running"
            if not wait:
                self.written()

    @rule(name=names, found=some_found, branches=some_branches, nodes=st.integers(1, 9))
    def save(self, name: str, found: set[Listed], branches: set[int], nodes: int) -> None:
        if name not in self.jobs or self.jobs[name].state != "running":
            return
        job, known = self.job(name), self.jobs[name]
        open_ = [BRANCHES[each] for each in sorted(branches)]
        number = known.nodes + nodes
        checkpoint = Checkpoint([], 0, open_, number, len(known.found | found), False, 0.5, 1.0, 1.0)
        if found & known.found:
            with pytest.raises(BadPuzzle, match="two solutions"):
                self.journal.save(job, Result(PROBLEM, Request(), 1), checkpoint, sorted(found))
            return
        self.journal.save(job, Result(PROBLEM, Request(), 1), checkpoint, sorted(found))
        known.nodes, known.branches, known.found = number, branches, known.found | found
        self.written()

    @rule(name=names, found=some_found, wait=st.sampled_from([0.0, 60.0]), continued=st.booleans())
    def finish(self, name: str, found: set[Listed], wait: float, continued: bool) -> None:
        """A search that has continued no checkpoint has found all solutions by itself."""
        if name not in self.jobs or self.jobs[name].state != "running":
            return
        job, known = self.job(name), self.jobs[name]
        earlier = known.found if continued else set()
        result = Result(PROBLEM, Request(), 1, "deepening", True, 0, len(earlier | found), nodes=known.nodes + 1)
        if found & earlier:
            with pytest.raises(BadPuzzle, match="two solutions"):
                self.journal.finish(job, result, sorted(found), wait, continued=continued)
            return
        self.journal.finish(job, result, sorted(found), wait, continued=continued)
        self.jobs[name] = Known("done", known.nodes + 1, earlier | found)
        if not wait or known.nodes or continued:
            self.written()

    @rule(name=names, wait=st.sampled_from([0.0, 60.0]))
    def stop(self, name: str, wait: float) -> None:
        if name in self.jobs and self.jobs[name].state == "running":
            self.journal.stop(self.job(name), "stopped", "by the test", wait)
            self.jobs[name].state = "stopped"
            if not wait:
                self.written()

    @rule(some=st.sets(names))
    def forget(self, some: set[str]) -> None:
        self.journal.forget([self.job(name) for name in sorted(some & self.jobs.keys())])
        self.jobs = {name: known for name, known in self.jobs.items() if name not in some}
        self.written()

    # The file.

    @rule()
    def close_and_open(self) -> None:
        self.journal.close()
        self.written()
        self.open(self.path)

    @rule()
    def kill(self) -> None:
        self.journal._database.close()
        self.open(self.path)

    @rule(some=st.sets(names), number=st.integers(0, 3), kills=st.booleans())
    def commit_in_part(self, some: set[str], number: int, kills: bool) -> None:
        """All that waits is written, or nothing, and it goes on waiting or is lost."""
        begun = [self.job(name) for name in sorted(some) if name in self.jobs and self.jobs[name].state != "done"]
        for job in begun:
            self.journal.begin(job, job_identity(PROBLEM), 60.0)
            self.jobs[job.name].state = "running"
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Unwritable, KeyboardInterrupt):
            patch.setattr(Change, "write", failing_after(number, KeyboardInterrupt if kills else Unwritable))
            self.journal.commit()
            assert len(begun) <= number
            self.written()
        if kills:
            self.journal._database.close()
            self.open(self.path)
        with JournalReader(self.path) as reading:
            self.compare(reading, self.kept)

    @precondition(lambda self: self.jobs)
    @rule(statement=st.sampled_from(["DELETE FROM solution", "DELETE FROM job", "UPDATE job SET nodes = 7"]))
    def kill_while_writing(self, statement: str) -> None:
        """As a kill before the end of a transaction leaves them: the file, and SQLite's rollback journal beside it."""
        left: dict[Path, bytes] = {}
        with contextlib.suppress(KeyboardInterrupt), self.journal.writing() as write:
            write.execute("PRAGMA cache_size = 0")
            write.execute(statement)
            left = {path: path.read_bytes() for path in self.path.parent.glob(f"{self.path.name}*")}
            raise KeyboardInterrupt
        self.journal._database.close()
        for path, data in left.items():
            path.write_bytes(data)
        self.open(self.path)

    @rule()
    def rename(self) -> None:
        self.journal.close()
        self.written()
        self.open(self.path.rename(self.other_path()))

    @precondition(lambda self: self.jobs)
    @rule()
    def rename_while_in_use(self) -> None:
        name = next(iter(self.jobs))
        job = self.job(name)
        moved = self.path.rename(self.other_path())
        with pytest.raises(JournalGone, match="the moved file can be resumed"):
            self.journal.begin(job, job_identity(PROBLEM))
        self.journal._database.close()
        self.open(moved)

    @rule()
    def copy(self) -> None:
        """The copy is continued; the other stays as it was."""
        self.journal.close()
        self.written()
        self.copied = [*self.copied, (self.path, self.kept)]
        self.open(Path(shutil.copy(self.path, self.other_path())))

    @rule()
    def open_twice(self) -> None:
        with pytest.raises(BadInput, match="is in use by this process"):
            Journal(self.path)
        with JournalReader(self.path) as reading:
            self.compare(reading, self.kept)

    @rule()
    def look(self) -> None:
        self.compare(self.journal, self.jobs)
        self.written()

    def compare(self, journal: Journal, jobs: dict[str, Known]) -> None:
        """The journal says what is known."""
        there = {job.name: job for job in journal.jobs()}
        assert there.keys() == jobs.keys()
        for name, known in jobs.items():
            job = there[name]
            assert (job.state, job.nodes) == (known.state, known.nodes)
            assert list(journal.limits_and_paths(job, BEFORE_ALL)) == sorted(known.found)
            saved = None if journal._database.reading else journal.checkpoint(job)
            assert journal._database.reading or (saved is None) == (known.branches is None)
            if saved is not None and known.branches is not None:
                assert {*saved.branches} == {BRANCHES[each] for each in known.branches}
                assert (saved.nodes, saved.weight) == (known.nodes, len(known.found))
            journal.verify(job)

    def teardown(self) -> None:
        with self.folder, contextlib.closing(self.journal):
            self.look()
            for path, jobs in self.copied:
                with Journal(path) as journal:
                    self.compare(journal, jobs)


Journals.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)

test_a_journal_holds_what_a_dict_would = Journals.TestCase
