"""Jobs that come and go: the rows of whole jobs, in a transaction."""

import sqlite3
from collections.abc import Collection, Sequence

from parsolve.errors import BadInput
from parsolve.journal.checkpoints import delete_checkpoint
from parsolve.journal.integrity import EMPTY, jobs_digest, seal_jobs
from parsolve.journal.records import Job, Wanted
from parsolve.search.branch import MEANING
from parsolve.text import shown

_NEW = {"state": "waiting", "message": "", "status": "stopped", "found": "0", "nodes": 0, "seconds": 0}
_NEW |= {"workers": 0, "engine": "", "machine": "{}", "samples": "[]", "rules": "", "data": ""}
_NEW |= {"meaning": MEANING, "digest": EMPTY, "seal": ""}


def create_jobs(write: sqlite3.Connection, new: Sequence[tuple[int | None, Wanted]]) -> list[Job]:
    """Insert jobs that wait, some in place of jobs whose id is given, and return them."""
    created = []
    for id_, wanted in new:
        if id_ is not None:
            _delete_rows(write, id_)
        row = {"id": id_, **wanted.to_row(), **_NEW}
        columns, places = ", ".join(row), ", ".join("?" * len(row))
        query = f"INSERT OR REPLACE INTO job ({columns}) VALUES ({places})"
        created.append(write.execute(query, (*row.values(),)).lastrowid or 0)
    ((before,),) = write.execute("SELECT jobs FROM summary").fetchall()
    names = ((made, wanted.name) for made, (id_, wanted) in zip(created, new, strict=True) if id_ is None)
    write.execute("UPDATE summary SET jobs = ?", (jobs_digest(names, before),))
    return [Job.read(row, True) for row in seal_jobs(write, created)]


def delete_jobs(write: sqlite3.Connection, jobs: Collection[int]) -> None:
    """Delete jobs by their ids, with all that the journal has of them."""
    for id_ in jobs:
        _delete_rows(write, id_)
        write.execute("DELETE FROM job WHERE id = ?", (id_,))
    rows = write.execute("SELECT id, name FROM job").fetchall()
    write.execute("UPDATE summary SET jobs = ?", (jobs_digest(map(tuple, rows)),))


def require_name(name: str) -> None:
    """Require that a text can be the name of a job.

    Raises:
        BadInput: it is empty, or has control characters.
    """
    if not name.isprintable() or not name:
        raise BadInput(f"the name of a job is a text without control characters, not {shown(name)}")


def _delete_rows(write: sqlite3.Connection, job: int) -> None:
    """Delete a job's rows in other tables than its own."""
    for table in ("solution", "iteration"):
        write.execute(f"DELETE FROM {table} WHERE job = ?", (job,))
    delete_checkpoint(write, job)
