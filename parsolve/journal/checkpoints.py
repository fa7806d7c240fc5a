"""Checkpoints of a job: its finished limits, its sums, and its open branches or the entries that are left."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from parsolve.journal.records import branches_of, checked, text_of
from parsolve.journal.schema import insert_row
from parsolve.journal.solutions import delete_solutions
from parsolve.search.checkpoint import Checkpoint, LevelCheckpoint, Piece
from parsolve.search.result import Iteration

SAME = ("limit", "nodes", "cut", "share", "iteration_seconds", "seconds")
SAME_OF_LEVELS = ("form", "meaning", "finished", "nodes", "cost", "seconds")
"""The columns that have the values and names of a checkpoint's fields."""


def read_iterations(connection: sqlite3.Connection, job: int) -> list[Iteration]:
    """Return the limits that a job has finished."""
    query = 'SELECT "limit", nodes, found AS solutions, seconds, weight, cut FROM iteration WHERE job = ? ORDER BY 1'
    rows = map(dict[str, Any], connection.execute(query, (job,)))
    return [
        checked(Iteration(**row | {"solutions": int(row["solutions"]), "weight": int(row["weight"])})) for row in rows
    ]


def write_iterations(connection: sqlite3.Connection, job: int, iterations: Iterable[Iteration]) -> None:
    """Write the limits that a job has finished, and delete those that another engine has."""
    connection.execute("DELETE FROM iteration WHERE job = ?", (job,))
    for each in iterations:
        row = each._asdict() | {"job": job, "found": str(each.solutions), "weight": str(each.weight)}
        del row["solutions"]
        insert_row(connection, "iteration", row)


def read_checkpoint(
    connection: sqlite3.Connection, job: int, pieces: Callable[[], Iterator[Piece]]
) -> Checkpoint | LevelCheckpoint | None:
    """Return a job's checkpoint, one of levels with what reads its pieces; None if it was never saved, or is done."""
    if row := connection.execute("SELECT * FROM checkpoint WHERE job = ?", (job,)).fetchone():
        known = {name: row[name] for name in SAME}
        known |= {"branches": branches_of(row["branches"]), "weight": int(row["weight"])}
        return checked(Checkpoint(**known, iterations=read_iterations(connection, job)))
    if row := connection.execute("SELECT * FROM levels WHERE job = ?", (job,)).fetchone():
        known = {name: row[name] for name in SAME_OF_LEVELS}
        return checked(LevelCheckpoint(**known, count=int(row["count"]), pieces=pieces))
    return None


def write_checkpoint(connection: sqlite3.Connection, job: int, checkpoint: Checkpoint | LevelCheckpoint) -> int:
    """Write a job's checkpoint in place of any other, and return the bytes of entries; the caller must seal the job."""
    if isinstance(checkpoint, LevelCheckpoint):
        return _write_levels(connection, job, checkpoint)
    write_iterations(connection, job, checkpoint.iterations)
    delete_checkpoint(connection, job)  # perhaps left by another engine
    row = {name: getattr(checkpoint, name) for name in SAME}
    row |= {"job": job, "weight": str(checkpoint.weight), "branches": text_of(checkpoint.branches)}
    insert_row(connection, "checkpoint", row)
    return 0


def delete_checkpoint(connection: sqlite3.Connection, job: int) -> None:
    """Delete a job's checkpoint, of whatever engine."""
    for table in ("checkpoint", "entries", "levels"):
        connection.execute(f"DELETE FROM {table} WHERE job = ?", (job,))


def read_pieces(connection: sqlite3.Connection, job: int) -> Iterator[Piece]:
    """Yield the pieces of a job's checkpoint, once all of them are known to be as they were written."""
    (written,) = connection.execute("SELECT entries FROM levels WHERE job = ?", (job,)).fetchone()
    digest = hashlib.sha256()
    for each in _pieces(connection, job):
        _add(digest, each)
    if digest.hexdigest() != written:
        raise ValueError("the entries of a job are not as they were written")
    yield from _pieces(connection, job)


def _pieces(connection: sqlite3.Connection, job: int) -> Iterator[Piece]:
    rows = connection.execute("SELECT kind, level, words, data FROM entries WHERE job = ? ORDER BY rowid", (job,))
    for kind, level, words, data in rows:
        if not (type(kind) is type(level) is type(words) is int and type(data) is bytes):
            raise ValueError("entries that no search has left")
        yield Piece(kind, level, words, np.frombuffer(data, "<u8"))


def _write_levels(connection: sqlite3.Connection, job: int, checkpoint: LevelCheckpoint) -> int:
    # What another engine has left: its solutions, too, are only known by its checkpoint.
    connection.execute("DELETE FROM checkpoint WHERE job = ?", (job,))
    write_iterations(connection, job, ())
    delete_solutions(connection, job)
    (last,) = connection.execute("SELECT max(rowid) FROM entries").fetchone()
    digest, size = hashlib.sha256(), 0
    for each in checkpoint.pieces():
        piece = each._replace(data=np.ascontiguousarray(each.data, "<u8").view(np.uint8).data)
        insert_row(connection, "entries", {"job": job, **piece._asdict()})
        _add(digest, piece)
        size += len(piece.data)
    # Afterwards: their pages are free for the next entries, and their bytes need no copy for a rollback.
    connection.execute("DELETE FROM entries WHERE job = ? AND rowid <= ?", (job, last or 0))
    row = {name: getattr(checkpoint, name) for name in SAME_OF_LEVELS}
    row |= {"job": job, "count": str(checkpoint.count), "entries": digest.hexdigest()}
    insert_row(connection, "levels", row)
    return size


def _add(digest: "hashlib._Hash", piece: Piece) -> None:
    digest.update(b"%d %d %d %d " % (piece.kind, piece.level, piece.words, piece.data.nbytes))
    digest.update(piece.data)
