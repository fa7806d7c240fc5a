"""A journal's SQLite file: opened and checked, with its transactions and its errors.

SQLite's rollback journal exists beside the file only during a transaction: at any other moment there is one file.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from parsolve.errors import BadInput, BadPuzzle, Damaged, ParsolveError, Unwritable
from parsolve.journal.journalfile import JournalFile, require_own_name, require_own_side_files, require_plain
from parsolve.journal.schema import APPLICATION, TABLES, VERSION, require_schema

TRANSIENT = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
"""SQLite errors that may pass: a full disk, or another process that holds the file for a moment."""

LARGE = 64 << 20
"""Free bytes of the file above which they are given back to the disk."""

TWICE = "the same moves lead to two solutions: siblings need different moves"
"""The error if a solution exists already."""


class Database:
    """The SQLite file of a journal, which this process alone writes.

    Args:
        path: path of the file; made if missing.
        reading: whether to read only, possibly while another process writes.

    Raises:
        BadInput: it is not a journal, of another version, in use, or cannot be opened.
        Damaged: it has been altered.
    """

    def __init__(self, path: Path, reading: bool) -> None:
        self.path = path
        self.reading = reading
        self._file: JournalFile | None = None
        with contextlib.ExitStack() as opened:
            if not reading:
                self._file = opened.enter_context(contextlib.closing(JournalFile(path)))
            elif not require_plain(path).exists():
                raise BadInput(f"there is no journal {path}")
            else:
                require_own_side_files(path)
            # A reader also completes what a killed process has left half written, if it may.
            writable = all(os.access(place, os.W_OK) for place in (path, path.absolute().parent))
            name = f"{path.absolute().as_uri()}?mode={'ro' if reading and not writable else 'rw'}"
            with self.checked():
                self.connection = sqlite3.connect(
                    name, uri=True, isolation_level=None, timeout=10, check_same_thread=False
                )
                opened.enter_context(contextlib.closing(self.connection))
                self._open()
            self._opened = opened.pop_all()

    def _open(self) -> None:
        connection = self.connection
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("BEGIN")  # one lock for all that follows
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise BadInput(f"{self.path} is an SQLite file, but not a parsolve journal: name another file")
        if tables and version != VERSION:
            raise BadInput(
                f"{self.path} is of another version of parsolve (journal version {version}, here {VERSION}): use that"
                " one, or name another file"
            )
        if tables:
            require_schema(connection)
            ((path,),) = connection.execute("SELECT path FROM summary").fetchall()
            require_own_name(self.path, str(path))
        elif self.reading:
            raise BadInput(f"the journal {self.path} has no jobs yet")
        connection.execute("COMMIT")
        if not self.reading:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = FULL")
            (sound,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if sound != "ok":
                raise sqlite3.DatabaseError(sound)
            if not tables:
                numbers = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}"
                connection.executescript(f"BEGIN IMMEDIATE; {numbers}; {TABLES} COMMIT")

    def write_path(self) -> None:
        """Record the path: as long as a killed process has left files under that name, other names are refused."""
        here = os.fsencode(self.path.resolve()).decode(errors="replace")
        with self.transaction() as write:
            write.execute("UPDATE summary SET path = ? WHERE path <> ?", (here, here))

    @contextlib.contextmanager
    def transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Write everything in the body, or nothing.

        Raises:
            Unwritable: the journal cannot be written now, for example on a full disk; nothing has changed.
            JournalGone: the file is no longer at its path.
        """
        with self._translated():
            if self._file is not None:
                self._file.require_in_place()
            try:
                self.connection.execute(f"BEGIN {kind}")
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        """Undo now what a full disk has left half written, which SQLite does when the file is read: a copy is whole."""
        with contextlib.suppress(sqlite3.Error):
            self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    @contextlib.contextmanager
    def checked(self) -> Iterator[None]:
        """Raise `Damaged` on values that are never written."""
        with self._translated():
            try:
                yield
            except ParsolveError:
                raise
            except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
                known = type(error) is ValueError
                raise self._damaged(str(error) if known else f"{type(error).__name__} {error}") from error

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise parsolve's errors in place of SQLite's."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise BadPuzzle(TWICE) from error
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # an error of Python: a stored text is not text
                raise self._damaged(str(error)) from error
            if code == sqlite3.SQLITE_READONLY_DBMOVED and self._file is not None:
                self._file.require_in_place()
            kind = Unwritable if code & 0xFF in TRANSIENT else BadInput
            raise kind(f"the journal {self.path} cannot be used: {error}") from error
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
                raise Damaged(f"{self.path} is not a parsolve journal, or its first bytes are damaged") from error
            raise self._damaged(str(error)) from error

    def _damaged(self, how: str) -> Damaged:
        reason = " ".join(how.split())[:200]
        return Damaged(
            f"the journal {self.path} is damaged ({reason}): it may be a copy made while it was written; SQLite's own"
            f" recovery may save it: sqlite3 {self.path} .recover | sqlite3 recovered.sqlite"
        )

    def give_back(self) -> None:
        """Shrink the file if a large part of it is free, for example at the end of a count by sharing."""
        (free,), (page,) = (
            self.connection.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size")
        )
        if free * page > LARGE:
            try:
                self.connection.execute("VACUUM")
            except sqlite3.OperationalError:  # the disk is full: the file keeps its size
                self._roll_back()

    def close(self) -> None:
        """Close the file, and allow others to write it."""
        self._opened.close()
