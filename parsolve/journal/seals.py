"""Seals: a hash of all that a journal has of a job.

SQLite does not notice every wrong bit, nor what its recovery had to leave out. The seals are not secret: a forger can
forge them too, so types are checked as well when values are read (`records`).
"""

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

OTHERS = ("iteration", "checkpoint", "levels")
"""The tables that a job's seal covers besides the job's own row, which has a sum of the hashes of its solutions."""


def seal_of(row: Mapping[str, Any], others: Iterable[Sequence[Any]] = ()) -> str:
    """Return the seal of a job's row, whatever its id and its present seal, and of its rows in other tables."""
    own = {name: value for name, value in row.items() if name not in ("id", "seal")}
    return hashlib.sha256(json.dumps([own, *map(list, others)], sort_keys=True).encode()).hexdigest()


def write_seal(connection: sqlite3.Connection, job: int) -> None:
    """Seal a job in its present state."""
    row = dict(connection.execute("SELECT * FROM job WHERE id = ?", (job,)).fetchone())
    seal = seal_of(row, _others(connection, job, job)[job])
    connection.execute("UPDATE job SET seal = ? WHERE id = ?", (seal, job))


def require_sealed(connection: sqlite3.Connection, jobs: Sequence[sqlite3.Row]) -> None:
    """Compare jobs, by rising ids and with no other job between them, with their seals."""
    others = _others(connection, jobs[0]["id"], jobs[-1]["id"]) if jobs else {}
    if any(seal_of(dict(row), others[row["id"]]) != row["seal"] for row in jobs):
        raise ValueError("a job is not as it was written")


def _others(connection: sqlite3.Connection, first: int, last: int) -> dict[int, list[sqlite3.Row]]:
    """Return the rows of other tables that the seals of jobs cover, by job and in order."""
    found: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for table in OTHERS:
        query = f"SELECT * FROM {table} WHERE job BETWEEN ? AND ? ORDER BY rowid"
        for row in connection.execute(query, (first, last)):
            found[row["job"]].append(row)
    return found
