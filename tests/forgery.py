"""Journals that somebody has changed who knows how they are sealed."""

import sqlite3
from collections.abc import Iterable, Iterator
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
            found = connection.execute("SELECT \"limit\", moves FROM solution WHERE typeof(moves) = 'blob'")
            sealed = digest_of(limit.to_bytes(8) + moves for limit, moves in found)
            connection.execute("UPDATE job SET digest = ?", (sealed,))
            texts = connection.execute("SELECT CAST(branch AS BLOB) FROM branch")
            connection.execute("UPDATE checkpoint SET branches = ?", (digest_of(text for (text,) in texts),))
        for (id_,) in connection.execute("SELECT id FROM job").fetchall():
            write_seal(connection, id_)


def digest_of(values: Iterable[bytes]) -> str:
    """The digest of a set of values."""
    digest = Digest()
    for value in values:
        digest.add(value)
    return digest.hexdigest()
