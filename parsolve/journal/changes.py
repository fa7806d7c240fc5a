"""Changes of a journal's rows, in a transaction: jobs come and go, and what is known of one changes."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsolve.journal.checkpoints import delete_checkpoint, write_iterations
from parsolve.journal.records import Job, Wanted
from parsolve.journal.schema import insert_row
from parsolve.journal.seals import seal_of, write_seal
from parsolve.journal.solutions import Listed, delete_solutions, insert_solutions, keep_first
from parsolve.search.result import Iteration

_NEW = {"state": "waiting", "status": "stopped", "found": "0", "nodes": 0, "seconds": 0.0, "workers": 0}
_NEW |= {"machine": "{}", "digest": "0"} | dict.fromkeys(("message", "engine", "rules", "data", "answer", "seal"), "")
_NEW |= dict.fromkeys(("cost", "count", "began", "ended"))


@dataclass(frozen=True)
class Change:
    """A change of one job.

    Attributes:
        job: its id.
        columns: new values in its own row.
        done: whether the job is finished.
        iterations: the finished limits, if it is done.
        found: its solutions that are not in the journal yet.
        replaces: whether the journal's solutions are another engine's, which has not finished.
        most: how many solutions are wanted; None for all. Workers may have found further ones.
    """

    job: int
    columns: Mapping[str, Any]
    done: bool = False
    iterations: Sequence[Iteration] = ()
    found: Sequence[Listed] = ()
    replaces: bool = False
    most: int | None = None

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it, in a transaction."""
        if self.replaces:
            delete_solutions(connection, self.job)
        if self.found:
            insert_solutions(connection, self.job, self.found)
        if self.most is not None:
            keep_first(connection, self.job, self.most)
        if self.done:
            write_iterations(connection, self.job, self.iterations)
            delete_checkpoint(connection, self.job)
        update_job(connection, self.job, self.columns)


def update_job(connection: sqlite3.Connection, job: int, columns: Mapping[str, Any]) -> None:
    """Write new values into a job's row, and seal the job."""
    names = ", ".join(f"{name} = ?" for name in columns)
    connection.execute(f"UPDATE job SET {names} WHERE id = ?", (*columns.values(), job))
    write_seal(connection, job)


def create_jobs(write: sqlite3.Connection, new: Sequence[tuple[int | None, Wanted]]) -> list[Job]:
    """Insert jobs that wait, some in place of jobs whose id is given, and return them."""
    created = []
    for id_, wanted in new:
        if id_ is not None:
            _delete_rows(write, id_)
        row = {"id": id_, **wanted.to_row(), **_NEW}
        row["seal"] = seal_of(row)
        row["id"] = insert_row(write, "job", row)
        created.append(Job.read(row, True))
    _write_number(write)
    return created


def delete_jobs(write: sqlite3.Connection, jobs: Collection[int]) -> None:
    """Delete jobs by their ids, with all that the journal has of them."""
    for id_ in jobs:
        _delete_rows(write, id_)
        write.execute("DELETE FROM job WHERE id = ?", (id_,))
    _write_number(write)


def _delete_rows(write: sqlite3.Connection, job: int) -> None:
    """Delete a job's rows in other tables than its own."""
    delete_solutions(write, job)
    write_iterations(write, job, ())
    delete_checkpoint(write, job)


def _write_number(write: sqlite3.Connection) -> None:
    write.execute("UPDATE summary SET jobs = (SELECT count(*) FROM job)")
