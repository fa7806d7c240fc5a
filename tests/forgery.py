"""Journals that somebody has changed who knows how they are sealed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from parsolve.journal.integrity import Digest, write_seal


@contextmanager
def forging(path: Path, digests: bool = True) -> Iterator[sqlite3.Connection]:
    """Change a journal as one may who knows how it is sealed.

    `digests`: whether those of branches and solutions are made to fit, too.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection
        if digests:
            moves = "SELECT moves FROM solution WHERE typeof(moves) = 'blob'"
            connection.execute("UPDATE job SET digest = ?", (digest_of(connection, moves),))
            texts = "SELECT CAST(branch AS BLOB) FROM branch"
            connection.execute("UPDATE checkpoint SET branches = ?", (digest_of(connection, texts),))
        for (id_,) in connection.execute("SELECT id FROM job").fetchall():
            write_seal(connection, id_)


def digest_of(connection: sqlite3.Connection, query: str) -> str:
    """The digest of the values that a query gives."""
    digest = Digest()
    for (value,) in connection.execute(query).fetchall():
        digest.add(value)
    return digest.hexdigest()
