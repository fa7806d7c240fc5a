"""How an older journal becomes one of this version."""

import sqlite3

from parsolve.journal.integrity import jobs_digest, seal, write_seal
from parsolve.journal.schema import APPLICATION, STEPS, VERSION

SEALED_BY_VERSION = {
    2: ("iteration", "checkpoint", "branch"),
    3: ("iteration", "checkpoint", "branch"),
    4: ("iteration", "checkpoint"),
    5: ("iteration", "checkpoint"),
}
"""The tables that a job's seal covered in older versions that had seals."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a journal of an older version, or an empty file, up to date, in one transaction.

    Raises:
        ValueError: it is not as it was written. Its new seals would hide that.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    _require_older_seals(connection, version)
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; {''.join(STEPS[version:])}"
            f" PRAGMA user_version = {VERSION};"
        )
        jobs = connection.execute("SELECT id, name FROM job").fetchall()
        for id_, _ in jobs:
            write_seal(connection, id_)
        connection.execute("UPDATE summary SET jobs = ?", (jobs_digest(jobs),))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _require_older_seals(connection: sqlite3.Connection, version: int) -> None:
    """Check the seals of a journal of an older version, where it has some."""
    if version not in SEALED_BY_VERSION:
        return
    jobs = connection.execute("SELECT id, name, seal FROM job").fetchall()
    for id_, _, written in jobs:
        if seal(connection, id_, SEALED_BY_VERSION[version]) != written:
            raise ValueError("a job is not as it was written")
    if version >= 3:
        ((written,),) = connection.execute("SELECT jobs FROM summary").fetchall()
        if jobs_digest((id_, name) for id_, name, _ in jobs) != written:
            raise ValueError("a job is missing")
