"""The tables of a journal."""

import contextlib
import functools
import re
import sqlite3
from collections.abc import Mapping
from typing import Any

APPLICATION = 0x50415253
"""SQLite's application id of a journal: "PARS"."""

VERSION = 18
"""SQLite's `user_version`: raised with each change of the tables, of what branches mean, and of the units of parts. A
journal of another version is refused."""

ADDED = ("lost_and_found", "sqlite_stat")
"""How the names of tables begin that SQLite adds: rows that its recovery could not place, and its statistics."""

TABLES = """
    CREATE TABLE job (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        source TEXT NOT NULL,        -- as the user named the puzzle
        parameters TEXT NOT NULL,    -- all of them, JSON
        want TEXT NOT NULL,
        at_most INTEGER,             -- as it was asked for, as is the slack
        slack INTEGER NOT NULL,
        part TEXT NOT NULL,          -- such as 17/1000; empty for the whole tree
        notes TEXT NOT NULL,         -- other columns of a job file, JSON
        rules TEXT NOT NULL,         -- digest of the puzzle's rules; this and the next are empty before it has begun
        data TEXT NOT NULL,          -- digest of what its methods return: lookups, root, limits with their steps …
        answer TEXT NOT NULL,        -- digest of the levels behind its answer; empty where rules and data say it all
        state TEXT NOT NULL,         -- waiting, running, stopped, done or failed
        message TEXT NOT NULL,       -- why it stopped or failed
        status TEXT NOT NULL,        -- solved, none, more or stopped
        cost INTEGER,
        count TEXT,                  -- exact; numbers of any size are text
        found TEXT NOT NULL,         -- solutions so far
        nodes INTEGER NOT NULL,      -- in all limits and runs, as are the seconds
        seconds REAL NOT NULL,
        workers INTEGER NOT NULL,
        engine TEXT NOT NULL,        -- that has searched; empty before it has begun
        machine TEXT NOT NULL,       -- processor and versions, JSON
        began TEXT,                  -- UTC, ISO 8601
        ended TEXT,
        digest TEXT NOT NULL,        -- sum of the hashes of its solutions
        seal TEXT NOT NULL           -- hash of all else that the journal has of it
    );
    CREATE TABLE iteration (         -- limits that are finished
        job INTEGER NOT NULL REFERENCES job(id),
        "limit" INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        found TEXT NOT NULL,
        seconds REAL NOT NULL,
        weight TEXT NOT NULL,        -- of a part's solved states; 0 for the whole tree, as is the next
        cut INTEGER NOT NULL,        -- the least cost + bound that it has cut off; 1: unknown; 0: none
        PRIMARY KEY (job, "limit")
    );
    CREATE TABLE checkpoint (        -- the limit that is searched
        job INTEGER PRIMARY KEY REFERENCES job(id),
        "limit" INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        weight TEXT NOT NULL,
        cut INTEGER NOT NULL,
        share REAL NOT NULL,
        iteration_seconds REAL NOT NULL,
        seconds REAL NOT NULL,
        branches TEXT NOT NULL       -- all that is left of that limit: path, pending and sizes of each branch, JSON
    );
    CREATE TABLE levels (            -- where a search by levels stands
        job INTEGER PRIMARY KEY REFERENCES job(id),
        form TEXT NOT NULL,          -- of the entries
        meaning TEXT NOT NULL,       -- digest of what they mean
        finished INTEGER NOT NULL,   -- levels
        nodes INTEGER NOT NULL,
        cost INTEGER NOT NULL,
        count TEXT NOT NULL,
        seconds REAL NOT NULL,
        entries TEXT NOT NULL        -- hash of the job's entries
    );
    CREATE TABLE entries (           -- all that is left of it
        job INTEGER NOT NULL REFERENCES job(id),
        kind INTEGER NOT NULL,       -- entries of a level, or what is known besides
        level INTEGER NOT NULL,
        words INTEGER NOT NULL,      -- of each count
        data BLOB NOT NULL           -- words of 8 bytes, the lowest first
    );
    CREATE INDEX entries_of_job ON entries (job);
    CREATE TABLE solution (          -- moves of 2 bytes, the higher first: they sort in depth-first order
        job INTEGER NOT NULL REFERENCES job(id),
        "limit" INTEGER NOT NULL,    -- of the iteration that has found it; before the moves in order
        moves BLOB NOT NULL,
        PRIMARY KEY (job, "limit", moves)
    ) WITHOUT ROWID;
    CREATE TABLE summary (           -- one row
        jobs INTEGER NOT NULL,       -- how many there are
        path TEXT NOT NULL           -- where the journal was when it was last written
    );
    INSERT INTO summary VALUES (0, '');
"""


def insert_row(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> int | None:
    """Insert a row, or replace that with the same key, and return its number."""
    names, places = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
    return connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})", (*row.values(),)).lastrowid


def require_schema(connection: sqlite3.Connection) -> None:
    """Check that a journal has exactly its own tables: no view, trigger, virtual table or generated column that runs
    foreign code."""
    if _objects(connection) != _expected():
        raise ValueError("its tables are not a journal's")


@functools.cache
def _expected() -> set[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as expected:
        expected.executescript(TABLES)
        return _objects(expected)


def _objects(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    """Return what a schema has, without comments, and without what SQLite itself adds, which is not read."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema").fetchall()
    rows = [row for row in rows if row[0] != "table" or not row[1].startswith(ADDED)]
    return {(*row[:3], re.sub(" *--.*", "", row[3])) for row in rows}
