"""A job copied from one journal into another, with all that the journal has of it."""

import sqlite3

from parsolve.journal.integrity import jobs_digest, write_seal

OF_JOBS = ("iteration", "tally", "checkpoint", "branch", "levels", "entries", "solution")
"""The tables whose rows begin with the id of a job."""


def copy_job(read: sqlite3.Connection, job: int, write: sqlite3.Connection, name: str) -> None:
    """Copy a job.

    Args:
        read: connection to its journal.
        job: its id.
        write: connection to another journal, in a transaction.
        name: its name there.
    """
    row = dict(read.execute("SELECT * FROM job WHERE id = ?", (job,)).fetchone()) | {"id": None, "name": name}
    columns, places = ", ".join(row), ", ".join("?" * len(row))
    made = write.execute(f"INSERT INTO job ({columns}) VALUES ({places})", (*row.values(),)).lastrowid
    assert made is not None
    for table in OF_JOBS:
        rows = read.execute(f"SELECT * FROM {table} WHERE job = ?", (job,))
        places = ", ".join("?" * len(rows.description))
        write.executemany(f"INSERT INTO {table} VALUES ({places})", ((made, *each[1:]) for each in rows))
    write_seal(write, made)
    ((before,),) = write.execute("SELECT jobs FROM summary").fetchall()
    write.execute("UPDATE summary SET jobs = ?", (jobs_digest([(made, name)], before),))
