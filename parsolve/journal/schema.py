"""The tables of a journal, and how an older one becomes a newer one."""

import hashlib
import sqlite3

APPLICATION = 0x50415253
"""SQLite's application id of a journal: "PARS"."""

STEPS = (
    """
    CREATE TABLE job (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        source TEXT NOT NULL,        -- as the user named the puzzle
        parameters TEXT NOT NULL,    -- all of them, JSON
        want TEXT NOT NULL,
        notes TEXT NOT NULL,         -- other columns of a job file, JSON
        fingerprint TEXT NOT NULL,   -- of the puzzle's rules
        meaning INTEGER NOT NULL,    -- which version of branches these are
        state TEXT NOT NULL,         -- waiting, running, stopped, done or failed
        message TEXT NOT NULL,       -- why it stopped or failed
        status TEXT NOT NULL,        -- solved, none or stopped
        cost INTEGER,
        count TEXT,                  -- exact; numbers of any size are text
        found TEXT NOT NULL,         -- solutions so far
        nodes INTEGER NOT NULL,      -- in all limits and runs, as are the seconds
        seconds REAL NOT NULL,
        workers INTEGER NOT NULL,
        machine TEXT NOT NULL,       -- processor and versions, JSON
        began TEXT,                  -- UTC, ISO 8601
        ended TEXT
    );
    CREATE TABLE iteration (         -- limits that are finished
        job INTEGER NOT NULL REFERENCES job(id),
        "limit" INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        found TEXT NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (job, "limit")
    );
    CREATE TABLE checkpoint (        -- the limit that is searched
        job INTEGER PRIMARY KEY REFERENCES job(id),
        "limit" INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        worth TEXT NOT NULL,
        cut INTEGER NOT NULL,
        share REAL NOT NULL,
        iteration_seconds REAL NOT NULL,
        seconds REAL NOT NULL
    );
    CREATE TABLE branch (            -- all that is left of that limit: path, pending and sizes, JSON
        job INTEGER NOT NULL REFERENCES job(id),
        branch TEXT NOT NULL
    );
    CREATE TABLE solution (          -- moves of 2 bytes, the higher first: they sort in depth-first order
        job INTEGER NOT NULL REFERENCES job(id),
        moves BLOB NOT NULL,
        PRIMARY KEY (job, moves)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE checkpoint ADD COLUMN digest TEXT NOT NULL DEFAULT '';  -- of its branches: none may be missing
    UPDATE checkpoint SET digest = (SELECT coalesce(digest(branch), '') FROM branch WHERE job = checkpoint.job);
    """,
)
"""What leads from each version to the next; the version is SQLite's `user_version`."""

VERSION = len(STEPS)


class Digest:
    """SQL's `digest(text)`: SHA-256 of all the texts, in any order."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, text: str) -> None:
        """Take in a text."""
        self._sum += int.from_bytes(hashlib.sha256(text.encode()).digest())

    def finalize(self) -> str:
        """The digest of all."""
        return f"{self._sum % (1 << 256):064x}"


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a journal of an older version, or an empty file, up to date, in one transaction."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    steps = "".join(STEPS[version:])
    connection.executescript(
        f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; {steps} PRAGMA user_version = {VERSION}; COMMIT;"
    )
