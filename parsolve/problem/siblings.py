"""Data shared by puzzles with one batch key: comparing it, its digest, and checking `roots`."""

import bisect
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from parsolve.errors import BadPuzzle
from parsolve.problem.data import digest_of
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.problem.states import COMPARED, Array
from parsolve.puzzle.core import Roots


def roots_of(problem: Problem, texts: Mapping[str, Sequence[str]]) -> Roots | None:
    """Return the roots read by `Puzzle.roots`.

    Raises:
        BadPuzzle: it returns something else.
    """
    roots = call_method(problem.puzzle, "roots", texts, problem.state, *problem.distances)
    if roots is None or (isinstance(roots, Roots) and roots.states.dtype == problem.state):
        return roots
    raise BadPuzzle(f"{problem.name}: 'roots' must return Roots with rows of the dtype that it is given, or None")


def require_shared(problem: Problem, other: Problem) -> None:
    """Require that two problems differ only in root and limits.

    Raises:
        BadPuzzle: they do not.
    """
    if _shared(problem) != _shared(other):
        raise BadPuzzle(f"{problem.name}: puzzles with one 'batch_key' differ in more than their roots and limits")


def _shared(problem: Problem) -> str:
    return digest_of((problem.tables, problem.children, problem.size), problem.databases)


def require_root(problem: Problem, state: Any, limits: Iterable[int]) -> None:
    """Require that a root from `roots` is the problem's.

    Raises:
        BadPuzzle: it is not.
    """
    if problem.state_of(problem.root[0]) != problem.state_of(state):
        raise BadPuzzle(f"{problem.name}: 'roots' gives another state than 'root'")
    if [*islice(problem.puzzle.limits(), COMPARED)] != [*islice(limits, COMPARED)]:
        raise BadPuzzle(f"{problem.name}: 'roots' gives other limits than 'limits'")


class SharedData:
    """Digests of the data of a problem and its siblings, without making them: see `Identity` and `Problem.batch_key`.

    Args:
        problem: one of them.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, self._tables = problem, digest_of(problem.tables, problem.databases)
        self._limits: dict[tuple[int, ...], str] = {}

    def of(self, root: Array, limits: Sequence[int]) -> str:
        """Return the digest of a sibling.

        Args:
            root: record[1]: its root.
            limits: ascending, at least the first limits from its root's cost and bound on; earlier ones do not matter.
        """
        problem, first = self._problem, int(root["cost"][0]) + int(root["bound"][0])
        at = bisect.bisect_left(limits, first)
        compared = tuple(limits[at : at + COMPARED])
        if compared not in self._limits:
            self._limits[compared] = digest_of([(limit, problem.steps(limit)) for limit in compared])
        return digest_of((self._tables, root, problem.children, problem.size, self._limits[compared]))
