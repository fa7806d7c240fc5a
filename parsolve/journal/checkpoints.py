"""Checkpoints of a job: its finished limits, its sums, and its open branches or the entries that are left."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator

import numpy as np

from parsolve.journal.records import branches_of, checked, text_of
from parsolve.journal.solutions import delete_solutions
from parsolve.search.checkpoint import Checkpoint, Entries, LevelCheckpoint
from parsolve.search.result import Iteration


def read_iterations(connection: sqlite3.Connection, job: int) -> list[Iteration]:
    """Return the limits that a job has finished."""
    query = 'SELECT "limit", nodes, found, seconds, weight, cut FROM iteration WHERE job = ? ORDER BY 1'
    rows = connection.execute(query, (job,))
    return [
        checked(Iteration(limit, nodes, int(found), seconds, int(weight), int(cut)))
        for limit, nodes, found, seconds, weight, cut in rows
    ]


def write_iterations(connection: sqlite3.Connection, job: int, iterations: Iterable[Iteration]) -> None:
    """Write the limits that a job has finished, and delete those that another engine has."""
    connection.execute("DELETE FROM iteration WHERE job = ?", (job,))
    connection.executemany(
        "INSERT INTO iteration VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (job, each.limit, each.nodes, str(each.solutions), each.seconds, str(each.weight), each.cut)
            for each in iterations
        ),
    )


def read_checkpoint(connection: sqlite3.Connection, job: int) -> Checkpoint | None:
    """Return a job's checkpoint; None if it was never saved, is done, or is searched by another engine."""
    row = connection.execute("SELECT * FROM checkpoint WHERE job = ?", (job,)).fetchone()
    if row is None:
        return None
    checkpoint = Checkpoint(
        iterations=read_iterations(connection, job),
        limit=row["limit"],
        branches=branches_of(row["branches"]),
        nodes=row["nodes"],
        found=int(row["weight"]),
        cut=int(row["cut"]),
        share=row["share"],
        iteration_seconds=row["iteration_seconds"],
        seconds=row["seconds"],
    )
    return checked(checkpoint)


def write_checkpoint(connection: sqlite3.Connection, job: int, checkpoint: Checkpoint) -> None:
    """Write a job's checkpoint; the caller must seal the job."""
    write_iterations(connection, job, checkpoint.iterations)
    delete_checkpoint(connection, job)  # perhaps left by another engine
    known = checkpoint.limit, checkpoint.nodes, str(checkpoint.found), checkpoint.cut, checkpoint.share
    row = job, *known, checkpoint.iteration_seconds, checkpoint.seconds, text_of(checkpoint.branches)
    connection.execute("INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def delete_checkpoint(connection: sqlite3.Connection, job: int) -> None:
    """Delete a job's checkpoint, of whatever engine."""
    for table in ("checkpoint", "entries", "levels"):
        connection.execute(f"DELETE FROM {table} WHERE job = ?", (job,))


def read_levels(connection: sqlite3.Connection, job: int) -> LevelCheckpoint | None:
    """Return a job's checkpoint; None if it was never saved, is done, or is searched by another engine."""
    row = connection.execute("SELECT * FROM levels WHERE job = ?", (job,)).fetchone()
    if row is None:
        return None
    digest = hashlib.sha256()
    for each in read_entries(connection, job):
        _add(digest, each)
    if digest.hexdigest() != row["entries"]:
        raise ValueError("the entries of a job are not as they were written")
    known = {name: row[name] for name in ("identity", "finished", "nodes", "cost", "seconds")}
    checkpoint = LevelCheckpoint(**known, count=int(row["count"]), entries=lambda: read_entries(connection, job))
    return checked(checkpoint)


def read_entries(connection: sqlite3.Connection, job: int) -> Iterator[Entries]:
    """Yield the entries of a job."""
    rows = connection.execute("SELECT kind, level, words, data FROM entries WHERE job = ? ORDER BY rowid", (job,))
    for kind, level, words, data in rows:
        if not (type(kind) is type(level) is type(words) is int and type(data) is bytes):
            raise ValueError("entries that no search has left")
        yield Entries(kind, level, words, np.frombuffer(data, "<u8"))


def write_levels(connection: sqlite3.Connection, job: int, checkpoint: LevelCheckpoint) -> int:
    """Write a job's checkpoint, and return the bytes of its entries; the caller must seal the job."""
    # What another engine has left: its solutions, too, are only known by its checkpoint.
    connection.execute("DELETE FROM checkpoint WHERE job = ?", (job,))
    write_iterations(connection, job, ())
    delete_solutions(connection, job)
    (last,) = connection.execute("SELECT max(rowid) FROM entries").fetchone()
    digest, size = hashlib.sha256(), 0
    for each in checkpoint.entries():
        entries = each._replace(data=np.ascontiguousarray(each.data, "<u8").view(np.uint8).data)
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (job, *entries))
        _add(digest, entries)
        size += len(entries.data)
    # Afterwards: their pages are free for the next entries, and their bytes need no copy for a rollback.
    connection.execute("DELETE FROM entries WHERE job = ? AND rowid <= ?", (job, last or 0))
    known = checkpoint.finished, checkpoint.nodes, checkpoint.cost, str(checkpoint.count), checkpoint.seconds
    row = job, checkpoint.identity, *known, digest.hexdigest()
    connection.execute("INSERT OR REPLACE INTO levels VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    return size


def _add(digest: "hashlib._Hash", entries: Entries) -> None:
    digest.update(b"%d %d %d %d " % (*entries[:3], entries.data.nbytes))
    digest.update(entries.data)
