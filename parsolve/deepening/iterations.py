"""Iterative deepening: one limit after another, until one is productive.

R. E. Korf, Depth-first iterative-deepening: an optimal admissible tree search, Artificial Intelligence 27
(1985) 97–109. Here the first productive limit is always finished, so that every solution is found.
"""

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
from parsolve.problem.replay import Solution
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import Run, Stopwatch


class Iterations:
    """A search by iterative deepening as it runs.

    Args:
        run: the request, and the result, which is filled.
        preparation, limits, workers, stopwatch: those of the search.
    """

    def __init__(
        self, run: Run, preparation: Preparation, limits: Limits, workers: Workers, stopwatch: Stopwatch
    ) -> None:
        self._run = run
        self._result = run.result
        self._preparation = preparation
        self._limits = limits
        self._workers = workers
        self._stopwatch = stopwatch
        self._upkeep = Upkeep(run, stopwatch, preparation)
        self._units: Units | None = None  # of the part that is asked for, once they are known: the same at all limits
        self._given = 0  # solutions, never more than are asked for

    def run(self) -> None:
        """Search limit after limit until one is productive, and with slack the following ones up to that slack, or
        until nothing is left to search."""
        resumed = self._preparation.resumed
        for each in resumed.iterations if resumed else ():
            self._result.iterations.append(each)
            self._result.add(each.limit, each.nodes, each.solutions)
        prefixes = Prefix()
        try:
            limit = self._limits.first(resumed)
            while limit is not None:
                frontier = self._iterate(limit, prefixes)
                prefixes = frontier.prefixes
                limit = self._limits.after(limit, frontier.cut)
                if limit is not None:
                    with self._stopwatch.paused():
                        self._preparation.improve_bound(frontier.nodes)
        except BaseException:
            self._upkeep.save_rest()
            raise

    def _iterate(self, limit: int, before: Prefix) -> Frontier:
        self._upkeep.begin_iteration(limit)
        driver = self._driver_of(limit, before)
        progress, frontier = driver.progress, driver.frontier
        try:
            self._workers.search(driver, self._preparation.searcher)
            self._upkeep.end_iteration(driver)
        except (BranchLost, WorkersLost):
            self._upkeep.save(driver)
            raise
        finally:
            found = self._result.add(limit, progress.nodes, progress.found)  # also if it is not finished
        weight, cut = (frontier.weight, frontier.cut) if self._run.request.part else (0, 0)
        self._run.finish_iteration(limit, progress.nodes, found, progress.seconds, weight, cut)
        return frontier

    def _driver_of(self, limit: int, before: Prefix) -> Driver:
        searcher, want, problem = self._preparation.searcher, self._result.want, self._result.problem
        left = self._result.left
        enough = left if want != "count" or left is None else problem.weight_of(left)
        passed = self._result.iterations[-1].limit if self._result.found_so_far else -1
        sought = Sought(limit, want != "count", self._run.request.buffer, want == "any", passed, enough)
        branches, above, cut = [searcher.whole()], 0, 0
        part = self._run.request.part
        if part is not None:
            self._units = self._units or Units(problem, part, self._run.watch.check)
            branches, above, cut = self._units.within(limit)
            self._stopwatch.leave_out_compiling()
        begun = self._preparation.resumed
        if begun and begun.limit == limit:
            self._run.watch.listener.search_resumed(begun.share)
        else:
            begun = Checkpoint(tuple(self._result.iterations), limit, branches, above, cut=cut)
        frontier = Frontier(
            begun.branches,
            weigh=before.share if part is None else weight_within(branches),
            pace=searcher.pace,
            first=sought.first,
            enough=sought.enough,
            known=self._run.store.first(sought.first),
            tuning=self._workers.tuning,
        )
        frontier.resume(begun.nodes, begun.weight, begun.cut, begun.share)
        found = begun.weight and problem.total(begun.weight)  # none so far: a `total` that counts the rest can wait
        return Driver(
            Assignment(self._preparation.setup, sought),
            frontier,
            replace(begun.progress, found=found),
            store=self._run.store,
            emit=self._solution,
            between=self._upkeep.between,
            count=problem.total,
        )

    def _solution(self, path: tuple[int, ...]) -> None:
        if self._given == self._result.most:
            return
        self._given += 1
        problem = self._result.problem
        if self._result.want == "any" and problem.has_cost:
            self._result.cost = Solution(path, problem).cost
        self._run.give_out(path)
