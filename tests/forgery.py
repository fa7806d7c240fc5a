"""Journals that somebody has changed who knows how they are sealed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from parsolve.journal.seals import write_seal
from parsolve.journal.solutions import MODULUS, sum_of_hashes


@contextmanager
def forging(path: Path) -> Iterator[sqlite3.Connection]:
    """Change a journal as one may who knows how it is sealed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection
        found = connection.execute("SELECT \"limit\", moves FROM solution WHERE typeof(moves) = 'blob'")
        connection.execute("UPDATE job SET digest = ?", (f"{sum_of_hashes(map(tuple, found)) % MODULUS:x}",))
        for (id_,) in connection.execute("SELECT id FROM job").fetchall():
            write_seal(connection, id_)
