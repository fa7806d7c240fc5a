"""Where a search stands, as plain data, and who keeps it: in memory only, or in a journal.

A checkpoint is taken between two outcomes: what has been merged counts, and its open branches are all that is left. So
nothing is lost and nothing counts twice, whenever the process ends.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch, Path
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result
from parsolve.search.samples import Sample


@dataclass(frozen=True)
class Checkpoint:
    """Where a search stands.

    Attributes:
        iterations: the limits that are finished.
        limit: of the running iteration.
        branches: what is left of it.
        nodes: states visited in it so far, in all runs.
        found: the weight of its solved states so far; see `puzzle.Counting`.
        cut: whether the limit was seen to cut anything.
        share: the share of its tree that is finished.
        iteration_seconds: how long it has been searched, in all runs.
        seconds: how long all has been searched.
        samples: how it went so far.
    """

    iterations: Sequence[Iteration]
    limit: int
    branches: Sequence[Branch]
    nodes: int
    found: int
    cut: bool
    share: float
    iteration_seconds: float
    seconds: float
    samples: Sequence[Sample] = ()

    @property
    def progress(self) -> Progress:
        """The same as progress, as of now."""
        since = time.monotonic() - self.iteration_seconds
        return Progress(self.limit, self.share, self.nodes, self.found, self.iterations, since)


class Entries(NamedTuple):
    """Entries of one level.

    Attributes:
        level: their level; in breadth-first search what they are, see `breadth.layers.Store`.
        words: of each count; there what tells entries of one level apart.
        data: uint64[n], as a buffer.
    """

    level: int
    words: int
    data: Any


@dataclass(frozen=True)
class LevelCheckpoint:
    """Where a count by sharing or a breadth-first search stands.

    Attributes:
        identity: a digest of what is counted; of what is searched breadth-first, after the form of the entries and a
            space.
        finished: levels that are finished, in all runs.
        nodes: entries that were expanded.
        cost: the least cost of a solution so far.
        count: how many have it.
        seconds: how long all has been searched.
        entries: returns the entries that are left, some of them at once.
    """

    identity: str
    finished: int
    nodes: int
    cost: int
    count: int
    seconds: float
    entries: Callable[[], Iterator[Entries]]


class LevelStore(Protocol):
    """Keeps where a search level by level stands."""

    @property
    def due(self) -> bool: ...

    def is_due(self, size: int) -> bool: ...

    def resume_levels(self) -> LevelCheckpoint | None: ...

    def save_levels(self, checkpoint: LevelCheckpoint) -> None: ...


class CheckpointStore:
    """Keeps solutions in memory until they can be given out, and no checkpoints."""

    _result: Result | None = None

    _limit = 0  # of the running iteration

    def __init__(self) -> None:
        self._waiting: list[tuple[Path, list[Path]]] = []  # batches, the last solution first: the first one is popped

    def begin(self, problem: Problem, result: Result) -> None:
        """Note what is searched, with its tables, before anything is, and the result that the search fills."""
        self._result = result

    def begin_iteration(self, limit: int) -> None:
        """Note that the solutions of another iteration follow."""
        self._limit = limit

    def resume(self) -> Checkpoint | None:
        """Where an earlier run of the same search stopped."""
        return None

    @property
    def is_brief(self) -> bool:
        """Whether the search is so young that the end of an iteration needs no checkpoint."""
        return False

    @property
    def due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return False

    def save(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint, and the solutions added before it."""

    def resume_levels(self) -> LevelCheckpoint | None:
        """Where an earlier run of the same search, level by level, stopped."""
        return None

    def is_due(self, size: int) -> bool:
        """Whether it is time for a checkpoint of `size` bytes."""
        return False

    def save_levels(self, checkpoint: LevelCheckpoint) -> None:
        """Keep where a search stands, level by level."""

    def add(self, paths: list[Path]) -> None:
        """Take solutions of one task, in depth-first order; those of another may come between them."""
        heapq.heappush(self._waiting, (paths[0], paths[::-1]))

    def first(self, number: int) -> list[Path]:
        """Return the first solutions of the running iteration, of all that earlier runs have kept."""
        return []

    def ready(self, earliest: Path | None) -> Iterator[Path]:
        """Give out, in depth-first order, the solutions that come before the first open row; all if there is none."""
        while self._waiting and (earliest is None or self._waiting[0][0] < earliest):
            paths = heapq.heappop(self._waiting)[1]
            next_ = self._waiting[0][0] if self._waiting else None
            until = min((each for each in (earliest, next_) if each is not None), default=None)
            while paths and (until is None or paths[-1] < until):
                yield paths.pop()
            if paths:
                heapq.heappush(self._waiting, (paths[-1], paths))
