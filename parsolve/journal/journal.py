"""The journal: one SQLite file, readable by another machine, another Python and any number of workers.

What a search has found and what is left of it change in one transaction, on disk when it ends. SQLite's rollback
journal lies beside the file only while a transaction runs: at any other moment the one file is all there is. Nothing in
it is ever unpickled or imported: branches are moves as JSON.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parsolve.errors import BadInput, BadPuzzle, Damaged, ParsolveError, Unwritable
from parsolve.journal.file import JournalFile, is_locked, require_ours_beside, require_own_name, require_plain
from parsolve.journal.integrity import Digest, require_schema, seal, sealed_name
from parsolve.journal.records import (
    Job,
    checkpoint_of,
    differing,
    iteration_of,
    packed,
    text_of,
    unpacked,
)
from parsolve.journal.schema import APPLICATION, VERSION, migrate
from parsolve.puzzle import Want
from parsolve.report.machine import machine
from parsolve.search.branch import MEANING
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Iteration, Result
from parsolve.text import one_line

PASSING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
"""SQLite's errors that may pass: a full disk, or another process that holds it for a moment."""

CHUNK = 10_000
"""Solutions that are read at once: a reader that waits for its output must not hold up the writer."""


class Journal:
    """A journal that this process alone writes.

    Args:
        path: of the file; made if it is not there.
        reading: only to be looked at, also while another process writes it.

    Raises:
        BadInput: it is no journal, of another version, in use, or cannot be opened.
        Damaged: it is not as it was written; so all that reads it.
        Unwritable: the disk is full, say; so all that writes it, and then nothing has changed.
        JournalGone: the file is not at its path any more; so all that writes it.
    """

    def __init__(self, path: Path, reading: bool = False) -> None:
        self.path = path
        self.reading = reading
        self._file: JournalFile | None = None
        if not reading:
            self._file = JournalFile(path)
        elif not require_plain(path).exists():
            raise BadInput(f"there is no journal {path}")
        else:
            require_ours_beside(path)
        try:
            with self._reading():
                self.connection = sqlite3.connect(
                    f"{path.absolute().as_uri()}?mode={self._mode}",
                    uri=True,
                    isolation_level=None,
                    timeout=10,
                    check_same_thread=False,
                )
                self._open()
        except BaseException:
            self.close()
            raise

    @property
    def _mode(self) -> str:
        """Also who only reads finishes what a killed process left half written, if it may."""
        places = (self.path, self.path.absolute().parent)
        return "ro" if self.reading and not all(os.access(place, os.W_OK) for place in places) else "rw"

    def _open(self) -> None:
        self.connection.row_factory = sqlite3.Row
        self.connection.create_aggregate("digest", 1, Digest)  # type: ignore[arg-type]
        self.connection.execute("PRAGMA trusted_schema = OFF")
        (tables,) = self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (application,) = self.connection.execute("PRAGMA application_id").fetchone()
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise BadInput(f"{self.path} is an SQLite file, but no parsolve journal")
        if version > VERSION:
            raise BadInput(f"{self.path} is of a newer parsolve (journal version {version}, here {VERSION})")
        if version == VERSION:
            require_schema(self.connection)
            ((path,),) = self.connection.execute("SELECT path FROM summary").fetchall()
            require_own_name(self.path.resolve(), str(path))
        if self.reading:
            if not tables:
                raise BadInput(f"the journal {self.path} has no jobs yet")
            if version < VERSION:
                raise BadInput(
                    f"{self.path} is of an older parsolve (journal version {version}, here {VERSION}): resume a job in"
                    " it, which brings it up to date"
                )
        else:
            self.connection.execute("PRAGMA journal_mode = DELETE")
            self.connection.execute("PRAGMA synchronous = FULL")
            (sound,) = self.connection.execute("PRAGMA integrity_check(1)").fetchone()
            if sound != "ok":
                raise sqlite3.DatabaseError(sound)
            migrate(self.connection, self._seal_all)
            require_schema(self.connection)
            self.jobs()
            self._write_path()

    def _write_path(self) -> None:
        here = os.fsencode(self.path.resolve()).decode(errors="replace")
        with self._transaction() as write:
            write.execute("UPDATE summary SET path = ? WHERE path <> ?", (here, here))

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise our errors instead of SQLite's."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise BadPuzzle("the same moves lead to two solutions: siblings need different moves") from error
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # not SQLite's own: a text that is none
                raise self._damaged(str(error)) from error
            kind = Unwritable if code & 0xFF in PASSING else BadInput
            raise kind(f"the journal {self.path} cannot be used: {error}") from error
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
                raise Damaged(f"{self.path} is no parsolve journal, or its first bytes are damaged") from error
            raise self._damaged(str(error)) from error

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise `Damaged` where what is read is not what is ever written."""
        with self._errors():
            try:
                yield
            except ParsolveError:
                raise
            except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
                raise self._damaged(f"{type(error).__name__} {error}") from error

    def _damaged(self, how: str) -> Damaged:
        reason = " ".join(how.split())[:200]
        return Damaged(
            f"the journal {self.path} is damaged ({reason}): it may be a copy made while it was written; SQLite's own"
            f" recovery may save it: sqlite3 {self.path} .recover | sqlite3 recovered.sqlite"
        )

    def close(self) -> None:
        """Close the file, and let others write it."""
        connection = getattr(self, "connection", None)
        if connection is not None:
            connection.close()
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Reading.

    def jobs(self) -> list[Job]:
        """All jobs, in the order in which they came. One that was running when its process ended is `stopped`."""
        return self._jobs("")

    def _jobs(self, condition: str, *values: Any) -> list[Job]:
        running = not self.reading or is_locked(self.path)
        jobs = []
        digest = Digest()
        with self._reading(), self._transaction("DEFERRED"):  # one moment, also while another process writes
            for row in self.connection.execute(f"SELECT * FROM job {condition} ORDER BY id", values).fetchall():
                if row["seal"] != seal(self.connection, row["id"]):  # before anything in it is looked at
                    raise self._damaged("a job is not as it was written")
                jobs.append(Job.read(row, running))
                digest.step(sealed_name(row["id"], row["name"]))
            if not condition and digest.finalize() != self._summary():
                raise self._damaged("a job is missing")
        return jobs

    def _summary(self) -> str:
        ((jobs,),) = self.connection.execute("SELECT jobs FROM summary").fetchall()
        return str(jobs)

    def job(self, name: str) -> Job | None:
        """A job by its name."""
        return next(iter(self._jobs("WHERE name = ?", name)), None)

    def iterations(self, job: Job) -> list[Iteration]:
        """The limits that a job has finished."""
        with self._reading():
            rows = self.connection.execute(
                'SELECT "limit", nodes, found, seconds FROM iteration WHERE job = ? ORDER BY 1', (job.id,)
            )
            return [iteration_of(row) for row in rows]

    def checkpoint(self, job: Job) -> Checkpoint | None:
        """Where a job stands, if it was begun and is not done."""
        with self._reading():
            row = self.connection.execute("SELECT * FROM checkpoint WHERE job = ?", (job.id,)).fetchone()
            if row is None:
                return None
            branches = self.connection.execute("SELECT branch FROM branch WHERE job = ? ORDER BY rowid", (job.id,))
            return checkpoint_of(row, self.iterations(job), [text for (text,) in branches])

    def solutions(
        self, job: Job, after: tuple[int, ...] | None = None, before: tuple[int, ...] | None = None
    ) -> Iterator[tuple[int, ...]]:
        """A job's solutions so far, as moves, in depth-first order, from one to another, both excluded."""
        end = "" if before is None else "AND moves < ?"
        query = f"SELECT moves FROM solution WHERE job = ? AND moves > ? {end} ORDER BY moves LIMIT {CHUNK}"
        values = () if before is None else (packed(before),)
        last: Any = "" if after is None else packed(after)  # for SQLite any bytes are greater than a text
        with self._reading():
            while rows := self.connection.execute(query, (job.id, last, *values)).fetchall():
                for (moves,) in rows:
                    if not isinstance(moves, bytes) or (last and moves <= last):
                        raise self._damaged("the solutions are not in order")
                    last = moves
                    yield unpacked(moves)

    def verify(self, job: Job) -> None:
        """See that a job's solutions are those that were written; all else is looked at whenever jobs are read.

        Raises:
            Damaged: they are not.
        """
        digest, last = Digest(), b""
        with self._reading(), self._transaction("DEFERRED"):
            (written,) = self.connection.execute("SELECT digest FROM job WHERE id = ?", (job.id,)).fetchone()
            for (moves,) in self.connection.execute(
                "SELECT moves FROM solution WHERE job = ? ORDER BY moves", (job.id,)
            ):
                if last and moves <= last:
                    raise self._damaged(f"the solutions of the job {job.name} are not in order")
                digest.step(moves)
                last = moves
        if written != digest.finalize():
            raise self._damaged(f"the solutions of the job {job.name} are not as they were written")

    def _seal_all(self) -> None:
        """Seal what an older version left without one."""
        digest = Digest()
        for id_, name, sealed in self.connection.execute("SELECT id, name, seal FROM job").fetchall():
            digest.step(sealed_name(id_, name))
            if not sealed:
                self._seal(id_)
        self.connection.execute("UPDATE summary SET jobs = ?", (digest.finalize(),))

    def _seal(self, id_: int) -> None:
        self.connection.execute("UPDATE job SET seal = ? WHERE id = ?", (seal(self.connection, id_), id_))

    # Writing.

    def add(
        self,
        name: str,
        source: str,
        parameters: Mapping[str, Any],
        want: Want,
        fingerprint: str,
        notes: Mapping[str, Any],
    ) -> Job:
        """A job, new or as it stands; one that has not come to anything yet is as good as new.

        Raises:
            BadInput: there is one of that name, and it is another, or its puzzle's rules have been edited since.
        """
        there = self.job(name)
        if there is None or not (there.nodes or there.state == "done"):
            with self._transaction() as write:
                id_ = there.id if there else None
                for table in ("iteration", "checkpoint", "branch"):
                    write.execute(f"DELETE FROM {table} WHERE job = ?", (id_,))
                write.execute(
                    "INSERT OR REPLACE INTO job (id, name, source, parameters, want, notes, fingerprint, meaning,"
                    " state, message, status, found, nodes, seconds, workers, machine)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', '', 'stopped', '0', 0, 0, 0, '{}')",
                    (id_, name, source, json.dumps(parameters), want, json.dumps(notes), fingerprint, MEANING),
                )
                if there is None:
                    ((id_,),) = write.execute("SELECT id FROM job WHERE name = ?", (name,))
                    digest = Digest(self._summary())
                    digest.step(sealed_name(id_, name))
                    write.execute("UPDATE summary SET jobs = ?", (digest.finalize(),))
                assert id_ is not None
                self._seal(id_)
            there = self.job(name)
            assert there is not None
            return there
        mine = (source.rpartition(":")[2], json.loads(json.dumps(parameters)), want)
        other = (there.source.rpartition(":")[2], there.parameters, there.want)
        for what, now, then in zip(("puzzle", "parameters", "want"), mine, other, strict=True):
            if now != then:
                raise BadInput(f"{self.path}: the job {name} has {differing(what, then, now)}")
        for edited, how in (
            (there.fingerprint != fingerprint, f"the rules of {source} have been edited since"),
            (there.meaning != MEANING, "in this version of parsolve branches mean something else than when"),
        ):
            if edited:
                anew = "another name or another journal begins it anew"
                raise BadInput(f"{self.path}: {how} the job {name} was begun; {anew}")
        self.verify(there)
        return there

    def begin(self, job: Job) -> None:
        """A job runs from now on, here."""
        began = job.began or _now()
        with self._transaction():
            self._update(job, state="running", message="", machine=json.dumps(machine()), began=began)

    def save(self, job: Job, found: Result, checkpoint: Checkpoint, paths: Sequence[tuple[int, ...]]) -> None:
        """Keep a checkpoint and the solutions that came with it, in one transaction.

        Raises:
            BadPuzzle: a solution is there already.
        """
        with self._transaction() as write:
            self._write(job, checkpoint.iterations, paths)
            write.execute("DELETE FROM branch WHERE job = ?", (job.id,))
            rows = ((job.id, text_of(branch)) for branch in checkpoint.branches)
            write.executemany("INSERT INTO branch VALUES (?, ?)", rows)
            write.execute(
                "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    job.id,
                    checkpoint.limit,
                    checkpoint.nodes,
                    str(checkpoint.found),
                    checkpoint.cut,
                    checkpoint.share,
                    checkpoint.iteration_seconds,
                    checkpoint.seconds,
                ),
            )
            self._update(
                job,
                found=str(found.problem.total(checkpoint.found)),
                nodes=checkpoint.nodes + sum(each.nodes for each in checkpoint.iterations),
                seconds=checkpoint.seconds,
                workers=found.workers,
            )

    def stop(self, job: Job, state: str, message: str) -> None:
        """A job does not run any more, and is not done."""
        with self._transaction():
            self._update(job, state=state, message=one_line(message), ended=_now())

    def end(self, job: Job, found: Result, paths: Sequence[tuple[int, ...]]) -> None:
        """A job is done, and nothing is left of it; in one transaction.

        Args:
            job: which.
            found: what it has come to.
            paths: its last solutions.
        """
        with self._transaction() as write:
            self._write(job, found.iterations, paths)
            write.execute("DELETE FROM branch WHERE job = ?", (job.id,))
            write.execute("DELETE FROM checkpoint WHERE job = ?", (job.id,))
            self._update(
                job,
                state="done",
                message="",
                ended=_now(),
                status=found.status,
                cost=found.cost,
                count=None if found.count is None else str(found.count),
                found=str(found.found_so_far),
                nodes=found.nodes,
                seconds=found.seconds,
                workers=found.workers,
            )

    def _write(self, job: Job, iterations: Iterable[Iteration], paths: Iterable[tuple[int, ...]]) -> None:
        (before,) = self.connection.execute("SELECT digest FROM job WHERE id = ?", (job.id,)).fetchone()
        digest = Digest(before)
        for path in paths:
            moves = packed(path)
            digest.step(moves)
            # One that is there already would be one counted twice: SQLite refuses it.
            self.connection.execute("INSERT INTO solution VALUES (?, ?)", (job.id, moves))
        self.connection.execute("UPDATE job SET digest = ? WHERE id = ?", (digest.finalize(), job.id))
        self.connection.executemany(
            "INSERT OR REPLACE INTO iteration VALUES (?, ?, ?, ?, ?)",
            ((job.id, each.limit, each.nodes, str(each.solutions), each.seconds) for each in iterations),
        )

    def _update(self, job: Job, **values: Any) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        self.connection.execute(f"UPDATE job SET {columns} WHERE id = ?", (*values.values(), job.id))
        self._seal(job.id)

    @contextlib.contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self._errors():
            if self._file is not None:
                self._file.require_in_place()
            self.connection.execute(f"BEGIN {kind}")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # a full disk has rolled it back already
                    self.connection.execute("ROLLBACK")
                raise


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
