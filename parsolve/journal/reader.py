"""What a journal holds, read as of one moment."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Self

from parsolve.errors import ParsolveError
from parsolve.journal.checkpoints import read_checkpoint, read_iterations, read_pieces
from parsolve.journal.database import Database
from parsolve.journal.journalfile import is_locked
from parsolve.journal.records import Job
from parsolve.journal.seals import require_sealed
from parsolve.journal.solutions import BEFORE_ALL, BEHIND_ALL, Listed, read_solutions, verify_solutions
from parsolve.search.branch import Path
from parsolve.search.checkpoint import Checkpoint, LevelCheckpoint, Piece
from parsolve.search.result import Iteration, frame

if TYPE_CHECKING:
    from pandas import DataFrame

TOGETHER = 1000
"""Jobs that are read at once."""


class JournalReader:
    """What a journal holds, also while another process writes it; for errors see `Journal`."""

    _reading = True

    def __init__(self, path: FilePath | str) -> None:
        self.path = FilePath(path)
        self._database = Database(self.path, self._reading)

    def commit(self) -> None:
        """Write what waits to be written."""

    def close(self) -> None:
        """Close the file, and allow others to write it."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, raised: object, *_: object) -> None:
        with contextlib.suppress(*(() if raised is None else (ParsolveError,))):  # the exception raised says more
            self.close()

    def jobs(self) -> list[Job]:
        """Return all jobs in the order in which they were created. One whose process was killed is `stopped`."""
        return list(self.each_job())

    def each_job(self) -> Iterator[Job]:
        """Yield the same as of one moment."""
        with self.snapshot() as read:
            number, last = 0, -1
            while jobs := self._jobs("WHERE id > ?", last, most=TOGETHER):
                number, last = number + len(jobs), jobs[-1].id
                yield from jobs
            ((written,),) = read.execute("SELECT jobs FROM summary").fetchall()
            if number != written:
                raise ValueError("a job is missing")

    def to_frame(self) -> "DataFrame":
        """Return the jobs as a pandas DataFrame, one a row, with columns for parameters and notes.

        Raises:
            BadInput: pandas is not installed.
        """
        return frame([job.to_row() for job in self.jobs()], ("name", "puzzle"))

    def job(self, name: str) -> Job | None:
        """Return a job by its name; None if there is none."""
        return next(iter(self._jobs("WHERE name = ?", name)), None)

    def _jobs(self, condition: str, *values: Any, most: int = 1) -> list[Job]:
        with self.snapshot() as read:
            rows = read.execute(f"SELECT * FROM job {condition} ORDER BY id LIMIT ?", (*values, most)).fetchall()
            require_sealed(read, rows)  # before its values are used
            return [Job.read(row, self._is_written) for row in rows]

    def iterations(self, job: Job) -> list[Iteration]:
        """Return the limits that a job has finished."""
        with self.snapshot() as read:
            return read_iterations(read, job.id)

    def checkpoint(self, job: Job) -> Checkpoint | LevelCheckpoint | None:
        """Return a job's checkpoint; None if it was never saved, or is done."""
        with self.snapshot() as read:
            return read_checkpoint(read, job.id, lambda: self._pieces(job))

    def _pieces(self, job: Job) -> Iterator[Piece]:
        with self._database.checked():
            yield from read_pieces(self._database.connection, job.id)

    def solutions(self, job: Job) -> Iterator[Path]:
        """Yield a job's solutions so far, as moves, by limit and in depth-first order."""
        for _, path in self.limits_and_paths(job):
            yield path

    def limits_and_paths(self, job: Job, after: Listed = BEFORE_ALL, before: Listed = BEHIND_ALL) -> Iterator[Listed]:
        """Yield them with the limits of the iterations that have found them; see `read_solutions`."""
        self.commit()
        with self._database.checked():  # no transaction: a reader whose output is not read must block no one
            yield from read_solutions(self._database.connection, job.id, after, before)

    def verify(self, job: Job) -> None:
        """Check that a job's solutions have not been altered. All other values are checked whenever jobs are read.

        Raises:
            Damaged: they have.
        """
        with self.snapshot() as read:
            verify_solutions(read, job.id)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Read the journal as of one moment, with all changes of this process; within another snapshot, as of the
        moment of that one. Nothing is written in the body."""
        if self._database.connection.in_transaction:
            yield self._database.connection
            return
        self.commit()
        self._is_written = not self._database.reading or is_locked(self.path)
        with self._database.checked(), self._database.transaction("DEFERRED") as read:
            yield read
