"""Pattern databases for the puzzles that need them: loaded, or built by breadth-first search and kept.

problem ─▶ its abstractions ─▶ tables in this process, or in the cache folder ─▶ missing tables are built here
"""

import contextlib
import time
from typing import Any

from parsolve.compiler.waiting import reporting_to
from parsolve.errors import BadPuzzle
from parsolve.problem.data import Array, PatternDatabase
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Listener, Watch
from parsolve.system.resources import within_memory
from parsolve.tables.origin import is_keyed, origin_of, require_table

DEEPEST = 8  # nested abstractions of abstractions


class Databases:
    """Supplies problems with the pattern databases of their abstractions; in another process it does so unwatched.

    Args:
        watch: receives the progress of building; if it ends the building, nothing is left of it.
        depth: how deeply the problem is nested as an abstraction of others.
        builds: whether missing ones are built; otherwise they raise `TableMissing`.
    """

    def __init__(self, watch: Watch = UNWATCHED, depth: int = 0, builds: bool = True) -> None:
        self._watch, self._depth, self._builds = watch, depth, builds

    def __reduce__(self) -> Any:
        return Databases, ()

    def __call__(self, problem: Problem) -> tuple[PatternDatabase, ...]:
        if self._depth > DEEPEST:
            raise BadPuzzle(f"{problem.name}: its abstractions have abstractions without end")
        with reporting_to(self._watch.listener.compilation_started, self._watch.check):
            return tuple(map(self.of, problem.abstractions))

    def of(self, puzzle: Puzzle) -> PatternDatabase:
        """Return the pattern database of an abstraction."""
        from parsolve.tables.kept import find, keep, may_be_kept  # most puzzles have no abstractions

        require_table(puzzle)  # says what it lacks before its own abstractions are asked for
        if not (self._builds or may_be_kept(puzzle)):
            raise TableMissing
        problem = Problem(puzzle, supplier=Databases(self._watch, self._depth + 1, self._builds))
        origin = origin_of(problem)
        table = find(puzzle, origin)
        if table is None:
            if not self._builds:
                raise TableMissing
            what, listener = str(origin), self._watch.listener
            listener.table_progress_made(what, Progress(0))
            begin = time.perf_counter()
            table = _built(problem, Watch(_Building(listener, what), self._watch.check, self._watch.max_memory))
            seconds = time.perf_counter() - begin
            table = keep(puzzle, origin, table, seconds, self._watch.check)
            listener.table_built(what, seconds)
        return PatternDatabase(origin.digest, table)


class TableMissing(Exception):
    """A table is neither in this process nor in the cache folder."""


def supply(problem: Problem, watch: Watch = UNWATCHED) -> Problem:
    """Return a problem with the pattern databases of its abstractions: loaded, or built if missing.

    Raises:
        BadInput: an abstraction neither numbers its states and gives goals, nor has a way back from its keys.
        BadPuzzle: it breaks the contract.
        OutOfMemory: its states do not fit.
    """
    problem.supply(Databases(watch), later=Databases())  # unwatched: a problem may be kept for later searches
    return problem


def load(problem: Problem) -> bool:
    """Load the pattern databases of a problem if all are in this process or in the cache folder, and return whether
    they are. Their origins are compared only if class and parameters agree."""
    with contextlib.suppress(TableMissing):
        problem.supply(Databases(builds=False), later=Databases())
    return problem.is_supplied


def _built(problem: Problem, watch: Watch) -> Array:
    from parsolve.levels.both_ends import feasible_keys
    from parsolve.levels.dense import distances

    if is_keyed(problem.puzzle):
        return feasible_keys(problem, problem.inverse and supply(problem.inverse), watch)
    with within_memory(watch.max_memory):
        return distances(problem, watch)


class _Building(Listener):
    """Reports the building of a table to another listener."""

    def __init__(self, listener: Listener, what: str) -> None:
        self._listener, self._what = listener, what

    def progress_made(self, progress: Progress) -> None:
        self._listener.table_progress_made(self._what, progress)
