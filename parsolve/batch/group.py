"""Items of a batch that share their lookups: read as roots, and searched in bulk."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from parsolve.deepening.bulk import Bulk, Searched
from parsolve.engines import supply
from parsolve.errors import BadPuzzle
from parsolve.problem.data import digest_of
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Roots
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import Watch

DOUBTED = 16
"""A group's items are made in full, and compared, at numbers that grow by this factor: that they share their lookups is
their puzzle's own word."""

SOME = 64
"""Limits that are compared."""


class Group:
    """Items whose puzzles have one batch key.

    Args:
        problem: of one of them.
        request: of all.
        watch: told of kernels and pattern databases.

    Attributes:
        problem: of one of them, with the bound that pays by now.
        bulk: searches them.
        seen: how many there were.
        nodes: visited in all of them.
    """

    def __init__(self, problem: Problem, request: Request, watch: Watch) -> None:
        self._request, self._watch = request, watch
        self.seen = self.nodes = 0
        self._doubt = 1
        self._first = problem
        self._take(problem)

    def _take(self, problem: Problem) -> None:
        self.problem = supply(problem, self._watch)
        self.bulk = Bulk(problem, not self.is_counted, self._request.limit, self._request.tuning)

    @property
    def is_counted(self) -> bool:
        """Whether solutions are only counted."""
        return self._request.want == "count"

    def improve(self, left: float) -> None:
        """Take a better bound if it pays.

        Args:
            left: how many items follow, as far as is known.
        """
        expected = self.nodes + left * self.nodes / max(1, self.seen)
        if expected >= self.problem.better_after:
            self._take(self.problem.better())

    def member(self, problem: Problem) -> Problem:
        """Return the problem of an item with this group's lookups and bound."""
        return self.problem.sibling(problem)

    def read(self, texts: Sequence[Mapping[str, str]]) -> Roots | None:
        """Return the roots of items by the texts of their parameters; None to make each."""
        problem, names = self.problem, type(self.problem.puzzle).root_parameters
        if not names or not all(name in texts[0] for name in names):
            return None
        values = {name: [each[name] for each in texts] for name in names}
        roots = call_method(problem.puzzle, "roots", values, problem.state, *problem.distances)
        if roots is not None and (not isinstance(roots, Roots) or roots.states.dtype != problem.state):
            raise BadPuzzle(f"{problem.name}: 'roots' must return Roots with rows of 'state', or None")
        return roots

    def is_doubted(self, items: int) -> bool:
        """Count items; return whether the last of them is to be compared."""
        self.seen += items
        if self.seen <= self._doubt:
            return False
        while self._doubt < self.seen:
            self._doubt *= DOUBTED
        return True

    def compare(self, problem: Problem, state: Any = None, limits: Iterable[int] = ()) -> None:
        """Compare an item that has been made in full with what it shares, and with its root if that was read.

        Raises:
            BadPuzzle: they differ.
        """
        name = problem.name
        if _shared(problem) != _shared(self._first):
            raise BadPuzzle(f"{name}: puzzles with one 'batch_key' differ in more than their roots")
        if state is None:
            return
        member = self.member(problem)
        if member.root[0] != state or [*islice(member.puzzle.limits(), SOME)] != [*islice(limits, SOME)]:
            raise BadPuzzle(f"{name}: 'roots' gives another state, or other limits, than 'root' and 'limits'")

    def result(self, problem: Problem, searched: Searched) -> Result:
        """Return the result of an item that has been searched in bulk."""
        iterations = searched.finished()
        found, want = searched.found, self._request.want
        result = Result(problem, want, 1, "solved" if found else "none")
        result.found_so_far = 1 if found and result.is_single else found
        result.count = None if result.is_single else found
        result.cost = iterations[-1].limit if found and problem.has_cost else None
        result.paths = [*searched.paths[: 1 if result.is_single else None]]
        result.iterations, result.nodes, result.seconds = iterations, searched.nodes, searched.seconds
        return result


def in_bulk(problem: Problem, request: Request) -> bool:
    """Return whether such a search can be one of many in a call."""
    puzzle, size = problem.puzzle, request.transposition
    return (
        (request.engine or puzzle.default_engine) == "deepening"
        and not (puzzle.default_transposition if size is None else size)
        and request.want != "any"
        and problem.is_plain
    )


def _shared(problem: Problem) -> str:
    """Return a digest of what problems with one batch key share."""
    return digest_of((problem.tables, problem.children, problem.size), problem.databases)
