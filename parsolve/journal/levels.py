"""Checkpoints of a search level by level: its sums, and the entries that are left, which may be many."""

import sqlite3
from collections.abc import Iterator

import numpy as np

from parsolve.journal.integrity import Digest
from parsolve.journal.records import checked
from parsolve.search.checkpoint import Entries, LevelCheckpoint


def read_levels(connection: sqlite3.Connection, job: int) -> LevelCheckpoint | None:
    """Return a job's checkpoint; None if it was never saved, is done, or is searched by another engine."""
    row = connection.execute("SELECT * FROM levels WHERE job = ?", (job,)).fetchone()
    if row is None:
        return None
    digest = Digest()
    for each in read_entries(connection, job):
        digest.add(_text(each))
    if digest.hexdigest() != row["entries"]:
        raise ValueError("the entries of a job are not as they were written")
    checkpoint = LevelCheckpoint(
        identity=row["identity"],
        finished=row["finished"],
        nodes=row["nodes"],
        cost=row["cost"],
        count=int(row["count"]),
        seconds=row["seconds"],
        entries=lambda: read_entries(connection, job),
    )
    return checked(checkpoint)


def read_entries(connection: sqlite3.Connection, job: int) -> Iterator[Entries]:
    """Yield the entries of a job."""
    for row in connection.execute("SELECT level, words, data FROM entries WHERE job = ? ORDER BY rowid", (job,)):
        entries = Entries(*row)
        if not (type(entries.level) is type(entries.words) is int and type(entries.data) is bytes):
            raise ValueError("entries that no search has left")
        yield entries._replace(data=np.frombuffer(entries.data, "<u8"))


def write_levels(connection: sqlite3.Connection, job: int, checkpoint: LevelCheckpoint) -> int:
    """Write a job's checkpoint, and return the bytes of its entries; the caller must seal the job."""
    (last,) = connection.execute("SELECT max(rowid) FROM entries").fetchone()
    digest, size = Digest(), 0
    for level, words, data in checkpoint.entries():
        entries = Entries(level, words, np.ascontiguousarray(data, "<u8").view(np.uint8).data)
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (job, *entries))
        digest.add(_text(entries))
        size += len(entries.data)
    # Afterwards: their pages are free for the next entries, and their bytes need no copy for a rollback.
    connection.execute("DELETE FROM entries WHERE job = ? AND rowid <= ?", (job, last or 0))
    known = checkpoint.finished, checkpoint.nodes, checkpoint.cost, str(checkpoint.count), checkpoint.seconds
    row = job, checkpoint.identity, *known, digest.hexdigest()
    connection.execute("INSERT OR REPLACE INTO levels VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    return size


def delete_levels(connection: sqlite3.Connection, job: int) -> None:
    """Delete a job's checkpoint."""
    connection.execute("DELETE FROM entries WHERE job = ?", (job,))
    connection.execute("DELETE FROM levels WHERE job = ?", (job,))


def _text(entries: Entries) -> bytes:
    return b"%d %d " % (entries.level, entries.words) + bytes(entries.data)
