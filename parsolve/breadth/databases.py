"""Tables of abstractions for the puzzles that need them: loaded, or built by breadth-first search and kept.

problem ─▶ its abstractions ─▶ tables in this process, or in the cache folder ─▶ what is missing is built here
"""

import time

import numpy as np

from parsolve.breadth.dense import Dense
from parsolve.breadth.feasible import feasible_keys
from parsolve.breadth.threads import Threads
from parsolve.errors import BadPuzzle
from parsolve.kernel.dense import UNREACHED
from parsolve.kernel.listening import telling
from parsolve.problem import making
from parsolve.problem.data import PatternDatabase
from parsolve.problem.problem import Array, Problem
from parsolve.puzzle import Puzzle
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Listener, Watch
from parsolve.system.activity import current as activity
from parsolve.system.resources import default_workers, within_memory
from parsolve.tables.origin import entries_of, is_keyed, origin_of
from parsolve.tables.store import find, keep, may_be_kept

DEEPEST = 8
"""How many abstractions may be of one another in turn."""


def supply(problem: Problem, watch: Watch = UNWATCHED, depth: int = 0) -> None:
    """Load the pattern databases of a problem's abstractions, and build those that are not there.

    Args:
        problem: it has them then.
        watch: told of what is built; where it ends the building, nothing is left of it.
        depth: how many puzzles this one is an abstraction of, in turn.

    Raises:
        BadInput: an abstraction neither numbers its states and gives goals, nor has a way back from its keys.
        BadPuzzle: it breaks the contract.
        OutOfMemory: its states do not fit.
    """
    if depth > DEEPEST:
        raise BadPuzzle(f"{problem.name}: its abstractions have abstractions without end")
    if problem.has_databases:
        return
    with telling(watch.listener):
        problem.databases = tuple(database_of(each, watch, depth + 1) for each in problem.abstractions)


def database_of(puzzle: Puzzle, watch: Watch = UNWATCHED, depth: int = 0) -> PatternDatabase:
    """Return the pattern database of an abstraction; see `supply`."""
    entries_of(puzzle)  # what has no table needs none of its own abstractions
    problem = Problem(puzzle)
    supply(problem, watch, depth)
    origin = origin_of(puzzle, problem.databases)
    found = find(puzzle, origin)
    if found is not None:
        return PatternDatabase(origin.digest, found)
    what, listener = str(origin), watch.listener
    with activity.paused():  # as compiling, it does not count against --timeout
        listener.table_progress_made(what, Progress(0))
        begin = time.perf_counter()
        building = watch.told_to(_Building(listener, what))
        if is_keyed(puzzle):
            table = feasible_keys(problem, building)
        else:
            with within_memory(watch.max_memory):
                table = distances(problem, building)
        seconds = time.perf_counter() - begin
        table = keep(puzzle, origin, table, seconds, watch.check)
        listener.table_built(what, seconds)
    return PatternDatabase(origin.digest, table)


def load(problem: Problem) -> bool:
    """Load the pattern databases of a problem if all are in this process or in the cache folder, and return whether
    they are. What they are made from is compared only where class and parameters agree."""
    if not all(map(may_be_kept, problem.abstractions)):
        return False
    found = []
    for puzzle in problem.abstractions:
        entries_of(puzzle)
        itself = Problem(puzzle)
        if not load(itself):
            return False
        origin = origin_of(puzzle, itself.databases)
        table = find(puzzle, origin)
        if table is None:
            return False
        found.append(PatternDatabase(origin.digest, table))
    problem.databases = tuple(found)
    return True


def distances(problem: Problem, watch: Watch = UNWATCHED) -> Array:
    """Return the distance of every state of an abstraction from the nearest goal.

    Args:
        problem: numbers its states and gives its goals, from which its moves lead backwards too.
        watch: told of each layer.

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


class _Building(Listener):
    """Tells another listener how the building of a table goes."""

    def __init__(self, listener: Listener, what: str) -> None:
        self._listener, self._what = listener, what

    def progress_made(self, progress: Progress) -> None:
        self._listener.table_progress_made(self._what, progress)


making.register(database_of)
