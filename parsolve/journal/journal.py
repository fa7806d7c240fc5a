"""The journal: one SQLite file, readable by another machine, another Python and any number of workers.

New solutions and open branches change in one transaction, on disk when it ends. The results of many short jobs may wait
for each other in memory and share one: a kill loses them as a whole, and they are searched again. Nothing in a journal
is ever unpickled or imported: branches are moves as JSON.
"""

import contextlib
import json
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Any

from parsolve.errors import BadInput, BadPuzzle, OtherJob
from parsolve.journal.changes import Change, create_jobs, delete_jobs, update_job
from parsolve.journal.checkpoints import write_checkpoint
from parsolve.journal.database import TWICE
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import Job, Wanted
from parsolve.journal.solutions import Listed, insert_solutions
from parsolve.problem.problem import Identity, Problem
from parsolve.search.checkpoint import Checkpoint, LevelCheckpoint
from parsolve.search.result import Result
from parsolve.search.tuning import DEFAULT
from parsolve.system.hardware import machine
from parsolve.text import one_line

SCRATCH = "use another name or another journal to start from scratch, or `parsolve forget` it"


class Journal(JournalReader):
    """A journal that this process alone writes.

    Args:
        path: path of the file; made if missing.

    Attributes:
        unsaved: number of waiting solutions that makes writing due.

    Raises:
        BadInput: it is not a journal, of another version, in use, or cannot be opened.
        Damaged: it has been altered; every method that reads it may raise this too.
        Unwritable: it cannot be written now, for example on a full disk; every method that writes it may raise this
            too, and then nothing has changed.
        JournalGone: the file is no longer at its path; every method that writes it may raise this too.
    """

    _reading = False

    def __init__(self, path: FilePath | str) -> None:
        super().__init__(path)
        self.unsaved = DEFAULT.unsaved
        self._waiting: dict[int, Change] = {}
        """Changes for the next transaction, by the job's id."""
        self._solutions_waiting = 0
        self._commit_at = math.inf
        try:
            self.jobs()  # fails before anything is written to a damaged journal
            self._database.write_path()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Write waiting changes, close the file, and allow others to write it."""
        try:
            self.commit()
        finally:
            super().close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write waiting changes and the body's in one transaction, or nothing."""
        with self._database.transaction() as write:
            for change in self._waiting.values():
                change.write(write)
            yield write
        self._waiting.clear()
        self._solutions_waiting, self._commit_at = 0, math.inf

    def _change(self, change: Change, wait: float) -> None:
        """Write a change now, or within `wait` seconds if `commit` is called when it `is_due`."""
        if not wait:
            with self.writing() as write:
                change.write(write)
            return
        if before := self._waiting.get(change.job):  # it consists of columns
            change = replace(change, columns={**before.columns, **change.columns})
        self._waiting[change.job] = change
        self._solutions_waiting += len(change.found)
        self._commit_at = min(self._commit_at, time.monotonic() + wait)

    @property
    def is_due(self) -> bool:
        """Whether waiting changes must be written now. Kernels that reading needs may be compiled in a snapshot."""
        is_late = time.monotonic() >= self._commit_at or self._solutions_waiting >= self.unsaved
        return is_late and not self._database.connection.in_transaction

    def commit(self) -> None:
        """Write waiting changes in one transaction."""
        if self._waiting:
            with self.writing():
                pass

    def get_or_create(self, wanted: Sequence[Wanted]) -> list[Job]:
        """Return the wanted jobs in their order, new or as stored, and create new ones in one transaction. A job that
        has searched nothing yet is replaced.

        Raises:
            BadInput: the journal has another job of that name; nothing has changed.
        """
        known = self._jobs("WHERE name = ?", wanted[0].name) if len(wanted) == 1 else self.jobs()
        there = {job.name: job for job in known}
        new: list[tuple[int | None, Wanted]] = []
        with self.snapshot():
            for each in wanted:
                job = there.get(each.name)
                if job is None or not job.is_begun:
                    new.append((job.id if job else None, each))
                    continue
                if how := each.difference_from(job):
                    raise BadInput(f"{self.path}: {how}")
                self.verify(job)
        if new:
            with self.writing() as write:
                there |= {job.name: job for job in create_jobs(write, new)}
        return [there[each.name] for each in wanted]

    def differences(self, wanted: Sequence[Wanted]) -> dict[str, str]:
        """Return which of the wanted jobs are others than the stored ones of their names, and how, by name."""
        begun = {job.name: job for job in self.jobs() if job.is_begun}
        found = {each.name: each.difference_from(begun[each.name]) for each in wanted if each.name in begun}
        return {name: f"{self.path}: {how}" for name, how in found.items() if how}

    def forget(self, jobs: Sequence[Job]) -> None:
        """Delete jobs with their solutions and checkpoints, in one transaction."""
        with self.writing() as write:
            delete_jobs(write, [job.id for job in jobs])
        self._database.give_back()

    def require_same_problem(self, job: Job, problem: Problem) -> None:
        """Check that a begun job would search the same problem now, with the same answer.

        Args:
            job: which.
            problem: its present problem, with pattern databases.

        Raises:
            OtherJob: it would search another problem.
        """
        if not job.has_rules_of(problem):
            how = f"the rules of {job.source} have been edited since"
            raise OtherJob(f"{self.path}: {how} the job {job.name} was started: {SCRATCH}")
        if not job.has_data_of(problem):
            how = f"'tables' or 'root' of {job.source} returns, or a declaration such as 'goals' is something else than"
            raise OtherJob(
                f"{self.path}: {how} when the job {job.name} was started: restore the data that it reads, or {SCRATCH}"
            )

    def begin(self, job: Job, identity: Identity, wait: float = 0.0) -> None:
        """Mark a job as running here.

        Args:
            job: which.
            identity: that of its problem, see `job_identity`.
            wait: seconds within which this must be written.
        """
        columns = {"state": "running", "message": ""} | identity._asdict()
        columns |= {"machine": json.dumps(machine()), "began": job.began or _now()}
        self._change(Change(job.id, columns), wait)

    def note(self, job: Job, message: str) -> None:
        """Mark a job as running here, and say what it does before it searches; empty for no more."""
        self._change(Change(job.id, {"state": "running", "message": one_line(message)}), 1e-9)  # by `commit`, patiently

    def turn_to(self, job: Job, parameters: Mapping[str, Any]) -> Job:
        """Give a job other values of free parameters, and return it; its data is recorded when it begins."""
        self._change(Change(job.id, {"parameters": json.dumps(parameters), "data": ""}), 0)
        (turned,) = self._jobs("WHERE id = ?", job.id)
        return turned

    def save(self, job: Job, result: Result, checkpoint: Checkpoint | LevelCheckpoint, found: Sequence[Listed]) -> int:
        """Write a checkpoint and the solutions found since the last one, in one transaction; return the bytes of its
        entries, which only levels have.

        Raises:
            BadPuzzle: a solution exists already; `finish` may raise this too.
        """
        if isinstance(checkpoint, LevelCheckpoint):
            count, nodes = checkpoint.count, checkpoint.nodes
        else:  # of all limits
            count = result.problem.total(checkpoint.weight) + sum(each.solutions for each in checkpoint.iterations)
            nodes = checkpoint.nodes + sum(each.nodes for each in checkpoint.iterations)
        columns = {"found": str(count), "nodes": nodes, "seconds": checkpoint.seconds}
        with self.writing() as write:
            size = write_checkpoint(write, job.id, checkpoint)
            insert_solutions(write, job.id, found)
            update_job(write, job.id, columns | {"workers": result.workers, "engine": result.engine})
        return size

    def stop(self, job: Job, state: str, message: str, wait: float = 0.0) -> None:
        """Mark a job as stopped or failed.

        Args:
            job: which.
            state, message: whether it has stopped or failed, and why.
            wait: seconds within which this must be written.
        """
        self._change(Change(job.id, {"state": state, "message": one_line(message), "ended": _now()}), wait)

    def finish(
        self,
        job: Job,
        result: Result,
        found: Sequence[Listed],
        wait: float = 0.0,
        answer: str = "",
        continued: bool = False,
    ) -> None:
        """Mark a job as done, with its result and its solutions, in one transaction.

        Args:
            job: which.
            result: its result.
            found: the solutions, in any order; if its last checkpoint is continued, those found since.
            wait: seconds within which this must be written. The end of a job with a checkpoint is written at once.
            answer: a digest of the levels behind the result; empty if there are none.
            continued: whether the search has continued its last checkpoint, or written one.
        """
        columns = {name: getattr(result, name) for name in ("status", "cost", "nodes", "seconds", "workers", "engine")}
        columns |= {"state": "done", "message": "", "ended": _now(), "found": str(result.found_so_far)}
        columns |= {"count": None if result.count is None else str(result.count), "answer": answer}
        if len(set(found)) < len(found):  # the change may wait
            raise BadPuzzle(TWICE)
        change = Change(
            job=job.id,
            columns=columns,
            done=True,
            iterations=tuple(result.iterations),
            found=tuple(found),
            replaces=job.digest != "0" and not continued,
            most=result.found_so_far if result.count is None else None,  # it has ended early
        )
        wait = 0.0 if continued or job.nodes else wait
        self._change(change, wait)
        if not wait:
            self._database.give_back()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
