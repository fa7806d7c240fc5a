"""A job's solutions, in depth-first order, with a digest of their set in the job's row."""

import math
import sqlite3
from collections.abc import Iterable, Iterator

from parsolve.journal.integrity import Digest
from parsolve.journal.records import packed, unpacked

CHUNK = 1_000
"""Solutions that are read at once: a reader that waits for its output must not hold up the writer."""


def insert_solutions(connection: sqlite3.Connection, job: int, paths: Iterable[tuple[int, ...]]) -> None:
    """Insert solutions of a job and update their digest; the job is to be sealed afterwards.

    Raises:
        sqlite3.IntegrityError: one is there already: it would count twice.
    """
    (before,) = connection.execute("SELECT digest FROM job WHERE id = ?", (job,)).fetchone()
    digest = Digest(before)
    for path in paths:
        moves = packed(path)
        digest.add(moves)
        connection.execute("INSERT INTO solution VALUES (?, ?)", (job, moves))
    connection.execute("UPDATE job SET digest = ? WHERE id = ?", (digest.hexdigest(), job))


def keep_first(connection: sqlite3.Connection, job: int, number: int) -> None:
    """Delete the solutions of a job that come after the first `number`; the job is to be sealed afterwards."""
    query = "SELECT moves FROM solution WHERE job = ? ORDER BY moves LIMIT -1 OFFSET ?"
    later = connection.execute(query, (job, number)).fetchall()
    (before,) = connection.execute("SELECT digest FROM job WHERE id = ?", (job,)).fetchone()
    digest = Digest(before)
    for (moves,) in later:
        digest.remove(moves)
    connection.executemany("DELETE FROM solution WHERE job = ? AND moves = ?", ((job, moves) for (moves,) in later))
    connection.execute("UPDATE job SET digest = ? WHERE id = ?", (digest.hexdigest(), job))


def read_solutions(
    connection: sqlite3.Connection, job: int, after: tuple[int, ...] | None, before: tuple[int, ...] | None
) -> Iterator[tuple[int, ...]]:
    """Yield a job's solutions as moves, in depth-first order.

    Args:
        connection: to the journal; it holds no lock while the caller is busy.
        job: its id.
        after, before: yield only those between these two, both excluded; None: from the first, to the last.
    """
    first, last = (None if path is None else packed(path) for path in (after, before))
    return map(unpacked, _moves(connection, job, first, last))


def verify_solutions(connection: sqlite3.Connection, job: int) -> None:
    """Check a job's solutions against their digest, which its seal covers, and their order."""
    (written,) = connection.execute("SELECT digest FROM job WHERE id = ?", (job,)).fetchone()
    digest = Digest()
    for moves in _moves(connection, job):
        digest.add(moves)
    if written != digest.hexdigest():
        raise ValueError("the solutions are not as they were written")


def _moves(
    connection: sqlite3.Connection, job: int, after: bytes | None = None, before: bytes | None = None
) -> Iterator[bytes]:
    end = "" if before is None else "AND moves < ?"
    query = f"SELECT moves FROM solution WHERE job = ? AND moves > ? {end} ORDER BY moves LIMIT {CHUNK}"
    values = () if before is None else (before,)
    start: float | bytes = -math.inf if after is None else after  # for SQLite any bytes are greater than a number
    last = b""
    while rows := connection.execute(query, (job, start, *values)).fetchall():
        for (moves,) in rows:
            if not isinstance(moves, bytes) or (last and moves <= last):
                raise ValueError("the solutions are not in order")
            last = moves
            yield moves
        start = last
