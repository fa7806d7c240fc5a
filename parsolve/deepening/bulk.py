"""Deepen many roots inside compiled calls, which release the interpreter's lock: small searches, without a frontier.

A large root comes back unfinished, with its finished iterations.
"""

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from parsolve.compiler.cache import KernelRaised
from parsolve.deepening.outcome import solutions_of
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.templates.roots import ITERATION, ROOT, RootSearches
from parsolve.deepening.templates.run import DONE
from parsolve.errors import BadPuzzle
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem
from parsolve.search.branch import Path
from parsolve.search.result import Iteration
from parsolve.search.tuning import DEFAULT, Tuning

MOST_LIMITS = 256
"""Number of limits that are tried in bulk; a root that needs more is large."""

FEW = 10_000
"""Minimum number of nodes of a call from which the node rate is learned."""

MOST_ROWS = 1 << 20
"""Maximum number of rows of a stack."""


class Searched(NamedTuple):
    """The result of a root.

    Attributes:
        done: whether the search is finished; otherwise the root is large or faulty.
        nodes: states visited, in all iterations.
        iterations: the finished iterations.
        solutions: those listed, in depth-first order.
        seconds: its share of the call's time.
    """

    done: bool
    nodes: int
    iterations: tuple[tuple[int, int, int], ...]
    solutions: Sequence[Path]
    seconds: float

    def finished(self) -> list[Iteration]:
        """Return the iterations; the time of each is estimated from its nodes."""
        each = self.seconds / max(1, self.nodes)
        return [Iteration(limit, nodes, found, nodes * each) for limit, nodes, found in self.iterations]


UNSEARCHED = Searched(False, 0, (), (), 0.0)


class Bulk:
    """Searches roots that share a problem's lookups, on any number of threads.

    Args:
        problem: the problem whose lookups they share.
        listing: whether solutions are listed.
        enough: how many solutions are wanted for each root; None for all.
        last: the greatest limit; None for none.
        tuning: how long a call takes, and which roots are large.

    Raises:
        BadPuzzle: the rules do not compile.
    """

    def __init__(
        self, problem: Problem, listing: bool, enough: int | None, last: int | None, tuning: Tuning = DEFAULT
    ) -> None:
        self.problem = problem
        self._listing = listing
        self._enough = enough
        self._last = last
        self._tuning = tuning
        self._known: dict[tuple[int, ...], Array] = {}
        self._rate: float | None = None  # nodes a second
        self._mine = threading.local()
        self._searcher().warm_up()  # it explains what is wrong with the rules
        self._search(np.zeros(0, problem.state), np.zeros(0, ROOT), np.zeros(0, np.int64), np.zeros(0, ITERATION))

    def fitting(self, limits: Iterable[int]) -> Array:
        """Return the limits of a root that may be tried: int64[n]."""
        tried, costs, children = self.tried(limits), self.problem.costs, self.problem.children
        if tried not in self._known:
            most = costs.most if self._last is None else min(self._last, costs.most)
            fits = itertools.takewhile(lambda each: each <= most and costs.steps(each) * children <= MOST_ROWS, tried)
            self._known[tried] = np.array([*fits], np.int64)
        return self._known[tried]

    @staticmethod
    def tried(limits: Iterable[int]) -> tuple[int, ...]:
        """Return the first limits, up to one that is invalid: a root that needs more reports what is wrong."""
        some: list[int] = []
        with contextlib.suppress(BadPuzzle):
            some += itertools.islice(limits, MOST_LIMITS)
        return tuple(some)

    def search(
        self, states: Array, limits: Sequence[Array], which: Array, stopped: Callable[[], bool]
    ) -> list[Searched]:
        """Search roots, and return the result of each; on any thread.

        Args:
            states: record[n].
            limits: sequences of limits, see `fitting`.
            which: integers[n]: which of these belongs to each root.
            stopped: whether to begin no further root.
        """
        roots = np.zeros(len(states), ROOT)
        costs = states["cost"].astype(np.int64) + states["bound"]
        end = 0
        for number, each in enumerate(limits):
            mine = which == number
            begin, end = end, end + each.size
            roots["first"][mine] = begin + np.searchsorted(each, costs[mine])
            roots["end"][mine] = end
        tried = np.concatenate(limits)
        found: list[Searched] = []
        while len(found) < len(states) and not stopped():
            left = len(states) - len(found)
            iterations = np.zeros(16 * left + MOST_LIMITS, ITERATION)
            began = time.thread_time()  # time of this thread only: other threads may run meanwhile
            try:
                done, paths = self._search(states[-left:], roots[-left:], tried, iterations)
            except KernelRaised:  # any of them may have failed: each is searched alone, and reports its error
                break
            seconds = time.thread_time() - began
            searched = _searched(roots[-left:][:done], iterations, paths, seconds)
            nodes = sum(each.nodes for each in searched)
            if nodes > FEW:
                self._rate = nodes / max(seconds, 1e-6)
            found += searched
        return found + [UNSEARCHED] * (len(states) - len(found))

    def _search(self, states: Array, searches: Array, limits: Array, iterations: Array) -> tuple[int, Array]:
        rate, most = self._rate, self._tuning.bulk_nodes
        budget = max(1, most // 4) if rate is None else max(1, min(most, int(rate * self._tuning.bulk_seconds)))
        roots = RootSearches(states, searches, limits, iterations, budget)
        return self._searcher().run_roots(roots, self._listing, self._enough)

    def _searcher(self) -> Searcher:
        """Return this thread's searcher."""
        if not hasattr(self._mine, "searcher"):
            self._mine.searcher = Searcher(self.problem)
        return self._mine.searcher  # type: ignore[no-any-return]


def _searched(roots: Array, iterations: Array, paths: Array, seconds: float) -> list[Searched]:
    """Return the results of roots from what the kernel has written."""
    found = []
    each = seconds / max(1, int(roots["nodes"].sum()))
    limits = iterations[: roots["iterations"].sum()].tolist()
    at = listed = 0
    for _, _, status, nodes, _, number, stored in roots.tolist():
        solutions = solutions_of(paths[listed : listed + stored]) if stored else ()
        found.append(Searched(status == DONE, nodes, tuple(limits[at : at + number]), solutions, nodes * each))
        at, listed = at + number, listed + stored
    return found
