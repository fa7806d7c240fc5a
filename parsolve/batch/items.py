"""What a bulk search needs to know about its items: rows, jobs, variants or puzzles."""

import contextlib
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from parsolve.errors import BadInput
from parsolve.problem.problem import Identity, Problem
from parsolve.problem.rules import Identified
from parsolve.puzzle import Puzzle
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.request import Request
from parsolve.search.result import Result

T = TypeVar("T")


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

    def seconds(self, item: T) -> float:
        """Return the time limit of an item's search in seconds; infinite for none."""
        return math.inf

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
            problem: its problem.
            store: continues the bulk search of the item, whose seconds count.
        """
        raise NotImplementedError


class Puzzles(Items[Puzzle]):
    """Items that are puzzles, all searched in the same way; a base class.

    Args:
        request: how to search them.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._rules: dict[type[Puzzle], list[Identified]] = {}

    def watched(self, puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
        """Yield puzzles read ahead, as long as the rules of a class still read the same values."""
        for puzzle in puzzles:
            if type(puzzle) not in self._rules:
                with contextlib.suppress(BadInput):  # its search reports that
                    classes = {type(puzzle), type(self.problem(puzzle).puzzle)}
                    self._rules[type(puzzle)] = [*map(Identified, classes)]
            self.require_same_reads(puzzle)
            yield puzzle

    def kind(self, item: Puzzle) -> Hashable:
        return type(item)

    def request(self, item: Puzzle) -> Request:
        return self._request

    def problem(self, item: Puzzle) -> Problem:
        return Problem(item, self._request.want)

    def require_same_reads(self, item: Puzzle) -> None:
        for rules in self._rules.get(type(item), ()):
            rules.require_unchanged()
