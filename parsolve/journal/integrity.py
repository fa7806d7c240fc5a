"""Whether a journal is as parsolve wrote it: its tables, a seal for each job, and digests of sets that change.

SQLite does not notice every wrong bit, nor what its recovery had to leave out. The seals are no secret: who forges a
journal can forge them too, so what is read is checked for its types as well (`records`).
"""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from parsolve.journal.schema import TABLES

EMPTY = "0"
"""The digest of the empty set."""

SEALED = ("iteration", "checkpoint")
"""The tables that a job's seal covers besides the job's own row. Solutions and branches have digests in these rows."""


class Digest:
    """The digest of a set: the sum of the SHA-256 of each value, so that a change costs what has changed.

    Args:
        start: the digest of what is in the set already.
    """

    def __init__(self, start: str = EMPTY) -> None:
        self._sum = int(start, 16)

    def add(self, value: bytes) -> None:
        self._sum += _hash(value)

    def remove(self, value: bytes) -> None:
        self._sum -= _hash(value)

    def hexdigest(self) -> str:
        return f"{self._sum % (1 << 256):x}"


def _hash(value: bytes) -> int:
    return int.from_bytes(hashlib.sha256(value).digest())


def seal(connection: sqlite3.Connection, job: int) -> str:
    """Return the hash of a job's row and of its rows in other tables."""
    row = dict(connection.execute("SELECT * FROM job WHERE id = ?", (job,)).fetchone())
    del row["seal"]
    parts = [list(row.values())]
    for table in SEALED:
        rows = connection.execute(f"SELECT * FROM {table} WHERE job = ? ORDER BY rowid", (job,))
        parts += [list(row) for row in rows]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def write_seal(connection: sqlite3.Connection, job: int) -> None:
    connection.execute("UPDATE job SET seal = ? WHERE id = ?", (seal(connection, job), job))


def require_sealed(connection: sqlite3.Connection, job: int, written: str) -> None:
    """Check a job's rows against the seal that was written, and its branches against their digest."""
    if seal(connection, job) != written:
        raise ValueError("a job is not as it was written")
    digest = Digest()
    for (text,) in connection.execute("SELECT branch FROM branch WHERE job = ?", (job,)):
        if not isinstance(text, str):
            raise ValueError("a branch is not as it was written")
        digest.add(text.encode())
    if digest.hexdigest() != branch_digest(connection, job):
        raise ValueError("the branches of a job are not as they were written")


def branch_digest(connection: sqlite3.Connection, job: int) -> str:
    """Return the digest of a job's branches as its checkpoint has it."""
    row = connection.execute("SELECT branches FROM checkpoint WHERE job = ?", (job,)).fetchone()
    return str(row[0]) if row else EMPTY


def jobs_digest(jobs: Iterable[tuple[int, str]], start: str = EMPTY) -> str:
    """Return the digest of the ids and names of jobs, added to another one: with it no job is lost unnoticed."""
    digest = Digest(start)
    for id_, name in jobs:
        digest.add(json.dumps([id_, name]).encode())
    return digest.hexdigest()


def require_schema(connection: sqlite3.Connection) -> None:
    """Check that a journal has exactly the tables and columns that it should have: no view, trigger, virtual table or
    generated column that runs what its author wants."""
    with contextlib.closing(sqlite3.connect(":memory:")) as expected:
        expected.executescript(TABLES)
        wanted, there = _objects(expected), _objects(connection)
    for kind, name in there.keys() | wanted.keys():
        # SQLite's own statistics, and what its recovery could not place: nobody reads them.
        if (kind, name) not in wanted and kind == "table" and name.startswith(("lost_and_found", "sqlite_stat")):
            continue
        if there.get((kind, name)) != wanted.get((kind, name)):
            raise ValueError(f"its {kind} {name!r} is not a journal's")


def _objects(connection: sqlite3.Connection) -> dict[tuple[str, str], Any]:
    """Return the objects of a schema by kind and name, with their columns."""
    rows: Iterable[Any] = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    found: dict[tuple[str, str], Any] = {}
    for kind, name, table, sql in rows:
        query = f"SELECT * FROM pragma_{kind}_xinfo(?)"
        columns = connection.execute(query, (name,)).fetchall() if kind in ("table", "index") else []
        words = " ".join((sql or "").split())
        text = words if kind == "index" else words.upper().startswith("CREATE TABLE")  # no virtual table
        found[kind, name] = (table, text, [tuple(column) for column in columns])
    return found
