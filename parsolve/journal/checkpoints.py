"""Where a job's search stands: its finished limits, its checkpoint, and the branches that are open.

A save writes what has changed since the one before. An open branch stays the same object until it is searched, so that
the identity of objects tells which branches are new and which are gone; their moves need not be compared.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from parsolve.journal.integrity import Digest, branch_digest
from parsolve.journal.records import branch_of, checkpoint_of, iteration_of, text_of
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Iteration


class OpenBranches:
    """The branches of one job as the journal holds them.

    Args:
        job: its id.
        digest: of the set of their texts.
        rows: each branch with its row id.
    """

    def __init__(self, job: int, digest: str, rows: Iterable[tuple[Branch, int]]) -> None:
        self.job = job
        self.digest = digest
        # By identity. The branch is held as well: else its identity could become another object's.
        self._rows = {id(branch): (branch, row) for branch, row in rows}

    @staticmethod
    def read(connection: sqlite3.Connection, job: int) -> "OpenBranches":
        """Return the branches of a job.

        Raises:
            ValueError, TypeError, IndexError: one is not as it was written.
        """
        rows = connection.execute("SELECT branch, rowid FROM branch WHERE job = ? ORDER BY rowid", (job,))
        return OpenBranches(job, branch_digest(connection, job), [(branch_of(text), row) for text, row in rows])

    @property
    def branches(self) -> list[Branch]:
        """The branches; the same objects are recognized when they are written again."""
        return [branch for branch, _ in self._rows.values()]

    def write(self, connection: sqlite3.Connection, branches: Sequence[Branch]) -> "Change":
        """Delete the rows of branches that are gone, insert those that are new, and return what has changed.

        This object stays as it is until `apply`: the transaction may be rolled back.
        """
        now = {id(branch): branch for branch in branches}
        assert len(now) == len(branches), "a branch is open twice"
        gone = self._rows.keys() - now.keys()
        texts = self._texts(connection, [self._rows[key][1] for key in gone])
        digest = Digest(self.digest)
        new = []
        for branch in [branch for key, branch in now.items() if key not in self._rows]:
            text = text_of(branch)
            row = texts.pop(text, None)  # the same branch as another object
            if row is None:
                row = connection.execute("INSERT INTO branch VALUES (?, ?)", (self.job, text)).lastrowid
                assert row is not None
                digest.add(text.encode())
            new.append((branch, row))
        for text, row in texts.items():
            connection.execute("DELETE FROM branch WHERE rowid = ?", (row,))
            digest.remove(text.encode())
        return Change(digest.hexdigest(), gone, new)

    def apply(self, change: "Change") -> None:
        """Take note that the transaction with a change is committed."""
        self.digest = change.digest
        for key in change.gone:
            del self._rows[key]
        self._rows.update((id(branch), (branch, row)) for branch, row in change.new)

    def _texts(self, connection: sqlite3.Connection, rows: Iterable[int]) -> dict[str, int]:
        """Return the texts of some rows with their row ids; branches are disjoint, so that no two texts are equal."""
        query = "SELECT branch FROM branch WHERE rowid = ? AND job = ?"
        texts = {}
        for row in rows:
            found = connection.execute(query, (row, self.job)).fetchone()
            if found is None:
                raise sqlite3.DatabaseError("a branch is missing")
            texts[found[0]] = row
        return texts


class Change(NamedTuple):
    """What a checkpoint changes: the digest, the identities of branches that are gone, and new ones with row ids."""

    digest: str
    gone: Iterable[int]
    new: Iterable[tuple[Branch, int]]


def read_iterations(connection: sqlite3.Connection, job: int) -> list[Iteration]:
    """Return the limits that a job has finished.

    Raises:
        ValueError, TypeError: one is not as it was written.
    """
    query = 'SELECT "limit", nodes, found, seconds FROM iteration WHERE job = ? ORDER BY 1'
    return [iteration_of(row) for row in connection.execute(query, (job,))]


def write_iterations(connection: sqlite3.Connection, job: int, iterations: Iterable[Iteration]) -> None:
    """Write the limits that a job has finished."""
    connection.executemany(
        "INSERT OR REPLACE INTO iteration VALUES (?, ?, ?, ?, ?)",
        ((job, each.limit, each.nodes, str(each.solutions), each.seconds) for each in iterations),
    )


def read_checkpoint(connection: sqlite3.Connection, job: int) -> tuple[Checkpoint, OpenBranches] | None:
    """Return where a job stands, and its branches with their rows; None if it was never saved or is done.

    Raises:
        ValueError, TypeError, IndexError: it is not as it was written.
    """
    row = connection.execute("SELECT * FROM checkpoint WHERE job = ?", (job,)).fetchone()
    if row is None:
        return None
    held = OpenBranches.read(connection, job)
    return checkpoint_of(row, read_iterations(connection, job), held.branches), held


def write_checkpoint(
    connection: sqlite3.Connection, job: int, checkpoint: Checkpoint, held: OpenBranches | None
) -> tuple[OpenBranches, Change]:
    """Write where a job stands; the job is to be sealed afterwards.

    Args:
        connection: to the journal, in a transaction.
        job: its id.
        checkpoint: where it stands.
        held: what the journal holds already, as this function or `read_checkpoint` returned it, if one did.

    Returns:
        What the journal holds, and the change to apply to it once the transaction is committed.
    """
    if held is None or (held.job, held.digest) != (job, branch_digest(connection, job)):
        held = OpenBranches.read(connection, job)
    change = held.write(connection, checkpoint.branches)
    write_iterations(connection, job, checkpoint.iterations)
    connection.execute(
        'INSERT OR REPLACE INTO checkpoint (job, "limit", nodes, weight, cut, share, iteration_seconds, seconds,'
        " branches) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            job,
            checkpoint.limit,
            checkpoint.nodes,
            str(checkpoint.found),
            checkpoint.cut,
            checkpoint.share,
            checkpoint.iteration_seconds,
            checkpoint.seconds,
            change.digest,
        ),
    )
    return held, change


def delete_checkpoint(connection: sqlite3.Connection, job: int) -> None:
    """Delete where a job stands: nothing is left of it."""
    connection.execute("DELETE FROM branch WHERE job = ?", (job,))
    connection.execute("DELETE FROM checkpoint WHERE job = ?", (job,))
