"""Cuts: what a limit has cut off a tree, as the least cost + bound there, and the limit that follows."""

from parsolve.problem.problem import Problem

NOTHING = 0
"""The whole tree was searched: no higher limit adds anything."""

NEXT = 1
"""The least cost + bound is not known: the puzzle's next limit follows. It is less than any further limit."""


def least_cut(*cuts: int) -> int:
    """Return the cut of several trees together."""
    return min((cut for cut in cuts if cut != NOTHING), default=NOTHING)


def limit_after(problem: Problem, limit: int, cut: int) -> int | None:
    """Return the limit to try after another one, by its cut; None if that is nothing, or the puzzle gives none."""
    return None if cut == NOTHING else next(problem.limits(max(limit + 1, cut)), None)
