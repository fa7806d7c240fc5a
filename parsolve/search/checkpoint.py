"""Checkpoints as plain data, and the store that keeps them: a journal's, or one that keeps nothing.

A checkpoint is taken between two outcomes: all that has been merged counts, and the open branches are all that is left.
So nothing is lost and nothing counts twice, whenever the process ends.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from parsolve.errors import OtherJob
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch, Path
from parsolve.search.cuts import NOTHING
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
        cut: so far, see `search.cuts`.
        share: the share of its tree that is finished.
        iteration_seconds: seconds of searching in it, in all runs.
        seconds: seconds of searching in total.
    """

    iterations: Sequence[Iteration]
    limit: int
    branches: Sequence[Branch]
    nodes: int = 0
    weight: int = 0
    cut: int = NOTHING
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


Kind = TypeVar("Kind", Checkpoint, LevelCheckpoint)


class CheckpointStore:
    """What later runs of a search begin with: checkpoints, and the solutions found before them. This one keeps nothing.

    Args:
        begun: the checkpoint with which the search begins.
    """

    def __init__(self, begun: Checkpoint | None = None) -> None:
        self._begun = begun

    def begin(self, problem: Problem, result: Result) -> None:
        """Note what is searched, with its tables, before anything is, and the result that the search fills."""

    def resume(self, kind: type[Kind]) -> Kind | None:
        """Return the last checkpoint of an earlier run of the same search if it is of a kind, to continue from it."""
        return self._begun if isinstance(self._begun, kind) else None

    def earlier(self) -> Iterator[tuple[int, Path]]:
        """Yield the solutions found before that checkpoint with their limits, by limit and in depth-first order."""
        yield from ()

    def add(self, limit: int, paths: Sequence[Path]) -> None:
        """Keep solutions of an iteration, in any order: with the next checkpoint, or with the result."""

    def is_due(self, size: int = 0) -> bool:
        """Whether it is time for a checkpoint, of `size` bytes if that is much."""
        return False

    def save(self, checkpoint: Checkpoint | LevelCheckpoint) -> None:
        """Keep a checkpoint, and the solutions added before it: both or neither."""


class WithoutCheckpoints(CheckpointStore):
    """Keeps the solutions of a search that cannot be resumed, in another store."""

    def __init__(self, store: CheckpointStore) -> None:
        super().__init__()
        self._store = store

    def add(self, limit: int, paths: Sequence[Path]) -> None:
        self._store.add(limit, paths)
