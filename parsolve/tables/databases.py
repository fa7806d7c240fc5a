"""Pattern databases for the puzzles that need them: loaded, or built by breadth-first search and kept.

problem ─▶ its abstractions ─▶ tables in this process, or in the cache folder ─▶ missing tables are built here
"""

import time
from functools import partial

from parsolve.compiler.cache import reporting_to
from parsolve.errors import BadPuzzle
from parsolve.problem.data import PatternDatabase
from parsolve.problem.problem import Problem
from parsolve.problem.states import Array
from parsolve.puzzle.core import Puzzle
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Listener, Watch
from parsolve.system.resources import within_memory
from parsolve.tables.origin import entries_of, is_keyed, origin_of

DEEPEST = 8  # nested abstractions of abstractions


def supply(problem: Problem, watch: Watch = UNWATCHED, depth: int = 0) -> Problem:
    """Return a problem with the pattern databases of its abstractions: loaded, or built if missing.

    Args:
        problem: a new problem, before its root, its lookups or its kernel are read.
        watch: receives the progress of building; if it ends the building, nothing is left of it.
        depth: how deeply this puzzle is nested as an abstraction of others.

    Raises:
        BadInput: an abstraction neither numbers its states and gives goals, nor has a way back from its keys.
        BadPuzzle: it breaks the contract.
        OutOfMemory: its states do not fit.
    """
    if depth > DEEPEST:
        raise BadPuzzle(f"{problem.name}: its abstractions have abstractions without end")
    problem.make_databases = problem.make_databases or _supplied  # other processes supply it in the same way
    if not problem.has_databases:
        with reporting_to(watch.listener, watch.check):
            problem.databases = tuple(database_of(each, watch, depth + 1) for each in problem.abstractions)
    return problem


def supply_later(problem: Problem, watch: Watch = UNWATCHED) -> Problem:
    """Return a problem that is supplied once its pattern databases are needed: never, if known solutions are shown."""
    problem.make_databases = partial(_supplied, watch=watch)
    return problem


def _supplied(problem: Problem, watch: Watch = UNWATCHED) -> tuple[PatternDatabase, ...]:
    return supply(problem, watch).databases


def database_of(puzzle: Puzzle, watch: Watch = UNWATCHED, depth: int = 0) -> PatternDatabase:
    """Return the pattern database of an abstraction; see `supply`."""
    from parsolve.tables.store import find, keep  # most puzzles have no abstractions

    entries_of(puzzle)  # says what it lacks before its own abstractions are asked for
    problem = supply(Problem(puzzle), watch, depth)
    origin = origin_of(puzzle, problem.databases)
    table = find(puzzle, origin)
    if table is None:
        what, listener = str(origin), watch.listener
        listener.table_progress_made(what, Progress(0))
        begin = time.perf_counter()
        table = _built(problem, watch.with_listener(_Building(listener, what)))
        seconds = time.perf_counter() - begin
        table = keep(puzzle, origin, table, seconds, watch.check)
        listener.table_built(what, seconds)
    return PatternDatabase(origin.digest, table)


def _built(problem: Problem, watch: Watch) -> Array:
    from parsolve.levels.both_ends import feasible_keys
    from parsolve.levels.dense import distances

    if is_keyed(problem.puzzle):
        back = problem.inverse_puzzle
        return feasible_keys(problem, None if back is None else supply(back), watch)
    with within_memory(watch.max_memory):
        return distances(problem, watch)


def load(problem: Problem) -> bool:
    """Load the pattern databases of a problem if all are in this process or in the cache folder, and return whether
    they are. Their origins are compared only if class and parameters agree."""
    from parsolve.tables.store import find, may_be_kept

    found = []
    for puzzle in problem.abstractions:
        itself = Problem(puzzle)
        if not may_be_kept(puzzle) or not load(itself):
            return False
        origin = origin_of(puzzle, itself.databases)
        table = find(puzzle, origin)
        if table is None:
            return False
        found.append(PatternDatabase(origin.digest, table))
    problem.databases = tuple(found)
    return True


class _Building(Listener):
    """Reports the building of a table to another listener."""

    def __init__(self, listener: Listener, what: str) -> None:
        self._listener, self._what = listener, what

    def progress_made(self, progress: Progress) -> None:
        self._listener.table_progress_made(self._what, progress)
