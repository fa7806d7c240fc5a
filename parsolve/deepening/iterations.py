"""Iterative deepening: one limit after another, until one is productive.

R. E. Korf, Depth-first iterative-deepening: an optimal admissible tree search, Artificial Intelligence 27
(1985) 97–109. Here the first productive limit is always finished, so that every solution is found.
"""

import heapq
from collections.abc import Callable
from dataclasses import replace

from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.limits import Limits
from parsolve.deepening.prefixes import Prefix, weight_within
from parsolve.deepening.preparation import Preparation
from parsolve.deepening.searcher import Sought
from parsolve.deepening.slices import Assignment
from parsolve.deepening.units import Units
from parsolve.deepening.upkeep import Upkeep
from parsolve.deepening.workers import Workers
from parsolve.errors import BranchLost, WorkersLost
from parsolve.search.branch import Path
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import Run, Stopwatch


class Waiting:
    """Solutions that wait until no open branch can come before them.

    Args:
        emit: called with each, in depth-first order.
    """

    def __init__(self, emit: Callable[[Path], None]) -> None:
        self._emit = emit
        self._batches: list[tuple[Path, list[Path]]] = []  # a heap: the first solution, and all, the last one first

    def add(self, paths: list[Path]) -> None:
        """Take one task's solutions, in depth-first order; solutions of other tasks may come between them."""
        heapq.heappush(self._batches, (paths[0], paths[::-1]))

    def release(self, earliest: Path | None) -> None:
        """Emit those that come before the first open row; all if there is none."""
        while self._batches and (earliest is None or self._batches[0][0] < earliest):
            _, paths = heapq.heappop(self._batches)
            self._emit(paths.pop())
            if paths:
                heapq.heappush(self._batches, (paths[-1], paths))


class Iterations:
    """A search by iterative deepening as it runs.

    Args:
        run: the search, whose result is filled.
        preparation, workers, stopwatch: those of the search.
    """

    def __init__(self, run: Run, preparation: Preparation, workers: Workers, stopwatch: Stopwatch) -> None:
        self._run, self._result, self._preparation = run, run.result, preparation
        self._workers, self._stopwatch = workers, stopwatch
        self._limits, self._upkeep = Limits(run), Upkeep(run, stopwatch, preparation)
        self._units: Units | None = None  # of the part that is asked for, once they are known: the same at all limits
        self._waiting = Waiting(self._give_out)
        self._given = 0  # solutions, never more than are asked for

    def run(self) -> None:
        """Search limit after limit until one is productive, and with slack the following ones up to that slack, or
        until nothing is left to search."""
        resumed = self._preparation.resumed
        self._run.take(resumed.iterations if resumed else ())
        prefixes = Prefix()
        try:
            limit = self._limits.first(resumed)
            while limit is not None:
                frontier = self._iterate(limit, prefixes, resumed)
                prefixes, resumed = frontier.prefixes, None
                limit = self._limits.after(limit, frontier.cut)
                if limit is not None:
                    with self._stopwatch.paused():
                        self._preparation.improve_bound(frontier.nodes)
        except BaseException:
            self._upkeep.save_rest()
            raise

    def _iterate(self, limit: int, before: Prefix, resumed: Checkpoint | None) -> Frontier:
        self._preparation.problem.costs.refuse_overflow(limit)
        self._upkeep.begin_iteration(limit)
        driver = self._driver_of(limit, before, resumed)
        progress, frontier = driver.progress, driver.frontier
        try:
            if resumed:
                self._give_again(limit, frontier)
            self._workers.search(driver, self._preparation.searcher)
            self._upkeep.end_iteration(driver)
        except (BranchLost, WorkersLost):
            self._upkeep.save(driver)
            raise
        finally:
            found = self._run.add(limit, progress.nodes, progress.found)  # also if it is not finished
        of_part = (frontier.weight, frontier.cut) if self._run.request.part else ()
        self._run.finish_iteration(limit, progress.nodes, found, progress.seconds, *of_part)
        return frontier

    def _give_again(self, limit: int, frontier: Frontier) -> None:
        """Give out what earlier runs have found, and let those solutions of this iteration wait that may have to."""
        for its_limit, path in self._run.store.earlier():
            self._waiting.add([path])
            if its_limit == limit:
                frontier.learn([path])
            self._waiting.release(frontier.earliest if its_limit == limit else None)

    def _driver_of(self, limit: int, before: Prefix, resumed: Checkpoint | None) -> Driver:
        problem, searcher, want = self._preparation.problem, self._preparation.searcher, self._run.request.want
        left = self._result.left
        enough = left if want != "count" or left is None else problem.weight_of(left)
        passed = self._result.iterations[-1].limit if self._result.found_so_far else -1
        sought = Sought(limit, want != "count", self._run.request.buffer, want == "any", passed, enough)
        begun = Checkpoint(tuple(self._result.iterations), limit, [searcher.whole()])
        part = self._run.request.part
        if part is not None:
            self._units = self._units or Units(problem, part, self._run.watch.check)
            branches, above, cut = self._units.within(limit)
            begun = replace(begun, branches=branches, nodes=above, cut=cut)
            self._stopwatch.leave_out_compiling()
        weigh = before.share if part is None else weight_within(begun.branches)
        if resumed and resumed.limit == limit:
            begun = resumed
            self._run.watch.listener.search_resumed(begun.share)
        frontier = Frontier(
            begun.branches,
            weigh=weigh,
            pace=searcher.pace,
            first=sought.first,
            enough=sought.enough,
            tuning=self._workers.tuning,
        )
        frontier.resume(begun.nodes, begun.weight, begun.cut, begun.share)
        total = begun.weight and problem.total(begun.weight)  # none so far: a `total` that counts the rest can wait

        def found(paths: list[Path]) -> None:
            self._run.store.add(limit, paths)
            self._waiting.add(paths)

        return Driver(
            Assignment(self._preparation.setup, sought),
            frontier,
            replace(begun.progress, found=total),
            found=found,
            send_out=self._waiting.release,
            between=self._upkeep.between,
            count=problem.total,
        )

    def _give_out(self, path: Path) -> None:
        if self._given == self._run.request.most:
            return
        self._given += 1
        self._run.give_out(path)
