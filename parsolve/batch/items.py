"""What a bulk search asks of its items: rows, jobs, variants or puzzles."""

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

    def require_same_reads(self, item: T) -> None:
        """Require that the rules of an item read what they would have when it was taken.

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
            problem: what is searched of it.
            store: continues where the bulk search has left it, whose seconds count.
        """
        raise NotImplementedError


class Puzzles(Items[Puzzle]):
    """Items that are puzzles, all searched alike; a base class.

    Args:
        request: how.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._rules: dict[type[Puzzle], list[Identified]] = {}

    def watched(self, puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
        """Yield puzzles that are read ahead, as long as what their rules read is the same for all of a class."""
        for puzzle in puzzles:
            if type(puzzle) not in self._rules:
                with contextlib.suppress(BadInput):  # which its search tells
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
