"""Checkpoints of a job: its finished limits, its sums, and its open branches.

A save writes only the changes since the last one. An open branch stays the same object until it is searched, so the
identity of objects shows which branches are new and which are gone, without comparing their moves.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsolve.journal.integrity import Digest, branch_digest
from parsolve.journal.levels import delete_levels
from parsolve.journal.records import branch_of, checked, text_of
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Iteration


@dataclass(frozen=True)
class OpenBranches:
    """The branches of one job as the journal holds them.

    Attributes:
        job: its id.
        digest: digest of the set of their texts.
        rows: each branch with its row id, by identity. Without the branch its identity could become another object's.
    """

    job: int
    digest: str
    rows: Mapping[int, tuple[Branch, int]]

    @staticmethod
    def read(connection: sqlite3.Connection, job: int) -> "OpenBranches":
        """Return the branches of a job."""
        rows = {}
        query = "SELECT branch, rowid FROM branch WHERE job = ? ORDER BY rowid"
        for text, row in connection.execute(query, (job,)):
            branch = branch_of(text)
            rows[id(branch)] = branch, row
        return OpenBranches(job, branch_digest(connection, job), rows)

    def write(self, connection: sqlite3.Connection, branches: Sequence[Branch]) -> "OpenBranches":
        """Delete the rows of finished branches, insert new ones, and return the contents of the journal after the
        commit."""
        now = {id(branch): branch for branch in branches}
        assert len(now) == len(branches), "a branch is open twice"
        rows = dict(self.rows)
        texts = self._texts(connection, [rows.pop(key)[1] for key in self.rows.keys() - now.keys()])
        digest = Digest(self.digest)
        for branch in [branch for key, branch in now.items() if key not in rows]:
            text = text_of(branch)
            row = texts.pop(text, None)  # the same branch as another object
            if row is None:
                row = connection.execute("INSERT INTO branch VALUES (?, ?)", (self.job, text)).lastrowid
                assert row is not None
                digest.add(text.encode())
            rows[id(branch)] = branch, row
        for text, row in texts.items():
            connection.execute("DELETE FROM branch WHERE rowid = ?", (row,))
            digest.remove(text.encode())
        return OpenBranches(self.job, digest.hexdigest(), rows)

    def _texts(self, connection: sqlite3.Connection, rows: Iterable[int]) -> dict[str, int]:
        """Return the texts of some rows with their row ids; branches are disjoint, so all texts differ."""
        query = "SELECT branch FROM branch WHERE rowid = ? AND job = ?"
        texts = {}
        for row in rows:
            found = connection.execute(query, (row, self.job)).fetchone()
            if found is None:
                raise sqlite3.DatabaseError("a branch is missing")
            texts[found[0]] = row
        return texts


def read_iterations(connection: sqlite3.Connection, job: int) -> list[Iteration]:
    """Return the limits that a job has finished."""
    query = 'SELECT "limit", nodes, found, seconds, weight, cut FROM iteration WHERE job = ? ORDER BY 1'
    rows = connection.execute(query, (job,))
    return [
        checked(Iteration(limit, nodes, int(found), seconds, int(weight), bool(cut)))
        for limit, nodes, found, seconds, weight, cut in rows
    ]


def write_iterations(connection: sqlite3.Connection, job: int, iterations: Iterable[Iteration]) -> None:
    """Write the limits that a job has finished."""
    connection.executemany(
        "INSERT OR REPLACE INTO iteration VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (job, each.limit, each.nodes, str(each.solutions), each.seconds, str(each.weight), each.cut)
            for each in iterations
        ),
    )


def read_checkpoint(connection: sqlite3.Connection, job: int) -> tuple[Checkpoint, OpenBranches] | None:
    """Return a job's checkpoint, and its branches with their rows; None if it was never saved or is done."""
    row = connection.execute("SELECT * FROM checkpoint WHERE job = ?", (job,)).fetchone()
    if row is None:
        return None
    held = OpenBranches.read(connection, job)
    checkpoint = Checkpoint(
        iterations=read_iterations(connection, job),
        limit=row["limit"],
        branches=[branch for branch, _ in held.rows.values()],
        nodes=row["nodes"],
        found=int(row["weight"]),
        cut=bool(row["cut"]),
        share=row["share"],
        iteration_seconds=row["iteration_seconds"],
        seconds=row["seconds"],
    )
    return checked(checkpoint), held


def write_checkpoint(
    connection: sqlite3.Connection, job: int, checkpoint: Checkpoint, held: OpenBranches | None
) -> OpenBranches:
    """Write a job's checkpoint, and return the contents of the journal then; the caller must seal the job.

    Args:
        connection: connection to the journal, in a transaction.
        job: its id.
        checkpoint: its checkpoint.
        held: the contents of the journal, as this function or `read_checkpoint` last returned them; None otherwise.
    """
    if held is None or (held.job, held.digest) != (job, branch_digest(connection, job)):
        held = OpenBranches.read(connection, job)
    held = held.write(connection, checkpoint.branches)
    write_iterations(connection, job, checkpoint.iterations)
    delete_levels(connection, job)  # left by another engine
    connection.execute(
        "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            job,
            checkpoint.limit,
            checkpoint.nodes,
            str(checkpoint.found),
            checkpoint.cut,
            checkpoint.share,
            checkpoint.iteration_seconds,
            checkpoint.seconds,
            held.digest,
        ),
    )
    return held


def delete_checkpoint(connection: sqlite3.Connection, job: int) -> None:
    """Delete a job's checkpoint."""
    delete_branches(connection, job)
    delete_levels(connection, job)


def delete_branches(connection: sqlite3.Connection, job: int) -> None:
    """Delete the checkpoint of a job that is searched limit after limit."""
    connection.execute("DELETE FROM branch WHERE job = ?", (job,))
    connection.execute("DELETE FROM checkpoint WHERE job = ?", (job,))
