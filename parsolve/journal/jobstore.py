"""A search's checkpoint store that writes into a journal."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context
from typing import Any

from parsolve.errors import Unwritable
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job, answer_digest
from parsolve.journal.solutions import Listed
from parsolve.problem.digests import job_identity
from parsolve.problem.problem import Identity, Problem
from parsolve.search.branch import Path
from parsolve.search.checkpoint import Checkpoint, CheckpointStore, Kind, LevelCheckpoint
from parsolve.search.engine import new_engine
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.tuning import DEFAULT, Tuning
from parsolve.search.watch import UNWATCHED, Listener, Watch
from parsolve.system.activity import current as activity

PART = 0.05
"""The part of a search's time that may be spent on writing entries."""

BYTE = 1e-8
"""Estimated seconds to write a byte of entries, before that is measured."""


class JobStore(CheckpointStore, Listener):
    """Stores a job's solutions and checkpoints in a journal, and as a listener notes there what is compiled or built.

    `tuning` says when it writes, and `begun` is the checkpoint, if the journal has none.

    Attributes:
        journal, job: which job of which journal.
        watch: learns when the journal cannot be written, and is checked repeatedly while it cannot.
        wait: seconds that the result of a short job may wait to be written with others: the caller sees to it.
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
        self.journal, self.job, self.watch, self._tuning = journal, job, watch, tuning
        self._brief = min(tuning.commit_seconds, tuning.checkpoint_seconds)
        self.wait = self._brief if wait else 0.0
        self._found: list[Listed] = []  # that the journal does not have yet
        self._save_at = time.monotonic() + self._brief
        self._continues = False  # the job's checkpoint in the journal
        self._byte = BYTE
        self._doing = self._noted = ""
        self._result: Result  # from `begin` on

    def begin(self, problem: Problem, result: Result, identity: Identity | None = None) -> None:
        """Mark the job as running, with the identity of its problem, which a bulk search learns sooner.

        Raises:
            OtherJob: it has begun with another one.
        """
        self.journal.require_same_problem(self.job, problem)
        self._result = result
        self._write(lambda: self.journal.begin(self.job, identity or job_identity(problem), self._brief))

    def resume(self, kind: type[Kind]) -> Kind | None:
        if self.job.state == "waiting" and not self._continues:
            return super().resume(kind)
        self._write(self.journal.commit)  # otherwise reading would write it, without patience
        kept = self.journal.checkpoint(self.job)
        self._continues = isinstance(kept, kind)
        return kept if isinstance(kept, kind) else None

    def earlier(self) -> Iterator[Listed]:
        if not self._continues:
            return iter(())
        self._write(self.journal.commit)
        return self.journal.limits_and_paths(self.job)

    def add(self, limit: int, paths: Sequence[Path]) -> None:
        self._found += ((limit, path) for path in paths)

    def check(self) -> None:
        """Write changes that have waited long enough, then check the stop conditions."""
        if self._doing != self._noted:
            self._noted = self._doing
            self.journal.note(self.job, self._noted)
        if self.journal.is_due:
            self._write(self.journal.commit)
        self.watch.check()

    def compilation_started(self, template: str) -> None:
        self._doing = "compiling"

    def table_progress_made(self, what: str, progress: Progress) -> None:
        self._doing = f"building the table of {what}"

    def progress_made(self, progress: Progress) -> None:
        self._doing = ""

    def is_due(self, size: int = 0) -> bool:
        is_late = time.monotonic() > self._save_at + size * self._byte / PART
        return is_late or len(self._found) >= self._tuning.unsaved

    def save(self, checkpoint: Checkpoint | LevelCheckpoint) -> None:
        def save() -> None:
            begin = time.monotonic()
            if size := self.journal.save(self.job, self._result, checkpoint, self._found):
                self._byte = (time.monotonic() - begin) / max(size, 1 << 20)

        with activity.saving():  # it may be large; no check while it is written, also if that compiles a kernel
            self._write(lambda: Context().run(save))
        self._found.clear()
        self._continues = True
        self._save_at, self.wait = time.monotonic() + self._tuning.checkpoint_seconds, 0.0

    def finish(self, problem: Problem, result: Result) -> None:
        """Mark the job as done, with the result of the problem."""
        is_own = not new_engine(result.engine).by_levels and result.problem is problem.begun
        answer = "" if is_own else answer_digest(problem, result.engine)
        self._write(lambda: self.journal.finish(self.job, result, self._found, self.wait, answer, self._continues))

    def _write(self, write: Callable[[], Any]) -> Any:
        return write_patiently(write, self.watch, self._tuning.retry)


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
