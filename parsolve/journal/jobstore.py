"""A search's checkpoint store that writes into a journal."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextvars import Context
from typing import Any, Literal

from parsolve.errors import Unwritable
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.journal.solutions import BEFORE_ALL, BEHIND_ALL, Listed
from parsolve.problem.identity import answer_digest, job_identity
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Checkpoint, CheckpointStore, LevelCheckpoint
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.tuning import DEFAULT, Tuning
from parsolve.search.watch import UNWATCHED, Listener, Watch
from parsolve.system.activity import current as activity

PART = 0.05
"""The part of a search's time that may be spent on writing entries."""

BYTE = 1e-8
"""Estimated seconds to write a byte of entries, before that is measured."""

Saved = Literal["nothing", "checkpoint", "everything"]
"""What the journal has of a job: no checkpoint; one whose solutions have been given out or are no longer all; or one
with all solutions found, which may be given out."""


class JournalStore(CheckpointStore, Listener):
    """Stores a job's solutions and checkpoints in a journal, and as a listener notes there what is compiled or built.

    Args:
        journal: the journal.
        job: the job.
        watch: learns when the journal cannot be written, and is checked repeatedly while it cannot.
        tuning: when it writes.
        wait: whether the result of a short job may wait to be written with those of others.
        begun: the checkpoint, if the journal has none.
    """

    def __init__(
        self,
        journal: Journal,
        job: Job,
        watch: Watch = UNWATCHED,
        tuning: Tuning = DEFAULT,
        wait: bool = False,
        begun: Checkpoint | None = None,
    ) -> None:
        super().__init__(begun)
        self._journal, self._job, self._watch, self._tuning = journal, job, watch, tuning
        self._brief = min(tuning.commit_seconds, tuning.checkpoint_seconds)
        self._wait = self._brief if wait else 0.0
        self._found: list[Listed] = []
        self._limit, self._last_given = 0, BEFORE_ALL
        self._save_at = time.monotonic() + self._brief
        self._saved: Saved = "nothing"
        self._byte = BYTE
        self._doing = self._noted = ""
        self._result: Result  # from `begin` on

    def begin(self, problem: Problem, result: Result) -> None:
        """Mark the job as running, with the identity of its problem.

        Raises:
            OtherJob: it has begun with another one.
        """
        self._journal.require_same_problem(self._job, problem)
        self._result = result
        self._write(lambda: self._journal.begin(self._job, job_identity(problem), self._brief))

    def begin_iteration(self, limit: int) -> None:
        self._limit = limit

    def resume(self) -> Checkpoint | None:
        if self._job.state == "waiting" and self._saved == "nothing":
            return self._begun
        self._write(self._journal.commit)  # otherwise reading would write it, without patience
        checkpoint = self._journal.checkpoint(self._job)
        self._saved = "nothing" if checkpoint is None else "everything"
        return checkpoint

    def check(self) -> None:
        """Write changes that have waited long enough, then check the stop conditions."""
        if self._doing != self._noted:
            self._noted = self._doing
            self._journal.note(self._job, self._noted)
        if self._journal.is_due:
            self._write(self._journal.commit)
        self._watch.check()

    def compilation_started(self, template: str) -> None:
        self._doing = "compiling"

    def table_progress_made(self, what: str, progress: Progress) -> None:
        self._doing = f"building the table of {what}"

    def progress_made(self, progress: Progress) -> None:
        self._doing = ""

    @property
    def is_brief(self) -> bool:
        return self._saved == "nothing" and not self.is_due()

    def is_due(self, size: int = 0) -> bool:
        is_late = time.monotonic() > self._save_at + size * self._byte / PART
        return is_late or len(self._found) >= self._tuning.unsaved

    def save(self, checkpoint: Checkpoint) -> None:
        self._write(lambda: self._journal.save(self._job, self._result, checkpoint, self._found))
        self._found.clear()
        self._save_at = time.monotonic() + self._tuning.checkpoint_seconds
        self._saved = "everything"

    def resume_levels(self) -> LevelCheckpoint | None:
        if self._job.state == "waiting":
            return None
        self._write(self._journal.commit)
        return self._journal.level_checkpoint(self._job)

    def save_levels(self, checkpoint: LevelCheckpoint) -> None:
        begin = time.monotonic()
        with activity.saving():  # it may be large; no check while it is written, also if that compiles a kernel
            size = self._write(lambda: Context().run(self._journal.save_levels, self._job, self._result, checkpoint))
        end = time.monotonic()
        self._byte = (end - begin) / max(size, 1 << 20)
        self._save_at, self._wait = end + self._tuning.checkpoint_seconds, 0.0

    def finish(self, problem: Problem, result: Result) -> None:
        """Mark the job as done, with the result of the problem."""
        is_own = result.engine not in ("breadth", "sharing") and result.problem.begun is problem.begun
        answer = "" if is_own else answer_digest(problem, result.engine)
        continued = self._saved != "nothing"
        self._write(lambda: self._journal.finish(self._job, result, self._found, self._wait, answer, continued))

    def _write(self, write: Callable[[], Any]) -> Any:
        return write_patiently(write, self._watch, self._tuning.retry)

    def add(self, paths: list[tuple[int, ...]]) -> None:
        self._found += ((self._limit, path) for path in paths)
        if self._saved == "everything":
            self._saved = "checkpoint"  # it may hold later solutions already

    def give(self, path: tuple[int, ...], emit: Callable[[tuple[int, ...]], None]) -> None:
        self.add([path])
        emit(path)

    def first(self, number: int) -> list[tuple[int, ...]]:
        if self._saved == "nothing":
            return []
        return list(itertools.islice(self._journal.solutions(self._job, (self._limit, ())), number))

    def ready(self, earliest: tuple[int, ...] | None) -> Iterator[tuple[int, ...]]:
        """Yield only solutions saved by a checkpoint: the journal has them in order. Without one, all at the end."""
        match self._saved:
            case "nothing":
                found = sorted(self._found) if earliest is None else []
                new = iter([each for each in found if each > self._last_given])
            case "checkpoint":
                return
            case "everything":
                self._saved = "checkpoint"
                before = BEHIND_ALL if earliest is None else (self._limit, earliest)
                new = self._journal.limits_and_paths(self._job, self._last_given, before)
        for each in new:
            self._last_given = each
            yield each[1]


def write_patiently(write: Callable[[], Any], watch: Watch, retry: float = DEFAULT.retry) -> Any:
    """Return what `write` returns; while it cannot, report that once, check the stop conditions, and try again.

    Args:
        write: writes, or raises `Unwritable`.
        watch: receives the report, and is checked.
        retry: seconds between two attempts.
    """
    warned = False
    while True:
        try:
            return write()
        except Unwritable as error:
            if not warned:
                watch.listener.search_paused(f"{error}: waiting until it can")
            warned = True
            time.sleep(retry)
            watch.check()
