"""Iterative deepening: one limit after another, until one is productive.

R. E. Korf, Depth-first iterative-deepening: an optimal admissible tree search, Artificial Intelligence 27
(1985) 97–109. Here the first productive limit is always finished, so that every solution is found.
"""

import time
from dataclasses import replace

from parsolve.compiler.cache import readying
from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.limits import Limits
from parsolve.deepening.prefixes import Prefix, weight_within
from parsolve.deepening.searcher import Sought
from parsolve.deepening.slices import Assignment, Setup, adopt, searcher_for
from parsolve.deepening.transposition import Memory
from parsolve.deepening.units import Units
from parsolve.deepening.upkeep import Upkeep
from parsolve.deepening.workers import workers_of
from parsolve.errors import BranchLost, WorkersLost
from parsolve.executors.adapter import Adapter
from parsolve.problem.problem import Problem
from parsolve.problem.registry import Spec
from parsolve.problem.replay import Solution
from parsolve.search.better import BetterBounds
from parsolve.search.engine import Run
from parsolve.search.progress import Progress


class Iterations:
    """A search by iterative deepening as it runs.

    Args:
        run: the request, and the result, which is filled.
        adapter: the user's executor; None for our own process pool.
        memory: the transposition table's memory.
        last_limit: see `Deepening`.

    Raises:
        BadPuzzle, OutOfMemory: see `parsolve.solve`.
    """

    def __init__(self, run: Run, adapter: Adapter | None, memory: Memory, last_limit: int | None) -> None:
        self._run, self._adapter, self._memory = run, adapter, memory
        self._request, self._store, self.result = run.request, run.store, run.result
        self._limits = Limits(run, last_limit)
        self._better = BetterBounds(run.load, run.watch.listener)
        before = time.perf_counter()
        self._resumed = self._store.resume()
        self._prepare(self._request.tuning.lasting)
        if self._resumed:
            visited = [iteration.nodes for iteration in self._resumed.iterations]
            self._improve_bound(max([self._resumed.nodes, *visited]))
        self._units: Units | None = None
        self._given = 0
        self.result.setup_seconds += time.perf_counter() - before

    def _prepare(self, lasting: float = 0.0) -> None:
        """Prepare this thread for the problem, and make its setup for workers; see `Searcher.warm_up`."""
        problem = self.result.problem
        searcher = searcher_for(problem, self._run.watch.max_memory)
        has_branches = self._resumed is not None or self._request.part is not None or self._adapter is not None
        lasting = 0.0 if has_branches else lasting
        searcher.warm_up(self._memory.table, lasting)
        searcher.pace = replace(searcher.pace, fixed=self._request.budget, first=self._request.tuning.first_budget)
        self._pace = searcher.pace
        if has_branches or (self.result.workers > 1 and not lasting):
            # Once here: a short search ends before its workers have compiled, and then nothing would be cached.
            searcher.warm_up_restoring()
        # Without a spec the search never leaves this thread, and it is only a handle.
        self._spec = problem.spec or Spec(f"{problem.name}@{id(problem)}", {})
        adopt(searcher, self._spec)
        self._whole = searcher.whole()

    def _setup(self) -> Setup:
        return Setup(self._spec, self.result.problem.identity, self._memory.table, self.result.problem.supplier)

    def _improve_bound(self, nodes: int) -> None:
        """Take the best bound that pays after an iteration of `nodes`, if there is one."""
        before = self.result.problem
        # The entries of a transposition table belong to this problem's keys, and a part's branches to its tree.
        if self._memory.table.size or self._request.part:
            return
        if not self._better.take(before, nodes, f"an iteration took {nodes:,} nodes", self._continue_with):
            self.result.problem = before

    def _continue_with(self, problem: Problem) -> None:
        self.result.problem = self._run.supply(problem)
        self._prepare()

    def run(self) -> None:
        """Search limit after limit until one is productive, and with slack the following ones up to that slack, or
        until nothing is left to search."""
        resumed, result = self._resumed, self.result
        before = resumed.seconds if resumed else 0.0
        having = workers_of(self._adapter, result.workers, self._setup(), self._request, self._run.watch.listener)
        with having as workers, self._run.searching(before) as stopwatch:
            self._workers, self._stopwatch = workers, stopwatch
            self._upkeep = Upkeep(self._run, stopwatch, self._memory, self._setup)
            if resumed:
                result.iterations += resumed.iterations
                result.nodes += sum(iteration.nodes for iteration in resumed.iterations)
                result.found_so_far = sum(result.by_cost.values())
                result.cost = next(iter(result.by_cost), None)
            prefixes = Prefix()
            try:
                limit = self._limits.first(resumed)
                while limit is not None:
                    frontier = self._iterate(limit, prefixes)
                    if limit >= self._limits.dearest or result.is_cut or not frontier.cut:
                        break
                    prefixes = frontier.prefixes
                    begin = time.perf_counter()
                    self._improve_bound(frontier.nodes)
                    readying.lap()
                    stopwatch.leave_out(time.perf_counter() - begin)
                    limit = self._limits.reaching(max(limit + 1, frontier.cut))
            except BaseException:
                self._upkeep.save_rest()
                raise

    @property
    def _any(self) -> bool:
        return self.result.want == "any"

    def _iterate(self, limit: int, before: Prefix) -> Frontier:
        self._upkeep.begin_iteration(limit)
        driver = self._driver_of(limit, before)
        progress, frontier = driver.progress, driver.frontier
        try:
            self._workers.search(driver)
            self._upkeep.end_iteration(driver)
        except (BranchLost, WorkersLost):
            self._upkeep.save(driver)
            raise
        finally:
            found = self._account(progress)
        progress.since += self._stopwatch.leave_out_compiling()
        given = (frontier.weight, frontier.cut) if self._request.part else ()
        self._run.finish_iteration(limit, progress.nodes, found, progress.seconds, *given)
        return frontier

    def _driver_of(self, limit: int, before: Prefix) -> Driver:
        resumed = self._resumed if self._resumed and self._resumed.limit == limit else None
        want, problem = self.result.want, self.result.problem
        enough = self._left if want != "count" or self._left is None else problem.weight_of(self._left)
        first = 0 if enough is None or want not in ("all", "first") else enough
        part = self._request.part
        begun, above, cut = [self._whole], 0, 0
        if part is not None:
            self._units = self._units or Units(problem, part, self._run.watch.check)
            begun, above, cut = self._units.within(limit)
        frontier = Frontier(
            resumed.branches if resumed else begun,
            weigh=before.share if part is None else weight_within(begun),
            pace=self._pace,
            first=first,
            enough=None if first else enough,
            known=self._store.first(first),
            tuning=self._workers.tuning,
        )
        if part is not None:
            self._stopwatch.leave_out_compiling()
            frontier.resume(above, 0, cut, 0.0)
        progress = Progress(limit, nodes=frontier.nodes, before=tuple(self.result.iterations))
        if resumed:
            frontier.resume(resumed.nodes, resumed.found, resumed.cut, resumed.share)
            progress = replace(resumed.progress, found=problem.total(resumed.found))
            self._run.watch.listener.search_resumed(resumed.share)
        return Driver(
            Assignment(
                self._setup(),
                Sought(limit, want != "count", self._request.buffer, self._any, self._passed, enough),
            ),
            frontier,
            progress,
            store=self._store,
            emit=self._solution,
            between=self._upkeep.between,
            count=problem.total,
        )

    @property
    def _passed(self) -> int:
        """The greatest cost of solutions that earlier limits have counted; -1 if none."""
        return self.result.iterations[-1].limit if self.result.found_so_far else -1

    @property
    def _left(self) -> int | None:
        """How many solutions are wanted besides those of earlier limits; None for all."""
        most = self.result.most
        return None if most is None else most - sum(each.solutions for each in self.result.iterations)

    def _solution(self, path: tuple[int, ...]) -> None:
        if self._given == self.result.most:
            return
        self._given += 1
        problem = self.result.problem
        if self._any and problem.has_cost:
            self.result.cost = Solution(path, problem).cost
        self._run.emit(path)
        self._run.watch.listener.solution_found(path)

    def _account(self, progress: Progress) -> int:
        """Add an iteration to `result`, also if it is not finished; return how many of its solutions are wanted."""
        result = self.result
        found = progress.found if self._left is None else min(progress.found, self._left)
        result.nodes += progress.nodes
        if progress.found:
            # If any solution is wanted, its cost is its own, not the limit.
            if result.problem.has_cost and result.cost is None and not self._any:
                result.cost = progress.limit
            result.found_so_far = sum(result.by_cost.values()) + found
        return found
