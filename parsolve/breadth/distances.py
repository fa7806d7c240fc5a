"""The distance of every state of an abstraction from its goals."""

import numpy as np

from parsolve.breadth.dense import Dense
from parsolve.breadth.layers import Array
from parsolve.breadth.threads import Threads
from parsolve.errors import BadInput
from parsolve.kernel.dense import UNREACHED
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers


def distances(problem: Problem, watch: Watch = UNWATCHED) -> Array:
    """Return the distance of every state from the nearest goal.

    Args:
        problem: an abstraction: it numbers its states and gives its goals, from which its moves lead backwards too.
        watch: told of each layer.

    Returns:
        uint8[entries], UNREACHED (255) where there is no way.

    Raises:
        BadInput: the puzzle does not number its states, or gives no goals.
        BadPuzzle: it breaks the contract, or has a distance above 254.
        OutOfMemory: the states do not fit.
    """
    goals = problem.goals()
    if not len(goals):
        raise BadInput(f"{problem.name} gives no 'goals', from which distances are measured")
    with Threads(default_workers(), watch) as pool:
        dense = Dense(problem, pool, from_goals=True)
        dense.warm_up(goals)
        table = np.full(problem.entries, UNREACHED, np.uint8)
        for depth, _ in dense.layers(goals, distances=table):
            watch.listener.progress_made(Progress(depth, share=dense.states / dense.size, nodes=dense.states))
        dense.proof.end()
    return table
