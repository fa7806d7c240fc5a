"""Count solutions by levels of states: the engine for counts that are too large to list."""

import math
import time
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.counted import BITS, CountedLevels
from parsolve.levels.files import made
from parsolve.levels.threads import Threads
from parsolve.problem.data import digest_of
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import COUNTS, Entries, LevelCheckpoint
from parsolve.search.engine import Run, only_counted
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.text import clock, plural, short

if TYPE_CHECKING:
    from parsolve.levels.expected import Expected

ALL = 1 - 1e-9
"""The share of a level that has ended, up to rounding."""

MEANING = 2
"""The version of the entries' format: raised when a checkpoint would mean something else."""


class Sharing:
    """Counting by levels of states with the number of ways to each; see `search.engine.Engine`.

    Args:
        expected: its expected effort, if that is known.
    """

    adds, does = True, frozenset({"spill"})

    def __init__(self, expected: "Expected | None" = None) -> None:
        self._expected = expected

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse weights, and states without a way back from a key or without a level."""
        searched, instead = problem.for_sharing, instead_of_sharing(request)
        if searched.is_weighted:
            raise only_counted(searched)
        if type(searched.puzzle).unkey is None:
            raise BadInput(
                f"{searched.name} gives no way back from a key to its state (unkey), which the engine sharing needs:"
                f" {instead}"
            )
        if not (searched.rises or searched.has_cost):
            raise BadInput(
                f"{searched.name} gives no level that every move raises (level, or a graded graph) and no costs, which"
                f" the engine sharing needs: {instead}"
            )

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem that is counted instead, if the puzzle names one."""
        return problem.for_sharing

    def resumes(self, problem: Problem, request: Request) -> bool:
        """Return True: levels are kept in checkpoints."""
        return True

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        result, folder, begin = run.result, run.request.spill, time.perf_counter()
        with (
            made(folder),
            Threads(result.workers, run.watch) as threads,
            closing(CountedLevels(result.problem, threads, folder)) as counted,
        ):
            count = _Count(run, counted, self._expected)
            count.resume()
            result.setup_seconds += time.perf_counter() - begin
            count.run()


def instead_of_sharing(request: Request) -> str:
    """Return what to do instead, as the end of an error message."""
    return "leave out skip, take and sample" if request.chooses else "take the engine deepening"


class _Count:
    def __init__(self, run: Run, counted: CountedLevels, expected: "Expected | None") -> None:
        self._run, self._counted, self._expected = run, counted, expected
        self._done, self._total = 0, None if expected is None else expected.entries  # entries of ended and all levels
        self._most = expected.entries * expected.error if expected else math.inf
        self._result, self._watch, self._store = run.result, run.watch, run.store
        self._meaning = digest_of([MEANING, BITS, run.result.problem.meaning])
        self._multiplicity: int = run.result.problem.puzzle.multiplicity
        self._before = 0.0  # seconds of earlier runs

    def resume(self) -> None:
        """Continue an earlier run, if there is one."""
        kept, counted = self._store.resume_levels(), self._counted
        if kept is None or kept.form != COUNTS:
            return
        kept.require(self._meaning, self._result.problem)
        counted.restore(kept.entries())
        counted.count, counted.cost, counted.begun, counted.forward.nodes = (
            kept.count,
            kept.cost,
            kept.finished,
            kept.nodes,
        )
        self._before = kept.seconds
        self._watch.listener.warning_given(f"continuing after {plural(kept.finished, 'level')} of an earlier run")

    def run(self) -> None:
        """Count level by level."""
        result, counted = self._result, self._counted
        with self._run.searching(self._before) as self._stopwatch:
            try:
                for _ in counted.expand():
                    result.nodes, result.found_so_far = counted.nodes, self._found
                    self._correct()
                    self._tell()
                    if self._store.due and self._store.is_due(counted.size):
                        self._save()
                result.nodes, result.cost = counted.nodes, counted.least_cost
                if counted.count % self._multiplicity:
                    text = f"the {counted.count} solutions are not a multiple of {self._multiplicity}"
                    raise BadPuzzle(f"{result.problem.name}: {text}")
                self._run.count_found(self._found)
            except BaseException:
                if counted.is_whole:
                    self._save()
                raise
        self._run.finish_iteration(result.cost or 0, result.nodes, result.found_so_far, result.seconds)

    @property
    def _found(self) -> int:
        """The number of known solutions of the given puzzle."""
        return self._counted.count // self._multiplicity

    def _correct(self) -> None:
        """Correct the expected number of entries at the end of a level; warn if it is more than was said."""
        counted, done = self._counted, self._done
        if self._expected is None or counted.share < ALL:
            return
        self._done = counted.nodes
        left = self._expected.left(counted.level, counted.nodes - done)
        if left is None:
            return
        self._total = counted.nodes + left
        if self._total > self._most:
            self._most = 2 * self._total
            seconds = self._stopwatch.seconds * left / counted.nodes
            text = f"more entries than expected: {short(self._total)} now, with {clock(seconds)} left"
            self._watch.listener.warning_given(text)

    def _tell(self) -> None:
        counted = self._counted
        progress = Progress(
            0,
            counted.share,
            counted.nodes,
            self._found,
            since=time.monotonic() - self._stopwatch.seconds,
            level=counted.begun,
            waiting=counted.waiting,
            total=self._total,
        )
        self._watch.listener.progress_made(progress)

    def _save(self) -> None:
        """Keep a checkpoint; between two steps."""
        counted = self._counted

        def entries() -> Iterator[Entries]:
            return (Entries(level, packed.words, packed.entries) for level, packed in counted.packed())

        sums = counted.finished, counted.nodes, counted.cost, counted.count
        self._store.save_levels(LevelCheckpoint(f"{COUNTS} {self._meaning}", *sums, self._stopwatch.seconds, entries))
