"""What a bulk search needs to know about its items, rows, jobs or puzzles, and what it finds."""

from collections.abc import Callable, Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

from parsolve.errors import GuardStop, OutOfMemory, ParsolveError
from parsolve.problem.problem import Identity, Problem
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.request import Request
from parsolve.search.result import Answer, Result

T = TypeVar("T")


class Done(NamedTuple, Generic[T]):
    """One search that has ended.

    Attributes:
        item: the item.
        answer: its answer; None if the search failed.
        result: its full result; None if the search failed, or if results are not needed, see `Items.needs_results`.
        failure: why it failed; None if it did not.
        wall_seconds: total time, including the preparation, such as building a pattern database.
    """

    item: T
    answer: Answer | None
    result: Result | None
    failure: ParsolveError | None
    wall_seconds: float

    @property
    def status(self) -> str:
        """How it has ended, in a word."""
        if self.answer is not None:
            return self.answer.status
        return "stopped" if isinstance(self.failure, GuardStop | OutOfMemory) else "failed"


class Items(Generic[T]):
    """The interface of items for a bulk search; a base class.

    Attributes:
        needs_results: whether full results are needed; otherwise items are only counted, and those searched in bulk
            yield their answers alone.
    """

    needs_results = True

    def kind(self, item: T) -> Hashable:
        """Return a value that items share if only their roots may differ; None to search the item by itself."""
        return None

    def texts(self, item: T) -> Mapping[str, str]:
        """Return the parameters of an item that `Puzzle.roots` may read, as text."""
        return {}

    def request(self, item: T) -> Request:
        """Return how an item is to be searched."""
        raise NotImplementedError

    def problem(self, item: T) -> Problem:
        """Return the problem of an item.

        Raises:
            BadInput, BadPuzzle: it cannot be made.
        """
        raise NotImplementedError

    def require_same_reads(self, item: T) -> None:
        """Require that an item's rules read the same values as when it was taken.

        Raises:
            BadPuzzle: they do not.
        """

    def found(self, item: T, result: Result, identity: Callable[[], Identity]) -> None:
        """Take the result of an item that was searched in bulk, before it is yielded, if results are needed. `identity`
        returns that of its problem, see `Group.job_identity`."""

    def search(self, item: T, problem: Problem, begun: Checkpoint | None) -> Result:
        """Search an item by itself. `begun` is what the bulk search has done of it, whose seconds count."""
        raise NotImplementedError
