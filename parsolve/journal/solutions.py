"""A job's solutions, by limit and in depth-first order, with a digest of their set in the job's row."""

import itertools
import sqlite3
from collections.abc import Iterable, Iterator

from parsolve.journal.integrity import Digest
from parsolve.journal.records import packed, unpacked
from parsolve.search.branch import Path

CHUNK = 1_000
"""Solutions that are read at once: a reader that waits for its output must not block the writer."""

Found = tuple[int, Path]
"""A solution, after the limit of the iteration that found it."""

LARGEST = 1 << 33
"""More than any limit."""

BEFORE_ALL: Found = (-1, ())
BEHIND_ALL: Found = (LARGEST, ())


def insert_solutions(connection: sqlite3.Connection, job: int, found: Iterable[Found]) -> None:
    """Insert solutions of a job and update their digest; the caller must seal the job.

    Raises:
        sqlite3.IntegrityError: one exists already: it would count twice.
    """
    digest = _digest(connection, job)
    for limit, path in found:
        moves = packed(path)
        digest.add(_sealed(limit, moves))
        connection.execute("INSERT INTO solution VALUES (?, ?, ?)", (job, limit, moves))
    _write_digest(connection, job, digest)


def keep_first(connection: sqlite3.Connection, job: int, number: int) -> None:
    """Delete the solutions of a job after the first `number`; the caller must seal the job."""
    digest = _digest(connection, job)
    for limit, moves in [*itertools.islice(_rows(connection, job), number, None)]:
        digest.remove(_sealed(limit, moves))
        connection.execute('DELETE FROM solution WHERE job = ? AND "limit" = ? AND moves = ?', (job, limit, moves))
    _write_digest(connection, job, digest)


def read_solutions(connection: sqlite3.Connection, job: int, after: Found, before: Found) -> Iterator[Found]:
    """Yield a job's solutions, by limit and in depth-first order.

    Args:
        connection: to the journal; it holds no lock while the caller is busy.
        job: its id.
        after, before: yield only those between these two, both excluded.
    """
    first, last = ((limit, packed(path)) for limit, path in (after, before))
    return ((limit, unpacked(moves)) for limit, moves in _rows(connection, job, first, last))


def verify_solutions(connection: sqlite3.Connection, job: int) -> None:
    """Compare a job's solutions with their digest, which its seal covers, and check their order."""
    digest = Digest()
    for limit, moves in _rows(connection, job):
        digest.add(_sealed(limit, moves))
    if digest.hexdigest() != _digest(connection, job).hexdigest():
        raise ValueError("the solutions are not as they were written")


def _rows(
    connection: sqlite3.Connection,
    job: int,
    after: tuple[int, bytes] = (-1, b""),
    before: tuple[int, bytes] = (LARGEST, b""),
) -> Iterator[tuple[int, bytes]]:
    query = (
        'SELECT "limit", moves FROM solution WHERE job = ? AND ("limit", moves) > (?, ?) AND ("limit", moves) < (?, ?)'
        f' ORDER BY "limit", moves LIMIT {CHUNK}'
    )
    last = after
    while rows := connection.execute(query, (job, *last, *before)).fetchall():
        for limit, moves in rows:
            if not isinstance(limit, int) or limit < 0 or not isinstance(moves, bytes) or (limit, moves) <= last:
                raise ValueError("the solutions are not in order")
            last = limit, moves
            yield last


def _sealed(limit: int, moves: bytes) -> bytes:
    """Return the value for the digest of a solution."""
    return limit.to_bytes(8) + moves


def _digest(connection: sqlite3.Connection, job: int) -> Digest:
    (written,) = connection.execute("SELECT digest FROM job WHERE id = ?", (job,)).fetchone()
    return Digest(written)


def _write_digest(connection: sqlite3.Connection, job: int, digest: Digest) -> None:
    connection.execute("UPDATE job SET digest = ? WHERE id = ?", (digest.hexdigest(), job))
