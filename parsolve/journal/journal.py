"""The journal: one SQLite file, readable by another machine, another Python and any number of workers.

What a search has found and what is left of it change in one transaction, on disk when it ends. Nothing in it is ever
unpickled: branches are moves as JSON.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from parsolve.engine.branch import MEANING
from parsolve.engine.checkpoint import Checkpoint
from parsolve.engine.found import Found, Iteration
from parsolve.errors import BadInput, BadPuzzle, Damaged, Unwritable
from parsolve.journal.lock import Lock, is_locked
from parsolve.journal.records import Job, branch_of, differing, packed, text_of, unpacked
from parsolve.journal.schema import APPLICATION, VERSION, Digest, migrate
from parsolve.puzzle import Want
from parsolve.report.machine import machine

NETWORK = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "fuse", "lustre", "beegfs", "gpfs", "virtiofs")
"""How the types of file systems begin on which SQLite's write-ahead log is not safe, or not known to be."""


class Journal:
    """A journal that this process alone writes.

    Args:
        path: of the file; made if it is not there.
        reading: only to be looked at, also while another process writes it.

    Raises:
        BadInput: it is no journal, of a newer version, in use, or cannot be opened.
        Damaged: it is not as it was written; so all that reads it.
        Unwritable: the disk is full, say; so all that writes it, and then nothing has changed.
    """

    def __init__(self, path: Path, reading: bool = False) -> None:
        self.path = path
        self.reading = reading
        if reading and not path.is_file():
            raise BadInput(f"there is no journal {path}")
        if not path.absolute().parent.is_dir():
            raise BadInput(f"there is no folder {path.parent} for the journal {path.name}")
        self._lock = None if reading else Lock(path)
        try:
            with self._in_words():
                self.connection = sqlite3.connect(path, isolation_level=None, timeout=10, check_same_thread=False)
                self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        self.connection.row_factory = sqlite3.Row
        self.connection.create_aggregate("digest", 1, Digest)  # type: ignore[arg-type]
        (tables,) = self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables:
            (application,) = self.connection.execute("PRAGMA application_id").fetchone()
            if application != APPLICATION:
                raise BadInput(f"{self.path} is an SQLite file, but no parsolve journal")
            (version,) = self.connection.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise BadInput(f"{self.path} is of a newer parsolve (journal version {version}, here {VERSION})")
            (sound,) = self.connection.execute("PRAGMA quick_check(1)").fetchone()
            if sound != "ok":
                raise sqlite3.DatabaseError(" ".join(sound.split()))
        elif self.reading:
            raise BadInput(f"{self.path} is empty")
        if not self.reading:
            mode = "DELETE" if on_network(self.path) else "WAL"
            self.connection.execute(f"PRAGMA journal_mode = {mode}")
            self.connection.execute("PRAGMA synchronous = FULL")
            migrate(self.connection)

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        """Our errors instead of SQLite's."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise BadPuzzle("the same moves lead to two solutions: siblings need different moves") from error
        except sqlite3.OperationalError as error:
            raise Unwritable(f"the journal {self.path} cannot be used: {error}") from error
        except sqlite3.Error as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, how: str) -> Damaged:
        return Damaged(
            f"the journal {self.path} is damaged ({how}); what is left of it may be had with:"
            f" sqlite3 {self.path} .recover | sqlite3 recovered.sqlite"
        )

    def close(self) -> None:
        """Let go of the file."""
        connection = getattr(self, "connection", None)
        if connection is not None:
            connection.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Reading.

    def jobs(self) -> list[Job]:
        """All jobs, in the order in which they came. One that was running when its process ended is `stopped`."""
        running = not self.reading or is_locked(self.path)
        try:
            return [Job.read(row, running) for row in self._rows("SELECT * FROM job ORDER BY id")]
        except ValueError as error:
            raise self._damaged(str(error)) from error

    def job(self, name: str) -> Job | None:
        """A job by its name."""
        return next((job for job in self.jobs() if job.name == name), None)

    def iterations(self, job: Job) -> list[Iteration]:
        """The limits that a job has finished."""
        rows = self._rows('SELECT "limit", nodes, found, seconds FROM iteration WHERE job = ? ORDER BY 1', job.id)
        return [Iteration(limit, nodes, int(found), seconds) for limit, nodes, found, seconds in rows]

    def checkpoint(self, job: Job) -> Checkpoint | None:
        """Where a job stands, if it was begun and is not done."""
        for row in self._rows("SELECT * FROM checkpoint WHERE job = ?", job.id):
            branches = self._rows("SELECT branch FROM branch WHERE job = ? ORDER BY rowid", job.id)
            return Checkpoint(
                iterations=self.iterations(job),
                limit=row["limit"],
                branches=[branch_of(text) for (text,) in branches],
                nodes=row["nodes"],
                found=int(row["worth"]),
                cut=bool(row["cut"]),
                share=row["share"],
                iteration_seconds=row["iteration_seconds"],
                seconds=row["seconds"],
            )
        return None

    def solutions(
        self, job: Job, after: tuple[int, ...] | None = None, before: tuple[int, ...] | None = None
    ) -> Iterator[tuple[int, ...]]:
        """A job's solutions so far, as moves, in depth-first order, from one to another, both excluded."""
        condition, values = "job = ?", [job.id, *(packed(path) for path in (after, before) if path is not None)]
        condition += " AND moves > ?" if after is not None else ""
        condition += " AND moves < ?" if before is not None else ""
        for (moves,) in self._rows(f"SELECT moves FROM solution WHERE {condition} ORDER BY moves", *values):
            yield unpacked(moves)

    def verify(self, job: Job) -> None:
        """See that all is there that a job says it has: SQLite's recovery may have to leave out something.

        Raises:
            Damaged: something is missing.
        """
        with self._transaction("DEFERRED"):  # one moment, also while another process writes
            (now,) = self._rows("SELECT want, found, nodes FROM job WHERE id = ?", job.id)
            ((nodes,),) = self._rows(
                "SELECT sum(nodes) FROM (SELECT nodes FROM iteration WHERE job = ?1"
                " UNION ALL SELECT nodes FROM checkpoint WHERE job = ?1)",
                job.id,
            )
            ((solutions,),) = self._rows("SELECT count(*) FROM solution WHERE job = ?", job.id)
            ((digest,),) = self._rows("SELECT coalesce(digest(branch), '') FROM branch WHERE job = ?", job.id)
            digests = [each for (each,) in self._rows("SELECT digest FROM checkpoint WHERE job = ?", job.id)]
        for what, sound in (
            ("solutions", now["want"] != "all" or str(solutions) == now["found"]),
            ("limits", (nodes or 0) == now["nodes"]),
            ("branches", digest == (digests[0] if digests else "")),
        ):
            if not sound:
                raise Damaged(f"the journal {self.path} is damaged: the job {job.name} has lost some of its {what}")

    def _rows(self, query: str, *values: Any) -> Iterator[sqlite3.Row]:
        with self._in_words():
            yield from self.connection.execute(query, values)

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
        """A job, new or as it stands.

        Raises:
            BadInput: there is one of that name, and it is another, or its puzzle's rules have been edited since.
        """
        there = self.job(name)
        if there is None:
            with self._transaction() as write:
                write.execute(
                    "INSERT INTO job (name, source, parameters, want, notes, fingerprint, meaning, state, message,"
                    " status, found, nodes, seconds, workers, machine)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', '', 'stopped', '0', 0, 0, 0, '{}')",
                    (name, source, json.dumps(parameters), want, json.dumps(notes), fingerprint, MEANING),
                )
            there = self.job(name)
            assert there is not None
            return there
        mine = (source.rpartition(":")[2], json.loads(json.dumps(parameters)), want)
        other = (there.source.rpartition(":")[2], there.parameters, there.want)
        for what, now, then in zip(("puzzle", "parameters", "want"), mine, other, strict=True):
            if now != then:
                raise BadInput(f"{self.path}: the job {name} has {differing(what, then, now)}")
        if there.fingerprint != fingerprint:
            raise BadInput(f"{self.path}: the rules of {source} have been edited since the job {name} was begun")
        if there.meaning != MEANING:
            raise BadInput(f"{self.path}: the job {name} was begun by a parsolve whose branches mean something else")
        self.verify(there)
        return there

    def begin(self, job: Job) -> None:
        """A job runs from now on, here."""
        began = job.began or _now()
        with self._transaction():
            self._update(job, state="running", message="", machine=json.dumps(machine()), began=began)

    def save(self, job: Job, found: Found, checkpoint: Checkpoint, paths: Sequence[tuple[int, ...]]) -> None:
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
                "INSERT OR REPLACE INTO checkpoint VALUES (?1, ?, ?, ?, ?, ?, ?, ?,"
                " (SELECT coalesce(digest(branch), '') FROM branch WHERE job = ?1))",
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
                found=str(found.puzzle.total(checkpoint.found)),
                nodes=checkpoint.nodes + sum(each.nodes for each in checkpoint.iterations),
                seconds=checkpoint.seconds,
                workers=found.workers,
            )

    def stop(self, job: Job, state: str, message: str) -> None:
        """A job does not run any more, and is not done."""
        with self._transaction():
            self._update(job, state=state, message=message, ended=_now())

    def end(self, job: Job, found: Found, paths: Sequence[tuple[int, ...]]) -> None:
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
        # A solution that is there already would be one counted twice: SQLite refuses it.
        self.connection.executemany("INSERT INTO solution VALUES (?, ?)", ((job.id, packed(path)) for path in paths))
        self.connection.executemany(
            "INSERT OR REPLACE INTO iteration VALUES (?, ?, ?, ?, ?)",
            ((job.id, each.limit, each.nodes, str(each.solutions), each.seconds) for each in iterations),
        )

    def _update(self, job: Job, **values: Any) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        self.connection.execute(f"UPDATE job SET {columns} WHERE id = ?", (*values.values(), job.id))

    @contextlib.contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self._in_words():
            self.connection.execute(f"BEGIN {kind}")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # a full disk has rolled it back already
                    self.connection.execute("ROLLBACK")
                raise


def on_network(path: Path) -> bool:
    """Whether a file is, or may be, on a network file system."""
    parts = psutil.disk_partitions(all=True)
    place = path.absolute().resolve()
    mounts = [part for part in parts if place.is_relative_to(part.mountpoint)]
    return bool(mounts) and max(mounts, key=lambda part: len(part.mountpoint)).fstype.lower().startswith(NETWORK)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
