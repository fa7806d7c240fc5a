"""The journal: one SQLite file, readable by another machine, another Python and any number of workers.

What a search has found and what is left of it change in one transaction, on disk when it ends. Nothing in a journal is
ever unpickled or imported: branches are moves as JSON.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Any

from parsolve.errors import BadInput, OtherData
from parsolve.journal.checkpoints import (
    OpenBranches,
    delete_checkpoint,
    read_checkpoint,
    read_iterations,
    write_checkpoint,
    write_iterations,
)
from parsolve.journal.database import Database
from parsolve.journal.file import is_locked
from parsolve.journal.integrity import EMPTY, jobs_digest, require_sealed, write_seal
from parsolve.journal.records import Job, text_of_samples
from parsolve.journal.solutions import (
    BEFORE_ALL,
    BEHIND_ALL,
    Found,
    insert_solutions,
    keep_first,
    read_solutions,
    verify_solutions,
)
from parsolve.puzzle import Want
from parsolve.search.branch import MEANING, Path
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.frames import frame
from parsolve.search.result import Iteration, Result
from parsolve.system.hardware import machine
from parsolve.text import one_line


class Journal:
    """A journal that this process alone writes.

    Args:
        path: of the file; made if it is not there.
        reading: only read it, also while another process writes it.

    Raises:
        BadInput: it is not a journal, of another version, in use, or cannot be opened.
        Damaged: it is not as it was written; so every method that reads it.
        Unwritable: it cannot be written now, for example on a full disk; so every method that writes it, and then
            nothing has changed.
        JournalGone: the file is not at its path any more; so every method that writes it.
    """

    def __init__(self, path: FilePath | str, reading: bool = False) -> None:
        self.path = path = FilePath(path)
        self._held: OpenBranches | None = None
        """What the job that is searched has in the file: the next checkpoint writes what differs."""
        self._database = Database(path, reading)
        self.connection = self._database.connection
        if not reading:
            try:
                self.jobs()  # before anything is written into a journal that is damaged
                self._database.write_path()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Close the file, and let others write it."""
        self._database.close()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Reading.

    def jobs(self) -> list[Job]:
        """Return all jobs in the order in which they were created. One whose process was killed is `stopped`."""
        return self._jobs("")

    def to_frame(self) -> Any:
        """Return the jobs as a pandas DataFrame, one a row, their parameters and notes in columns of their own.

        Raises:
            BadInput: pandas is not installed.
        """
        return frame([job.to_row() for job in self.jobs()], ("name", "source"))

    def job(self, name: str) -> Job | None:
        """Return a job by its name; None if there is none."""
        return next(iter(self._jobs("WHERE name = ?", name)), None)

    def _jobs(self, condition: str, *values: Any) -> list[Job]:
        running = not self._database.reading or is_locked(self.path)
        jobs = []
        with self._database.snapshot() as read:
            for row in read.execute(f"SELECT * FROM job {condition} ORDER BY id", values).fetchall():
                require_sealed(read, row["id"], row["seal"])  # before anything in it is looked at
                jobs.append(Job.read(row, running))
            if not condition:
                ((written,),) = read.execute("SELECT jobs FROM summary").fetchall()
                if jobs_digest((job.id, job.name) for job in jobs) != written:
                    raise ValueError("a job is missing")
        return jobs

    def iterations(self, job: Job) -> list[Iteration]:
        """Return the limits that a job has finished."""
        with self._database.snapshot() as read:
            return read_iterations(read, job.id)

    def checkpoint(self, job: Job) -> Checkpoint | None:
        """Return where a job stands; None if it was never saved or is done."""
        with self._database.snapshot() as read:
            saved = read_checkpoint(read, job.id)
        if saved is None:
            return None
        checkpoint, self._held = saved
        return replace(checkpoint, samples=job.samples)

    def solutions(self, job: Job, after: Found = BEFORE_ALL, before: Found = BEHIND_ALL) -> Iterator[Path]:
        """Yield a job's solutions so far, as moves, by limit and in depth-first order; see `read_solutions`."""
        for _, path in self.found(job, after, before):
            yield path

    def found(self, job: Job, after: Found = BEFORE_ALL, before: Found = BEHIND_ALL) -> Iterator[Found]:
        """Yield the same, each with the limit of the iteration that has found it."""
        with self._database.checked():  # no transaction: nothing waits for a reader whose output is not read
            yield from read_solutions(self.connection, job.id, after, before)

    def verify(self, job: Job) -> None:
        """Check that a job's solutions are those that were written. All else is checked whenever jobs are read.

        Raises:
            Damaged: they are not.
        """
        with self._database.snapshot() as read:
            verify_solutions(read, job.id)

    # Writing.

    def get_or_create(
        self,
        name: str,
        source: str,
        parameters: Mapping[str, Any],
        want: Want,
        rules: str,
        notes: Mapping[str, Any],
        free: Collection[str] = (),
        at_most: int | None = None,
        slack: int = 0,
    ) -> Job:
        """Return a job, new or as it stands; one that has searched nothing yet is replaced.

        Args:
            name, source, parameters, want, rules, notes, at_most, slack: what is searched; see `schema` for the
                columns.
            free: parameters that may have changed since; a job that was there keeps their values.

        Raises:
            BadInput: there is one of that name, and it is another, or its puzzle's rules have been edited since.
        """
        there = self.job(name)
        if there is None or not (there.nodes or there.state == "done"):
            return self._create(
                there.id if there else None,
                {"name": name, "source": source, "parameters": json.dumps(parameters), "want": want}
                | {"notes": json.dumps(notes), "rules": rules, "meaning": MEANING}
                | {"at_most": at_most, "slack": slack},
            )
        given = json.loads(json.dumps(parameters))
        fixed, fixed_then = (
            {name: value for name, value in values.items() if name not in free} for values in (given, there.parameters)
        )
        for now, then in (
            ({"puzzle": source.rpartition(":")[2]}, {"puzzle": there.source.rpartition(":")[2]}),
            (fixed, fixed_then),
            ({"want": want}, {"want": there.want}),
            ({"at_most": at_most, "slack": slack}, {"at_most": there.at_most, "slack": there.slack}),
        ):
            if now != then:
                names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
                how = ", ".join(f"{name} {_said(then.get(name))}, not {_said(now.get(name))}" for name in names)
                raise BadInput(f"{self.path}: the job {there.name} has {how}: name another journal")
        for edited, how in (
            (there.rules != rules, f"the rules of {source} have been edited since"),
            (there.meaning != MEANING, "in this version of parsolve branches mean something else than when"),
        ):
            if edited:
                scratch = "use another name or another journal to start from scratch"
                raise BadInput(f"{self.path}: {how} the job {name} was started: {scratch}")
        self.verify(there)
        return there

    def _create(self, id_: int | None, given: Mapping[str, Any]) -> Job:
        """Insert a job that waits, or put it in the place of the one with an id."""
        row = {"id": id_, "state": "waiting", "message": "", "status": "stopped", "found": "0", "nodes": 0}
        row |= {"seconds": 0, "workers": 0, "machine": "{}", "samples": "[]", "data": "", "digest": EMPTY, "seal": ""}
        row |= given
        columns, places = ", ".join(row), ", ".join("?" * len(row))
        with self._database.transaction() as write:
            if id_ is not None:
                write.execute("DELETE FROM iteration WHERE job = ?", (id_,))
                delete_checkpoint(write, id_)
            write.execute(f"INSERT OR REPLACE INTO job ({columns}) VALUES ({places})", (*row.values(),))
            (new,) = write.execute("SELECT id FROM job WHERE name = ?", (given["name"],)).fetchone()
            if id_ is None:
                ((before,),) = write.execute("SELECT jobs FROM summary").fetchall()
                write.execute("UPDATE summary SET jobs = ?", (jobs_digest([(new, given["name"])], before),))
            write_seal(write, new)
        (job,) = self._jobs("WHERE id = ?", new)
        return job

    def require_same_data(self, job: Job, data: str) -> None:
        """Check that a job that has begun would search the same now.

        Raises:
            OtherData: the digest of its lookups and root was not this `data`.
        """
        if job.data != data:
            raise OtherData(
                f"{self.path}: 'tables' or 'root' of {job.source} returns something else than when the job {job.name}"
                " was started: restore the data that it reads, or use another name or another journal to start from"
                " scratch"
            )

    def begin(self, job: Job, data: str) -> None:
        """Mark a job as running here, with the digest of its lookups and root."""
        values = {"data": data, "machine": json.dumps(machine()), "began": job.began or _now()}
        with self._database.transaction() as write:
            _update(write, job, state="running", message="", **values)

    def turn_to(self, job: Job, parameters: Mapping[str, Any]) -> Job:
        """Give a job other values of free parameters, and return it; its data is taken when it begins."""
        with self._database.transaction() as write:
            _update(write, job, parameters=json.dumps(parameters), data="")
        (turned,) = self._jobs("WHERE id = ?", job.id)
        return turned

    def save(self, job: Job, result: Result, checkpoint: Checkpoint, found: Sequence[Found]) -> None:
        """Write a checkpoint and the solutions that came with it, in one transaction.

        Raises:
            BadPuzzle: a solution is there already; so does `finish`.
        """
        earlier = sum(each.solutions for each in checkpoint.iterations)
        with self._database.transaction() as write:
            insert_solutions(write, job.id, found)
            held = write_checkpoint(write, job.id, checkpoint, self._held)
            _update(
                write,
                job,
                found=str(earlier + result.problem.total(checkpoint.found)),
                nodes=checkpoint.nodes + sum(each.nodes for each in checkpoint.iterations),
                seconds=checkpoint.seconds,
                workers=result.workers,
                samples=text_of_samples(checkpoint.samples),
            )
        self._held = held

    def stop(self, job: Job, state: str, message: str) -> None:
        """Mark a job as stopped or failed."""
        with self._database.transaction() as write:
            _update(write, job, state=state, message=one_line(message), ended=_now())
        self._held = None

    def finish(self, job: Job, result: Result, found: Sequence[Found]) -> None:
        """Mark a job as done, with its result and its last solutions, in one transaction."""
        with self._database.transaction() as write:
            insert_solutions(write, job.id, found)
            if result.most is not None:  # workers may have found others, which come later
                keep_first(write, job.id, result.most)
            write_iterations(write, job.id, result.iterations)
            delete_checkpoint(write, job.id)
            _update(
                write,
                job,
                state="done",
                message="",
                ended=_now(),
                status=result.status,
                cost=result.cost,
                count=None if result.count is None else str(result.count),
                found=str(result.found_so_far),
                nodes=result.nodes,
                seconds=result.seconds,
                workers=result.workers,
                samples=text_of_samples(result.samples),
            )
        self._held = None


def _update(connection: sqlite3.Connection, job: Job, **values: Any) -> None:
    columns = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE job SET {columns} WHERE id = ?", (*values.values(), job.id))
    write_seal(connection, job.id)


def _said(value: Any) -> Any:
    return "none" if value is None else value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
