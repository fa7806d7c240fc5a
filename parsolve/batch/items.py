"""What a bulk search asks of its items: rows, jobs, variants or puzzles."""

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

from parsolve.problem.problem import Identity, Problem
from parsolve.puzzle import Puzzle
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.request import Request
from parsolve.search.result import Result

T = TypeVar("T")


class Items(Generic[T]):
    """What a bulk search asks of its items; a base class.

    Attributes:
        needs_results: whether all that is known of the items is asked for: else they are only counted, and the answers
            of those that were searched in bulk are all that is yielded.
    """

    needs_results = True

    def kind(self, item: T) -> Hashable:
        """Return what items have in common that may differ in their root alone; None to search it by itself."""
        return None

    def texts(self, item: T) -> Mapping[str, str]:
        """Return the parameters of an item that may be read by `Puzzle.roots`, as text."""
        return {}

    def request(self, item: T) -> Request:
        """Return how an item is to be searched."""
        raise NotImplementedError

    def seconds(self, item: T) -> float:
        """Return how long the search of an item may take; infinite for any time."""
        return math.inf

    def problem(self, item: T) -> Problem:
        """Return what is to be searched of an item.

        Raises:
            BadInput, BadPuzzle: there is nothing.
        """
        raise NotImplementedError

    def found(self, item: T, result: Result, identity: Callable[[], Identity]) -> None:
        """Take the result of an item that was searched in bulk, before it is yielded, if results are needed.

        Args:
            item: the item.
            result: its result.
            identity: returns the identity of its problem, see `Group.identity`.
        """

    def search(self, item: T, problem: Problem, store: CheckpointStore) -> Result:
        """Search an item by itself.

        Args:
            item: the item.
            problem: what is searched of it.
            store: continues where the bulk search has left it, whose seconds count.
        """
        raise NotImplementedError


class Puzzles(Items[Puzzle]):
    """Items that are puzzles, all searched alike; a base class that needs the request."""

    _request: Request

    def kind(self, item: Puzzle) -> Hashable:
        return type(item)

    def request(self, item: Puzzle) -> Request:
        return self._request

    def problem(self, item: Puzzle) -> Problem:
        return Problem(item, self._request.want)
