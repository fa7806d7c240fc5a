"""The tables of a journal, and the statements that lead from each version to the next."""

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
    ALTER TABLE job ADD COLUMN digest TEXT NOT NULL DEFAULT '0';  -- of its solutions
    ALTER TABLE job ADD COLUMN seal TEXT NOT NULL DEFAULT '';     -- of all else that the journal has of it
    UPDATE job SET digest = (SELECT coalesce(digest(moves), '0') FROM solution WHERE solution.job = job.id);
    """,
    """
    CREATE INDEX branch_of_job ON branch (job);
    CREATE TABLE summary (           -- one row
        jobs TEXT NOT NULL,          -- digest of the jobs' ids and names
        path TEXT NOT NULL           -- where the journal was when it was last written
    );
    INSERT INTO summary VALUES ('0', '');
    """,
    """
    ALTER TABLE checkpoint RENAME COLUMN worth TO weight;
    ALTER TABLE checkpoint ADD COLUMN branches TEXT NOT NULL DEFAULT '0';  -- digest of the job's branches
    UPDATE checkpoint SET branches = (
        SELECT coalesce(digest(CAST(branch AS BLOB)), '0') FROM branch WHERE branch.job = checkpoint.job
    );
    """,
    """
    ALTER TABLE job ADD COLUMN samples TEXT NOT NULL DEFAULT '[]';  -- how it went: rows of `search.samples`, JSON
    """,
    """
    ALTER TABLE job ADD COLUMN data TEXT NOT NULL DEFAULT '';  -- digest of lookups and root; empty before a search
    """,
)
"""What leads from each version to the next; the version is SQLite's `user_version`. A released step is never edited."""

VERSION = len(STEPS)
