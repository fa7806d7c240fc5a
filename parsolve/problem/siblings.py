"""Whether what puzzles with one batch key are said to share is the same, and `roots` gives what `root` does."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from parsolve.errors import BadPuzzle
from parsolve.problem.data import digest_of
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Roots

SOME = 64
"""Limits that are compared."""


def roots_of(problem: Problem, texts: Mapping[str, Sequence[str]]) -> Roots | None:
    """Return what `Puzzle.roots` reads.

    Raises:
        BadPuzzle: it returns something else.
    """
    roots = call_method(problem.puzzle, "roots", texts, problem.state, *problem.distances)
    if roots is None or (isinstance(roots, Roots) and roots.states.dtype == problem.state):
        return roots
    raise BadPuzzle(f"{problem.name}: 'roots' must return Roots with rows of the dtype that it is given, or None")


def require_shared(problem: Problem, other: Problem) -> None:
    """Require that two problems differ in root and limits alone.

    Raises:
        BadPuzzle: they do not.
    """
    if _shared(problem) != _shared(other):
        raise BadPuzzle(f"{problem.name}: puzzles with one 'batch_key' differ in more than their roots and limits")


def _shared(problem: Problem) -> str:
    return digest_of((problem.tables, problem.children, problem.size), problem.databases)


def require_root(problem: Problem, state: Any, limits: Iterable[int]) -> None:
    """Require that a root that was read is the problem's.

    Raises:
        BadPuzzle: it is not.
    """
    if problem.state_of(problem.root[0]) != problem.state_of(state):
        raise BadPuzzle(f"{problem.name}: 'roots' gives another state than 'root'")
    if [*islice(problem.puzzle.limits(), SOME)] != [*islice(limits, SOME)]:
        raise BadPuzzle(f"{problem.name}: 'roots' gives other limits than 'limits'")
