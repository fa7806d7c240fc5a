"""Items of a batch that share their lookups: read as roots, and searched in bulk."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future

import numpy as np

from parsolve.compiler.waiting import reporting_to
from parsolve.deepening.better import BetterBounds
from parsolve.deepening.bulk import Bulk, Searched
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.digests import job_identity, rules_digest
from parsolve.problem.problem import Identity, Problem
from parsolve.problem.siblings import require_root, require_shared, roots_of
from parsolve.puzzle.core import Roots
from parsolve.search.choice import engine_name
from parsolve.search.engine import Run
from parsolve.search.request import Request
from parsolve.search.result import Answer, Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.tables.databases import load, supply
from parsolve.text import short

DOUBTED = 16
"""A group's items are made in full, and compared, at numbers that grow by this factor: only their puzzle claims that
they share their lookups."""

ASKED_AGAIN = 1.5
"""The factor by which the expected nodes must grow before better bounds are considered again: that looks for pattern
databases in the cache folder."""

WORTHWHILE = 100_000
"""Average nodes of an item above which a better bound may pay: making its root takes about 2 ms."""


class Group:
    """Items whose puzzles have one batch key.

    Args:
        problem: the problem of one of them.
        request: the request, the same for all.
        watch: receives reports of kernels and pattern databases.

    Attributes:
        request: the request.
        problem: the problem of one of them, with the bound that pays by now.
    """

    def __init__(self, problem: Problem, request: Request, watch: Watch) -> None:
        self.request, self._watch = request, watch
        self._better = BetterBounds(load, watch.listener)
        self._admitted, self._doubted = 0, 1
        self._first = problem
        self._use(problem)

    def _use(self, problem: Problem) -> None:
        """Search from now on with the bound of this problem."""
        request = self.request
        supply(problem, self._watch)
        with reporting_to(self._watch.listener.compilation_started, self._watch.check):
            self._bulk = Bulk(problem, not self.is_counted, request.most, request.limit, request.tuning)
        self.problem = problem
        self._searched = self._nodes = 0
        self._asked = 0.0  # the expected nodes when no better bound paid

    @property
    def is_outdated(self) -> bool:
        """Whether the rules now read other values than when they were compiled."""
        return bool(self.problem.compiled_rules.find_change())

    @property
    def is_counted(self) -> bool:
        """Whether solutions are only counted."""
        return self.request.want == "count"

    def count(self, items: int, nodes: int) -> None:
        """Add the nodes of some items."""
        self._searched += items
        self._nodes += nodes

    def improve(self, left: int) -> None:
        """Take a better bound if it pays.

        Args:
            left: how many items follow, as far as is known.
        """
        searched = max(1, self._searched)  # at first only nodes, of an item that was begun with another bound
        if self._nodes <= WORTHWHILE * searched:
            return
        expected = left * self._nodes / searched
        why = f"{short(expected)} nodes are expected"
        if expected >= ASKED_AGAIN * self._asked and not self._better.take(self.problem, expected, why, self._use):
            self._asked = expected

    def join(self, problem: Problem) -> Problem:
        """Return the problem of one more item with this group's lookups and bound.

        Raises:
            NotShared: it has other lookups.
        """
        if self._take_in(1):
            require_shared(supply(problem, self._watch), self._first)
        return self.member(problem)

    def member(self, problem: Problem) -> Problem:
        """Return the problem of an item with this group's lookups and bound."""
        problem.begun.take_shared(self._first)  # whose data a journal asks for
        if problem.batch_key != (key := self.problem.batch_key):
            every = map(problem.bounded, range(len(problem.counting.better)))
            problem = next(each for each in every if each.batch_key == key)
        problem.take_shared(self.problem)
        return problem

    def read(self, texts: Sequence[Mapping[str, str]], made: Callable[[int], Problem]) -> Roots | None:
        """Return the roots of more items, of those that could be read; None if each must be made in full.

        Args:
            texts: their parameters.
            made: makes the problem of an item by its number.

        Raises:
            NotShared, BadPuzzle: one has other lookups than this group, or another root.
        """
        problem, names = self.problem, type(self.problem.puzzle).root_parameters
        if not names or not all(name in texts[0] for name in names):
            return None
        try:
            roots = roots_of(problem, {name: [each[name] for each in texts] for name in names})
        except BadPuzzle as error:  # perhaps at one of them: each by itself shows
            self._watch.listener.warning_given(str(error))
            return None
        if roots is None or not roots.read.any():
            return None
        roots = roots._replace(states=roots.states[roots.read], which=roots.which[roots.read])
        if self._take_in(len(roots.states)):
            try:
                last = made(int(roots.read.nonzero()[0][-1]))
            except BadInput as error:
                raise BadPuzzle(f"{problem.name}: 'roots' reads what the constructor refuses: {error}") from error
            require_shared(supply(last, self._watch), self._first)
            require_root(self.member(last), roots.states[-1], roots.limits[roots.which[-1]])
        return roots

    def _take_in(self, items: int) -> bool:
        """Count more items, and return whether the last of them is to be compared."""
        self._admitted += items
        is_turn = self._admitted > self._doubted
        while self._doubted < self._admitted:
            self._doubted *= DOUBTED
        return is_turn

    def submit(self, pool: Executor, roots: Roots, stopped: Callable[[], bool]) -> Future[list[Searched]]:
        """Let a thread of a pool search roots, see `Bulk.search`."""
        limits = [self._bulk.fitting(each) for each in roots.limits]
        return pool.submit(self._bulk.search, roots.states, limits, roots.which, stopped)

    def job_identity(self, roots: Roots, number: int, made: Callable[[], Problem]) -> Identity:
        """Return what a journal compares before it resumes an item's job.

        Args:
            roots, number: its root is one of these.
            made: makes its problem, which is needed once the group has a better bound.
        """
        if self.problem is not self._first:
            return job_identity(self.member(made()))
        state, limits = roots.states[number : number + 1], roots.limits[roots.which[number]]
        return Identity(rules_digest(self.problem), self.problem.data_digest(state, limits))

    def answer(self, searched: Searched) -> Answer:
        """Return the answer of an item that has been counted in bulk: that of its `result`, in a tenth of the time."""
        most, (limit, _, found) = self.request.most, searched.iterations[-1]
        cost = limit if found and self.problem.has_cost else None
        if most is not None and found >= most:
            return Answer("more", cost, None, most, searched.nodes, searched.seconds)
        return Answer("solved" if found else "none", cost, found, found, searched.nodes, searched.seconds)

    def result(self, problem: Problem, searched: Searched) -> Result:
        """Return the result of an item that has been searched in bulk."""
        result = Result(problem.begun, self.request, 1, seconds=searched.seconds)
        run = Run(problem, self.request, 1, UNWATCHED, result)
        run.take(searched.finished())
        for path in searched.solutions[: self.request.most]:
            run.give_out(path)
        run.end()
        return result


def roots_together(problems: Sequence[Problem]) -> Roots:
    """Return the roots of problems that have been made."""
    states = np.concatenate([problem.root for problem in problems])
    limits = [Bulk.tried(problem.costs.limits_near(problem.root)) for problem in problems]
    return Roots(states, np.ones(len(problems), bool), limits, np.arange(len(problems)))


def in_bulk(problem: Problem, request: Request) -> bool:
    """Return whether this search can be one of many in a call."""
    return (
        engine_name(problem, request) == "deepening"
        and not (problem.default_transposition if request.transposition is None else request.transposition)
        and request.want != "any"
        and not request.slack
        and request.part is None
        and not (problem.has_cost and type(problem.puzzle).jumps)  # next limits are not looked for in a call
        and not problem.is_weighted  # each solved state is one solution
        and problem.counting.total is int
        and not problem.unsolvable
    )
