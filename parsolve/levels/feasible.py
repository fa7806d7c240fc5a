"""The states of an abstraction on paths from its root to a goal, from which a goal can still be reached."""

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.both_ends import BothEnds
from parsolve.levels.search import Search
from parsolve.levels.states import Array
from parsolve.levels.templates.entries import FREE
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers


def feasible_keys(problem: Problem, back: Problem | None = None, watch: Watch = UNWATCHED) -> Array:
    """Return the keys of all states on paths from the root to a goal.

    Args:
        problem: an abstraction with the way back from keys, whose graph is graded.
        back: the same with moves taken back; None for a search from the root alone, which takes more memory.
        watch: receives each level.

    Returns:
        uint64[n], ascending; none if there is no way to a goal.

    Raises:
        BadPuzzle: it breaks the contract.
        OutOfMemory: the states do not fit.
    """
    with Threads(default_workers(), watch) as threads:
        levels = _from_root(problem, threads) if back is None else _from_both_ends(problem, back, threads)
    return np.sort(np.concatenate(levels))


def _from_root(problem: Problem, threads: Threads) -> list[Array]:
    """Return the states by level, from the last to the first."""
    search = Search(problem, threads, counts=False, keeps=True)
    for _ in search.expand():
        threads.watch.listener.progress_made(Progress(search.begun, nodes=search.nodes))
    found = [np.zeros(0, np.uint64)]
    for _, level in sorted(search.levels.settled.items(), reverse=True):
        keys = level.keys()
        rows, leads_on = search.coding.states_of(keys)
        for _, parents, children in search.coding.children(rows, False):
            leads_on[parents[np.isin(children[:, 0], found[-1])]] = True
        found.append(keys[leads_on])
    return found


def _from_both_ends(problem: Problem, back: Problem, threads: Threads) -> list[Array]:
    """Return the states by level."""
    if not problem.has_cost:
        raise BadPuzzle(f"{problem.name}: 'inverse_puzzle' needs a cost and 'limits', how far the goals are")
    ends = BothEnds(problem, back, threads)
    for _ in ends.expand():
        threads.watch.listener.progress_made(Progress(ends.level >> FREE, nodes=ends.nodes))
    return ends.paths()
