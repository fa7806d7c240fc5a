"""Whether a journal is as parsolve wrote it: its tables, a seal for each job, and digests of sets that grow.

SQLite does not notice every wrong bit, nor what its recovery had to leave out. The seals are no secret: who forges a
journal can forge them too, so that what is read is checked for its types as well (`records`).
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from parsolve.journal.schema import STEPS

SEALED = ("iteration", "checkpoint", "branch")
"""The tables that a job's seal covers besides its own row; its solutions have a digest instead."""


class Digest:
    """SQL's `digest(value)`, of a set: the sum of the SHA-256 of each of its values, so that it grows with the set.

    Args:
        start: the digest of what is in the set already.
    """

    def __init__(self, start: str = "0") -> None:
        self._sum = int(start, 16)

    def step(self, value: bytes) -> None:
        """Add a value."""
        self._sum += int.from_bytes(hashlib.sha256(value).digest())

    def finalize(self) -> str:
        """Return the digest, in hexadecimal."""
        return f"{self._sum % (1 << 256):x}"


def seal(connection: sqlite3.Connection, job: int) -> str:
    """Return the hash of all that a journal has of a job but its solutions, which have a digest of their own."""
    row = dict(connection.execute("SELECT * FROM job WHERE id = ?", (job,)).fetchone())
    del row["seal"]
    parts = [list(row.values())]
    for table in SEALED:
        rows = connection.execute(f"SELECT * FROM {table} WHERE job = ? ORDER BY rowid", (job,))
        parts += [list(row) for row in rows]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def sealed_name(id_: int, name: str) -> bytes:
    """Return what stands for a job in the digest of all jobs: none of them is lost unnoticed."""
    return json.dumps([id_, name]).encode()


def require_schema(connection: sqlite3.Connection) -> None:
    """See that a journal has exactly the tables and columns of its version: no view, trigger, virtual table or
    generated column that runs what its author wants.

    Raises:
        ValueError: it has not; says what differs.
    """
    expected = sqlite3.connect(":memory:")
    expected.create_aggregate("digest", 1, Digest)  # type: ignore[arg-type]
    try:
        expected.executescript("".join(STEPS))
        wanted, there = _objects(expected), _objects(connection)
    finally:
        expected.close()
    for kind, name in there.keys() | wanted.keys():
        # SQLite's own statistics, and what its recovery could not place: nobody reads them.
        if (kind, name) not in wanted and kind == "table" and name.startswith(("lost_and_found", "sqlite_stat")):
            continue
        if there.get((kind, name)) != wanted.get((kind, name)):
            raise ValueError(f"its {kind} {name!r} is not a journal's")


def _objects(connection: sqlite3.Connection) -> dict[tuple[str, str], Any]:
    """The objects of a schema by kind and name, with their columns."""
    rows: Iterable[Any] = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    found: dict[tuple[str, str], Any] = {}
    for kind, name, table, sql in rows:
        pragma = {"table": "table_xinfo", "index": "index_xinfo"}.get(kind)
        columns = connection.execute(f"SELECT * FROM pragma_{pragma}(?)", (name,)).fetchall() if pragma else []
        words = " ".join((sql or "").split())
        text = words if kind == "index" else words.upper().startswith("CREATE TABLE")  # no virtual table
        found[kind, name] = (table, text, [tuple(column) for column in columns])
    return found
