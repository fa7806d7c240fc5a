"""Data shared by puzzles with one batch key: compared, and roots from `roots` checked."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from parsolve.errors import BadPuzzle, NotShared
from parsolve.problem.costs import COMPARED
from parsolve.problem.hooks import call, call_method
from parsolve.problem.problem import Problem
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
        NotShared: they do not.
    """
    shared, others = ((each.lookups_digest, each.children, each.size) for each in (problem, other))
    if shared != others:
        raise NotShared(f"{problem.name}: puzzles with one 'batch_key' differ in more than their roots and limits")


def require_root(problem: Problem, state: Any, limits: Iterable[int]) -> None:
    """Require that a root from `roots` is the problem's.

    Raises:
        BadPuzzle: it is not.
    """
    if problem.state_of(problem.root[0]) != problem.state_of(state):
        raise BadPuzzle(f"{problem.name}: 'roots' gives another state than 'root'")
    own = call(problem.puzzle, "limits", lambda: [*islice(problem.puzzle.limits(), COMPARED)])
    if own != [*islice(limits, COMPARED)]:
        raise BadPuzzle(f"{problem.name}: 'roots' gives other limits than 'limits'")
