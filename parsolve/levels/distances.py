"""The distance of every state of an abstraction from its goals."""

import numpy as np

from parsolve.levels.dense import Dense
from parsolve.levels.templates.dense import UNREACHED
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.problem.states import Array
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers


def distances(problem: Problem, watch: Watch = UNWATCHED) -> Array:
    """Return the distance of every state of an abstraction from the nearest goal.

    Args:
        problem: numbers its states and gives its goals; its moves also lead backwards from them.
        watch: receives each layer.

    Returns:
        uint8[entries], UNREACHED (255) for states without a way to a goal.

    Raises:
        BadInput: the puzzle does not number its states.
        BadPuzzle: it breaks the contract, or has a distance above 254.
        OutOfMemory: the states do not fit.
    """
    goals = problem.goals()
    with Threads(default_workers(), watch) as pool:
        dense = Dense(problem, pool, more=problem.entries, from_goals=True)
        dense.warm_up(goals)
        table = np.full(problem.entries, UNREACHED, np.uint8)
        for depth, _ in dense.layers(goals, distances=table):
            watch.listener.progress_made(Progress(depth, share=dense.share, nodes=dense.states))
        dense.prove()
    return table
