"""A change of a job's rows as one value: written at once, or with the changes of other jobs."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from parsolve.journal.checkpoints import delete_checkpoint, write_iterations
from parsolve.journal.integrity import write_seal
from parsolve.journal.solutions import Found, insert_solutions, keep_first
from parsolve.search.result import Iteration


@dataclass(frozen=True)
class Change:
    """A change of one job.

    Attributes:
        job: its id.
        columns: new values in its own row.
        done: whether the job is finished.
        iterations: the finished limits, if it is done.
        found: its solutions that are not in the journal yet.
        most: how many solutions are wanted; None for all. Workers may have found further ones.
    """

    job: int
    columns: Mapping[str, Any]
    done: bool = False
    iterations: Sequence[Iteration] = ()
    found: Sequence[Found] = ()
    most: int | None = None

    def then(self, later: "Change") -> "Change":
        """Return this change, which consists of columns, merged with a later one of the same job."""
        return replace(later, columns={**self.columns, **later.columns})

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it, in a transaction."""
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
