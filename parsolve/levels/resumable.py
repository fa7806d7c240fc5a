"""Searches by levels that are stopped anywhere and continued later: their checkpoints, in pieces."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from parsolve.errors import BadInput, Damaged, ParsolveError
from parsolve.levels.dense import Dense
from parsolve.levels.pieces import PieceKind, joined, split
from parsolve.levels.search import Search
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import CheckpointStore, LevelCheckpoint, Piece
from parsolve.search.watch import Watch
from parsolve.text import plural

MEANING = 9
"""The version of a checkpoint's format: raised when it would mean something else."""


class Resumable:
    """What keeps checkpoints of a search. A subclass says what it knows besides the states.

    Args:
        store: keeps them.
        problem: the problem as the user knows it.
        watch: its listener learns that an earlier run is continued.
        form: what distinguishes them from those of other searches.
        searches: what has the states, or one from each end.
    """

    def __init__(
        self, store: CheckpointStore, problem: Problem, watch: Watch, form: str, searches: Sequence[Search | Dense]
    ) -> None:
        self._store, self._of, self._listener = store, problem, watch.listener
        self._form, self._searches = form, searches
        self.before = 0.0  # seconds of earlier runs

    @property
    def seconds(self) -> float:
        """Seconds of searching, in all runs."""
        raise NotImplementedError

    @property
    def meaning(self) -> str:
        """A digest of what the entries mean. Not taken before it is needed: it makes the lookups."""
        raise NotImplementedError

    @property
    def finished(self) -> int:
        """The number of finished levels."""
        raise NotImplementedError

    @property
    def best(self) -> tuple[int, int]:
        """The least cost of a solution so far, and how many have it."""
        return 0, 0

    def known(self) -> Mapping[PieceKind, Array]:
        """Return what it knows, by what it is: arrays of 8 bytes an item."""
        raise NotImplementedError

    def take(self, known: Mapping[int, Array], best: tuple[int, int]) -> None:
        """Take what an earlier run knew."""
        raise NotImplementedError

    def resume(self) -> None:
        """Continue an earlier run, if there is one."""
        checkpoint = self._store.resume(LevelCheckpoint)
        if checkpoint is None or checkpoint.form != self._form:  # or it is from another engine
            return
        checkpoint.require(self.meaning, self._of)
        try:
            left = checkpoint.pieces()
            for search in self._searches:
                search.restore(left)
            self.take(joined(left), (checkpoint.cost, checkpoint.count))
        except (KeyError, ValueError, IndexError) as error:
            if isinstance(error, ParsolveError):
                raise
            raise Damaged(f"what the journal has of the states of {self._of.name} ({error})") from None
        self.before = checkpoint.seconds
        self._listener.warning_given(f"continuing after {plural(checkpoint.finished, 'level')} of an earlier run")

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Keep a checkpoint if the body is ended by an exception."""
        try:
            yield
        except BadInput:  # what is refused would not be met again after a checkpoint of now
            raise
        except BaseException as error:
            # Python raises these within a step; a subclass of the first, the command line's stop, comes between two.
            is_within = type(error) in (KeyboardInterrupt, SystemExit, MemoryError)
            if not is_within and all(search.is_whole for search in self._searches):
                self._save()
            raise

    def save_if_due(self) -> None:
        """Keep a checkpoint if it is time for one; between two steps."""
        if self._store.is_due() and self._store.is_due(sum(search.bytes_saved for search in self._searches)):
            self._save()

    def _save(self) -> None:
        cost, count = self.best
        checkpoint = LevelCheckpoint(
            form=self._form,
            meaning=self.meaning,
            finished=self.finished,
            nodes=sum(search.nodes for search in self._searches),
            cost=cost,
            count=count,
            seconds=self.seconds,
            pieces=self._saved,
        )
        self._store.save(checkpoint)

    def _saved(self) -> Iterator[Piece]:
        for search in self._searches:
            yield from search.saved()
        for kind, array in self.known().items():
            yield from split(kind, array)
