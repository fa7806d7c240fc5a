"""A search's keeper that writes into a journal."""

import time
from collections.abc import Callable, Iterator

from parsolve.errors import Unwritable
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.search.checkpoint import Checkpoint, Keeper
from parsolve.search.listener import Listener
from parsolve.search.result import Result

EVERY = 3.0
"""Seconds between two checkpoints."""

BUFFER = 100_000
"""Solutions that are held in memory between two checkpoints at most."""


class JournalKeeper(Keeper):
    """Keeps a job's solutions and checkpoints in a journal.

    Args:
        journal: where.
        job: which.
        report: told when the journal cannot be written.
        check: called again and again while it cannot; what it raises ends the search.
    """

    def __init__(self, journal: Journal, job: Job, report: Listener, check: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._journal, self._job, self._report, self._check = journal, job, report, check
        self._paths: list[tuple[int, ...]] = []
        self._given: tuple[int, ...] | None = None
        self._saved = time.monotonic()
        self._fresh = False

    def begin(self) -> None:
        """The job runs from now on."""
        self._patiently(lambda: self._journal.begin(self._job))

    def resume(self) -> Checkpoint | None:
        self._fresh = True
        return self._journal.checkpoint(self._job)

    @property
    def due(self) -> bool:
        return time.monotonic() > self._saved + EVERY or len(self._paths) >= BUFFER

    def save(self, checkpoint: Checkpoint) -> None:
        assert self.found is not None
        found, paths = self.found, self._paths
        self._patiently(lambda: self._journal.save(self._job, found, checkpoint, paths))
        self._paths.clear()
        self._saved, self._fresh = time.monotonic(), True

    def finish(self, found: Result) -> None:
        """The search has come to its end."""
        self._patiently(lambda: self._journal.end(self._job, found, self._paths))

    def _patiently(self, write: Callable[[], None]) -> None:
        """Write; while there is no room on the disk, say so and wait for it."""
        said = False
        while True:
            try:
                return write()
            except Unwritable as error:
                if not said:
                    self._report.waiting(f"{error}: waiting until it can")
                said = True
                time.sleep(0.5)
                self._check()

    def add(self, paths: list[tuple[int, ...]]) -> None:
        self._paths += paths
        self._fresh = False  # the journal may hold later ones already

    def least(self) -> tuple[int, ...] | None:
        return next(self._journal.solutions(self._job), None)

    def ready(self, earliest: tuple[int, ...] | None) -> Iterator[tuple[int, ...]]:
        """Only what a checkpoint has kept: the journal holds them in order."""
        if not self._fresh:
            return
        self._fresh = False
        for path in self._journal.solutions(self._job, self._given, earliest):
            self._given = path
            yield path
