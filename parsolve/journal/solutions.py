"""A job's solutions, by limit and in depth-first order, with a sum of their hashes in the job's row."""

import hashlib
import itertools
import sqlite3
from collections.abc import Iterable, Iterator

from parsolve.journal.records import packed, unpacked
from parsolve.search.branch import Path

CHUNK = 1_000
"""Solutions that are read at once: a reader that waits for its output must not block the writer."""

Listed = tuple[int, Path]
"""A solution as a journal lists it: the limit of the iteration that has found it, and its path."""

MODULUS = 1 << 256

LARGEST = 1 << 33
"""More than any limit."""

BEFORE_ALL: Listed = (-1, ())
BEHIND_ALL: Listed = (LARGEST, ())


def insert_solutions(connection: sqlite3.Connection, job: int, found: Iterable[Listed]) -> None:
    """Insert solutions of a job and update their digest; the caller must seal the job.

    Raises:
        sqlite3.IntegrityError: one exists already: it would count twice.
    """
    rows = [(limit, packed(path)) for limit, path in found]
    connection.executemany("INSERT INTO solution VALUES (?, ?, ?)", ((job, *row) for row in rows))
    _write_digest(connection, job, sum_of_hashes(rows))


def delete_solutions(connection: sqlite3.Connection, job: int) -> None:
    """Delete all solutions of a job; the caller must seal the job."""
    connection.execute("DELETE FROM solution WHERE job = ?", (job,))
    connection.execute("UPDATE job SET digest = '0' WHERE id = ?", (job,))


def keep_first(connection: sqlite3.Connection, job: int, number: int) -> None:
    """Delete the solutions of a job after the first `number`; the caller must seal the job."""
    rows = [*itertools.islice(_rows(connection, job), number, None)]
    query = 'DELETE FROM solution WHERE job = ? AND "limit" = ? AND moves = ?'
    connection.executemany(query, ((job, *row) for row in rows))
    _write_digest(connection, job, -sum_of_hashes(rows))


def read_solutions(connection: sqlite3.Connection, job: int, after: Listed, before: Listed) -> Iterator[Listed]:
    """Yield a job's solutions, by limit and in depth-first order.

    Args:
        connection: to the journal; it holds no lock while the caller is busy.
        job: its id.
        after, before: yield only those between these two, both excluded.
    """
    return ((limit, unpacked(moves)) for limit, moves in _rows(connection, job, after, before))


def verify_solutions(connection: sqlite3.Connection, job: int) -> None:
    """Compare a job's solutions with their digest, which its seal covers, and check their order."""
    if sum_of_hashes(_rows(connection, job)) % MODULUS != _digest(connection, job):
        raise ValueError("the solutions are not as they were written")


def _rows(
    connection: sqlite3.Connection, job: int, after: Listed = BEFORE_ALL, before: Listed = BEHIND_ALL
) -> Iterator[tuple[int, bytes]]:
    query = (
        'SELECT "limit", moves FROM solution WHERE job = ? AND ("limit", moves) > (?, ?) AND ("limit", moves) < (?, ?)'
        f' ORDER BY "limit", moves LIMIT {CHUNK}'
    )
    last, end = ((limit, packed(path)) for limit, path in (after, before))
    while rows := connection.execute(query, (job, *last, *end)).fetchall():
        for limit, moves in rows:
            if not isinstance(limit, int) or limit < 0 or not isinstance(moves, bytes) or (limit, moves) <= last:
                raise ValueError("the solutions are not in order")
            last = limit, moves
            yield last


def sum_of_hashes(rows: Iterable[tuple[int, bytes]]) -> int:
    """Return the sum of the hashes of solutions: new ones change it without the others being read."""
    return sum(int.from_bytes(hashlib.sha256(limit.to_bytes(8) + moves).digest()) for limit, moves in rows)


def _digest(connection: sqlite3.Connection, job: int) -> int:
    (written,) = connection.execute("SELECT digest FROM job WHERE id = ?", (job,)).fetchone()
    return int(written, 16)


def _write_digest(connection: sqlite3.Connection, job: int, change: int) -> None:
    digest = (_digest(connection, job) + change) % MODULUS
    connection.execute("UPDATE job SET digest = ? WHERE id = ?", (f"{digest:x}", job))
