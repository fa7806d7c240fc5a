"""Tables of abstractions for the puzzles that need them: loaded, or built by breadth-first search and kept.

problem ─▶ its abstractions ─▶ tables in this process, or in the cache folder ─▶ what is missing is built here
"""

import time
from collections.abc import Callable

from parsolve.activity import current as activity
from parsolve.breadth.distances import distances
from parsolve.breadth.feasible import feasible_keys
from parsolve.errors import BadPuzzle
from parsolve.kernel.listening import telling
from parsolve.problem import Array, Problem
from parsolve.puzzle import Puzzle
from parsolve.resources import within_memory
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.tables import making
from parsolve.tables.data import PatternDatabase
from parsolve.tables.origin import entries_of, is_keyed, origin_of
from parsolve.tables.store import find, keep

DEEPEST = 8
"""How many abstractions may be of one another in turn."""


def supply(
    problem: Problem,
    listener: Listener | None = None,
    check: Callable[[], None] = lambda: None,
    max_memory: int | None = None,
) -> None:
    """Load the tables of a problem's abstractions, and build those that are not there.

    Args:
        problem: it has them then.
        listener: told of what is built.
        check: called several times a second; what it raises ends the building, and nothing is left of it.
        max_memory: bytes that this process may use.

    Raises:
        BadInput: an abstraction neither numbers its states and gives goals, nor has a way back from its keys.
        BadPuzzle: it breaks the contract.
        OutOfMemory: its states do not fit.
    """
    _supply(problem, listener or Listener(), check, max_memory, 0)


def table_of(
    puzzle: Puzzle,
    listener: Listener | None = None,
    check: Callable[[], None] = lambda: None,
    max_memory: int | None = None,
) -> Array:
    """Return the table of an abstraction, uint8[entries] or uint64[any], read-only; see `supply`."""
    return _database_of(puzzle, listener or Listener(), check, max_memory, 0).entries


def database_of(puzzle: Puzzle) -> PatternDatabase:
    """Return the pattern database of an abstraction; see `supply`."""
    return _database_of(puzzle, Listener(), lambda: None, None, 0)


def _supply(
    problem: Problem, listener: Listener, check: Callable[[], None], max_memory: int | None, depth: int
) -> None:
    if depth > DEEPEST:
        raise BadPuzzle(f"{problem.name}: its abstractions have abstractions without end")
    problem.databases = tuple(
        _database_of(each, listener, check, max_memory, depth + 1) for each in problem.abstractions
    )


def _database_of(
    puzzle: Puzzle, listener: Listener, check: Callable[[], None], max_memory: int | None, depth: int
) -> PatternDatabase:
    entries_of(puzzle)  # what has no table needs none of its own abstractions
    problem = Problem(puzzle)
    _supply(problem, listener, check, max_memory, depth)
    origin = origin_of(puzzle, problem.databases)
    found = find(puzzle, origin)
    if found is not None:
        return PatternDatabase(origin.digest, found)
    what = str(origin)
    activity.pause()  # as compiling, it does not count against --timeout
    try:
        listener.table_progress_made(what, Progress(0))
        begin = time.perf_counter()
        building = _Building(listener, what)
        with telling(listener):
            if is_keyed(puzzle):
                table = feasible_keys(problem, check=check, listener=building, max_memory=max_memory)
            else:
                with within_memory(max_memory):
                    table = distances(problem, check=check, listener=building)
        seconds = time.perf_counter() - begin
        table = keep(puzzle, origin, table, seconds, check)
        listener.table_built(what, seconds)
    finally:
        activity.resume()
    return PatternDatabase(origin.digest, table)


class _Building(Listener):
    """Tells another listener how the building of a table goes."""

    def __init__(self, listener: Listener, what: str) -> None:
        self._listener, self._what = listener, what

    def progress_made(self, progress: Progress) -> None:
        self._listener.table_progress_made(self._what, progress)


making.register(database_of)
