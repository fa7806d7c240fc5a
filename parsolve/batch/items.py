"""What a bulk search needs to know about its items, such as the rows of a file."""

import time
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from parsolve.batch.csv_files import Row
from parsolve.errors import BadInput, GuardStop, TimeUp
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct
from parsolve.puzzle.core import Puzzle
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.choice import engine_for
from parsolve.search.engine import AnyExecutor
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.run import run
from parsolve.search.watch import Watch

T = TypeVar("T")


class Items(Generic[T]):
    """The interface of items for a bulk search; a base class.

    Attributes:
        needs_results: whether full results are needed; otherwise items are only counted, and those searched in bulk
            yield their answers alone.
        ends_all: the errors that end all searches.
        proves: whether one item of each kind is searched by itself before others are in bulk: if its puzzle's code
            hangs, the message can name it.
    """

    needs_results = True
    ends_all: tuple[type[BaseException], ...] = ()
    proves = False

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

    def search(self, item: T, problem: Problem, begun: Checkpoint | None) -> Result:
        """Search an item by itself. `begun` is what the bulk search has done of it, whose seconds count."""
        raise NotImplementedError


class _Refused(BadInput):
    """No row can be searched for what is wanted."""


class RowItems(Items[Row]):
    """The rows of a file, whose columns give parameters of a puzzle; `values` are those that they have in common. With
    an executor each is searched by itself, and for `row_timeout` seconds at most."""

    ends_all = (TimeUp, _Refused, OSError)

    def __init__(
        self,
        cls: type[Puzzle],
        values: Mapping[str, Any],
        request: Request,
        watch: Watch,
        executor: AnyExecutor = None,
        row_timeout: float | None = None,
    ) -> None:
        self._cls, self._values, self._request, self._watch = cls, values, request, watch
        self._executor, self._row_timeout = executor, row_timeout
        self.needs_results = request.want != "count" or request.slack is not None
        self._is_validated = False

    def kind(self, item: Row) -> Hashable:
        if item.error or self._executor is not None:
            return None
        roots = self._cls.root_parameters
        if not roots:  # only the puzzles know what rows share
            return ()
        return tuple([value for name, value in item.parameters.items() if name not in roots])

    def texts(self, item: Row) -> Mapping[str, str]:
        return item.parameters

    def request(self, item: Row) -> Request:
        return self._request

    def problem(self, item: Row) -> Problem:
        if item.error:
            raise BadInput(item.error)
        problem = Problem(construct(self._cls, {**self._values, **item.parameters}), self._request.want)
        if not self._is_validated:  # a request that no row can meet is reported once
            try:
                engine_for(problem, self._request)
            except BadInput as error:
                raise _Refused(str(error)) from None
            self._is_validated = True
        return problem

    def search(self, item: Row, problem: Problem, begun: Checkpoint | None) -> Result:
        begin, longest = time.monotonic() - (begun.seconds if begun else 0.0), self._row_timeout

        def check() -> None:
            self._watch.check()
            if longest is not None and time.monotonic() > begin + longest:
                raise GuardStop(f"stopped after {longest:g} s, as --row-timeout says")

        watch = replace(self._watch, check=check)
        return run(problem, self._request, watch, store=CheckpointStore(begun), executor=self._executor)
