"""Checkpoints as plain data, and their stores: in memory only, or in a journal.

A checkpoint is taken between two outcomes: all that has been merged counts, and the open branches are all that is left.
So nothing is lost and nothing counts twice, whenever the process ends.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from parsolve.errors import OtherJob
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch, Path
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result

COUNTS = "counts"
"""The form of entries of a count by sharing."""


@dataclass(frozen=True)
class Checkpoint:
    """The state of a search; by default where an iteration begins.

    Attributes:
        iterations: the limits that are finished.
        limit: limit of the running iteration.
        branches: its open branches.
        nodes: states visited in it so far, in all runs.
        weight: that of its solved states so far; see `puzzle.Counting`.
        cut: see `deepening.outcome.Outcome`.
        share: the share of its tree that is finished.
        iteration_seconds: seconds of searching in it, in all runs.
        seconds: seconds of searching in total.
    """

    iterations: Sequence[Iteration]
    limit: int
    branches: Sequence[Branch]
    nodes: int = 0
    weight: int = 0
    cut: int = 0
    share: float = 0.0
    iteration_seconds: float = 0.0
    seconds: float = 0.0

    @property
    def progress(self) -> Progress:
        """Return it as progress, as of now."""
        since = time.monotonic() - self.iteration_seconds
        return Progress(self.limit, self.share, self.nodes, self.weight, self.iterations, since)


class Piece(NamedTuple):
    """A piece of what a search by levels has.

    Attributes:
        kind: what it has; see `levels.pieces.PieceKind`.
        level, words: of entries: their level, and the words of each count.
        data: uint64[n], as a buffer.
    """

    kind: int
    level: int
    words: int
    data: Any


@dataclass(frozen=True)
class LevelCheckpoint:
    """The state of a count by sharing or of a breadth-first search.

    Attributes:
        form: the form of its entries, `COUNTS` or that of a store of breadth-first search.
        meaning: a digest of what they mean.
        finished: number of finished levels, in all runs.
        nodes: number of entries expanded.
        cost: the least cost of a solution so far.
        count: number of solutions of that cost.
        seconds: seconds of searching in total.
        pieces: returns the entries that are left, in pieces.
    """

    form: str
    meaning: str
    finished: int
    nodes: int
    cost: int
    count: int
    seconds: float
    pieces: Callable[[], Iterator[Piece]]

    def require(self, meaning: str, problem: Problem) -> None:
        """Require that its entries have the meaning that a search of a problem expects, a digest.

        Raises:
            OtherJob: they mean something else.
        """
        if self.meaning != meaning:
            raise OtherJob(
                f"an earlier run has begun another search for {problem.name}, from elsewhere or with other declarations"
                " ('graph', 'goals' …): restore them, or use another name, journal or folder to start from scratch"
            )


class CheckpointStore:
    """Keeps solutions in memory until they can be given out, and no checkpoints.

    Args:
        begun: the checkpoint with which the search begins.
    """

    def __init__(self, begun: Checkpoint | None = None) -> None:
        self._begun = begun
        self._waiting: list[tuple[Path, list[Path]]] = []  # batches, the last solution first: the first one is popped

    def begin(self, problem: Problem, result: Result) -> None:
        """Note what is searched, with its tables, before anything is, and the result that the search fills."""

    def begin_iteration(self, limit: int) -> None:
        """Note that the solutions of another iteration follow."""

    def resume(self) -> Checkpoint | None:
        """Return the last checkpoint of an earlier run of the same search."""
        return self._begun

    @property
    def is_brief(self) -> bool:
        """Whether the search is so young that the end of an iteration needs no checkpoint."""
        return False

    def is_due(self, size: int = 0) -> bool:
        """Whether it is time for a checkpoint, of `size` bytes if that is much."""
        return False

    def save(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint, and the solutions added before it."""

    def resume_levels(self) -> LevelCheckpoint | None:
        """Return the last checkpoint of an earlier run of the same search, level by level."""
        return None

    def save_levels(self, checkpoint: LevelCheckpoint) -> None:
        """Keep a checkpoint of a search that goes level by level."""

    def add(self, paths: list[Path]) -> None:
        """Take one task's solutions, in depth-first order; solutions of other tasks may come between them."""
        heapq.heappush(self._waiting, (paths[0], paths[::-1]))

    def give(self, path: Path, emit: Callable[[Path], None]) -> None:
        """Give out the next solution in depth-first order of a search that adds none."""
        emit(path)

    def first(self, number: int) -> list[Path]:
        """Return the first solutions of the running iteration, including those of earlier runs."""
        return []

    def ready(self, earliest: Path | None) -> Iterator[Path]:
        """Yield, in depth-first order, the solutions that come before the first open row; all if there is none."""
        while self._waiting and (earliest is None or self._waiting[0][0] < earliest):
            paths = heapq.heappop(self._waiting)[1]
            next_ = self._waiting[0][0] if self._waiting else None
            until = min((each for each in (earliest, next_) if each is not None), default=None)
            while paths and (until is None or paths[-1] < until):
                yield paths.pop()
            if paths:
                heapq.heappush(self._waiting, (paths[-1], paths))
