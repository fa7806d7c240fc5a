"""Outcome: the result of a task, which a slice or a whole machine has run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parsolve.problem.data import Array
from parsolve.search.branch import Branch, Path
from parsolve.search.cuts import least_cut


@dataclass(frozen=True)
class Outcome:
    """What a task did with its branches.

    Attributes:
        nodes: states visited.
        weight: the weight of the solved states found; 1 for each listed one.
        paths: uint16[weight, 1 + longest], the solutions listed, in depth-first order: a length and the moves.
        cut: what the limit has cut off; see `search.cuts`.
        seconds: time inside the kernel, summed over cores.
        rest: what is left of the branches that were begun.
        begun: how many branches were begun, in their order; the others are still open.
        counts: the nodes by prefix of moves.
    """

    nodes: int
    weight: int
    paths: Array
    cut: int
    seconds: float
    rest: tuple[Branch, ...] = ()
    begun: int = 1
    counts: tuple[tuple[Path, int], ...] = ()


def merge_outcomes(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a task from the outcomes of its branches, at least one, in depth-first order."""
    if len(outcomes) == 1:
        return outcomes[0]
    listed = [outcome.paths for outcome in outcomes if len(outcome.paths)] or [outcomes[0].paths]
    width = max(paths.shape[1] for paths in listed)
    wide = [np.pad(paths, ((0, 0), (0, width - paths.shape[1]))) for paths in listed]
    return Outcome(
        nodes=sum(outcome.nodes for outcome in outcomes),
        weight=sum(outcome.weight for outcome in outcomes),
        paths=np.concatenate(wide),
        cut=least_cut(*(outcome.cut for outcome in outcomes)),
        seconds=sum(outcome.seconds for outcome in outcomes),
        rest=tuple(branch for outcome in outcomes for branch in outcome.rest),
        begun=sum(outcome.begun for outcome in outcomes),
        counts=tuple(count for outcome in outcomes for count in outcome.counts),
    )


def solutions_of(paths: Array) -> list[Path]:
    """Return the solutions that `Outcome.paths` holds, as moves."""
    return [tuple(row[1 : 1 + row[0]]) for row in paths.tolist()]


def paths_of(solutions: Sequence[Path]) -> Array:
    """Return solutions as `Outcome.paths` holds them."""
    paths = np.zeros((len(solutions), 1 + max(map(len, solutions), default=0)), np.uint16)
    for row, moves in zip(paths, solutions, strict=True):
        row[0] = len(moves)
        row[1 : 1 + len(moves)] = moves
    return paths
