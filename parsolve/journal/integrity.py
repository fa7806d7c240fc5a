"""Integrity of a journal: its tables, a seal for each job, and digests of sets that change.

SQLite does not notice every wrong bit, nor what its recovery had to leave out. The seals are not secret: a forger can
forge them too, so types are checked as well when values are read (`records`).
"""

import contextlib
import functools
import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from parsolve.journal.schema import TABLES

EMPTY = "0"
"""The digest of the empty set."""

SEALED = ("iteration", "checkpoint", "levels")
"""The tables that a job's seal covers besides the job's own row. These rows have the digests of solutions, branches and
entries."""


class Digest:
    """The digest of a set: the sum of the SHA-256 of each value, so that an update costs only the change.

    Args:
        start: the digest of the values already in the set.
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


def _seal(row: Mapping[str, Any], others: Iterable[sqlite3.Row]) -> str:
    """Return the hash of a job's row and of its rows in other tables."""
    parts = [[value for name, value in row.items() if name != "seal"], *map(list, others)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def write_seal(connection: sqlite3.Connection, job: int) -> None:
    """Seal a job in its present state."""
    row = dict(connection.execute("SELECT * FROM job WHERE id = ?", (job,)).fetchone())
    connection.execute(
        "UPDATE job SET seal = ? WHERE id = ?", (_seal(row, _sealed_rows(connection, job, job)[job]), job)
    )


def seal_jobs(connection: sqlite3.Connection, jobs: Sequence[int]) -> list[dict[str, Any]]:
    """Seal jobs without rows in other tables, and return their own rows, in this order."""
    wanted = set(jobs)
    rows = {row["id"]: dict(row) for row in connection.execute("SELECT * FROM job") if row["id"] in wanted}
    for row in rows.values():
        row["seal"] = _seal(row, ())
    connection.executemany("UPDATE job SET seal = ? WHERE id = ?", ((row["seal"], id_) for id_, row in rows.items()))
    return [rows[id_] for id_ in jobs]


def _sealed_rows(connection: sqlite3.Connection, first: int, last: int) -> dict[int, list[sqlite3.Row]]:
    """Return the rows of other tables that the seals of jobs cover, by job and in order."""
    found: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for table in SEALED:
        for row in _of_jobs(connection, table, first, last, "ORDER BY rowid"):
            found[row["job"]].append(row)
    return found


def _of_jobs(connection: sqlite3.Connection, table: str, first: int, last: int, order: str = "") -> sqlite3.Cursor:
    """Return the rows of a table for the jobs from one id to another."""
    return connection.execute(f"SELECT * FROM {table} WHERE job BETWEEN ? AND ? {order}", (first, last))


def require_sealed(connection: sqlite3.Connection, jobs: Sequence[sqlite3.Row]) -> None:
    """Compare jobs with their seals, and their branches with their digests.

    Args:
        connection: to the journal.
        jobs: the rows of some jobs, by rising ids: no other job is between them.
    """
    if not jobs:
        return
    ids = jobs[0]["id"], jobs[-1]["id"]
    others = _sealed_rows(connection, *ids)
    for row in jobs:
        if _seal(dict(row), others[row["id"]]) != row["seal"]:
            raise ValueError("a job is not as it was written")
    branches: dict[int, Digest] = defaultdict(Digest)
    for job, text in _of_jobs(connection, "branch", *ids):
        if not isinstance(text, str):
            raise ValueError("a branch is not as it was written")
        branches[job].add(text.encode())
    digests = {row["job"]: str(row["branches"]) for row in _of_jobs(connection, "checkpoint", *ids)}
    for row in jobs:
        if branches[row["id"]].hexdigest() != digests.get(row["id"], EMPTY):
            raise ValueError("the branches of a job are not as they were written")


def branch_digest(connection: sqlite3.Connection, job: int) -> str:
    """Return the digest of a job's branches as its checkpoint has it."""
    row = connection.execute("SELECT branches FROM checkpoint WHERE job = ?", (job,)).fetchone()
    return str(row[0]) if row else EMPTY


def jobs_digest(jobs: Iterable[tuple[int, str]], start: str = EMPTY) -> str:
    """Return the digest of the ids and names of jobs, added to another digest: it shows that a job is missing."""
    digest = Digest(start)
    for id_, name in jobs:
        digest.add(json.dumps([id_, name]).encode())
    return digest.hexdigest()


def require_schema(connection: sqlite3.Connection) -> None:
    """Check that a journal has exactly its own tables and columns: no view, trigger, virtual table or generated column
    that runs foreign code."""
    texts, wanted = _expected()
    if _texts(connection) == texts:
        return
    there = _objects(connection)
    for kind, name in there.keys() | wanted.keys():
        # SQLite's own statistics, and rows that its recovery could not place: they are not read.
        if (kind, name) not in wanted and kind == "table" and name.startswith(("lost_and_found", "sqlite_stat")):
            continue
        if there.get((kind, name)) != wanted.get((kind, name)):
            raise ValueError(f"its {kind} {name!r} is not a journal's")


@functools.cache
def _expected() -> tuple[list[tuple[Any, ...]], dict[tuple[str, str], Any]]:
    """Return the texts and the objects of a journal's schema."""
    with contextlib.closing(sqlite3.connect(":memory:")) as expected:
        expected.executescript(TABLES)
        return _texts(expected), _objects(expected)


def _texts(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return the objects of a schema as SQLite reads them."""
    return [tuple(row) for row in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")]


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
