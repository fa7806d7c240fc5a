"""A search's checkpoint store that writes into a journal."""

import itertools
import time
from collections.abc import Callable, Iterator

from parsolve.errors import Unwritable
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.journal.solutions import BEFORE_ALL, BEHIND_ALL, Found
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch


class JournalStore(CheckpointStore):
    """Stores a job's solutions and checkpoints in a journal.

    Args:
        journal: where.
        job: which.
        watch: told when the journal cannot be written, and asked again and again while it cannot.
        interval: seconds between two checkpoints.
        buffer: solutions that are held in memory between two checkpoints at most.
        retry: seconds between two attempts while the journal cannot be written.
    """

    def __init__(
        self,
        journal: Journal,
        job: Job,
        watch: Watch = UNWATCHED,
        interval: float = 3.0,
        buffer: int = 100_000,
        retry: float = 0.5,
    ) -> None:
        super().__init__()
        self._journal, self._job, self._watch = journal, job, watch
        self._interval, self._buffer, self._retry = interval, buffer, retry
        self._found: list[Found] = []
        self._last_given = BEFORE_ALL
        self._saved_at = time.monotonic()
        self._all_saved = False

    def begin(self, problem: Problem) -> None:
        """Mark the job as running, with the digest of what it searches."""
        data = problem.identity.data
        self._write(lambda: self._journal.begin(self._job, data))

    def resume(self) -> Checkpoint | None:
        self._all_saved = True
        return self._journal.checkpoint(self._job)

    @property
    def due(self) -> bool:
        return time.monotonic() > self._saved_at + self._interval or len(self._found) >= self._buffer

    def save(self, checkpoint: Checkpoint) -> None:
        assert self.result is not None
        result, found = self.result, self._found
        self._write(lambda: self._journal.save(self._job, result, checkpoint, found))
        self._found.clear()
        self._saved_at, self._all_saved = time.monotonic(), True

    def finish(self, result: Result) -> None:
        """Mark the job as done, with its result."""
        self._write(lambda: self._journal.finish(self._job, result, self._found))

    def _write(self, write: Callable[[], None]) -> None:
        """Write; while the journal cannot be written, warn once and try again."""
        warned = False
        while True:
            try:
                return write()
            except Unwritable as error:
                if not warned:
                    self._watch.listener.search_paused(f"{error}: waiting until it can")
                warned = True
                time.sleep(self._retry)
                self._watch.check()

    def add(self, paths: list[tuple[int, ...]]) -> None:
        self._found += ((self.limit, path) for path in paths)
        self._all_saved = False  # the journal may hold later ones already

    def first(self, number: int) -> list[tuple[int, ...]]:
        return list(itertools.islice(self._journal.solutions(self._job, (self.limit, ())), number))

    def ready(self, earliest: tuple[int, ...] | None) -> Iterator[tuple[int, ...]]:
        """Yield only what a checkpoint has saved: the journal holds it in order."""
        if not self._all_saved:
            return
        self._all_saved = False
        before = BEHIND_ALL if earliest is None else (self.limit, earliest)
        for found in self._journal.found(self._job, self._last_given, before):
            self._last_given = found
            yield found[1]
