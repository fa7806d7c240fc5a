"""Iterative deepening: one limit after another, until one is productive.

R. E. Korf, Depth-first iterative-deepening: an optimal admissible tree search, Artificial Intelligence 27
(1985) 97–109. Here the first productive limit is always finished, so that every solution is found.
"""

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import replace

from parsolve.compiler.cache import readying
from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.prefixes import Prefix
from parsolve.deepening.restarts import Restarts
from parsolve.deepening.slices import Assignment, Setup, adopt, searcher_for
from parsolve.deepening.transposition import Memory
from parsolve.deepening.workers import Workers
from parsolve.errors import BadInput, BadPuzzle, BranchLost, GuardStop, OutOfMemory, WorkersLost
from parsolve.executors.adapter import Adapter
from parsolve.problem.registry import Spec
from parsolve.problem.replay import Solution
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import Run
from parsolve.search.pace import Pace
from parsolve.search.progress import Progress
from parsolve.search.samples import Sample, Samples


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
        self._last_limit = math.inf if last_limit is None else last_limit
        self._request, self._watch, self._store, self.result = run.request, run.watch, run.store, run.result
        self._listener = run.watch.listener
        self._ended: Checkpoint | None = None
        """The end of the last iteration, if the store does not have it because the search is still brief."""
        self._shed = -math.inf
        self._refused = False
        self._pace = Pace(self._request.budget, self._request.tuning.first_budget)
        begin = time.perf_counter()
        self._resumed = self._store.resume()
        self._prepare()
        if self._resumed:
            visited = [iteration.nodes for iteration in self._resumed.iterations]
            self._improve_bound(max([self._resumed.nodes, *visited]))
        self._driver: Driver | None = None
        self._given = 0
        self._before = self._resumed.seconds if self._resumed else 0.0
        self._samples = Samples(self._resumed.samples if self._resumed else ())
        self.result.samples = self._samples.taken
        self.result.setup_seconds += time.perf_counter() - begin

    def _prepare(self) -> None:
        """Prepare this thread for the problem, and make its setup for workers."""
        problem = self.result.problem
        searcher = searcher_for(problem, self._watch.max_memory)
        searcher.warm_up(self._memory.table)
        if self._resumed or self.result.workers > 1 or self._adapter is not None:
            # Once here: a short search ends before its workers have compiled, and then nothing would be cached.
            searcher.warm_up_restoring()
            if self._any:
                searcher.warm_up_ordering()
        # Without a spec the search never leaves this thread, and the setup is only a handle.
        spec = problem.spec or Spec(f"{problem.name}@{id(problem)}", {})
        self._setup = Setup(spec, problem.identity, self._memory.table)
        adopt(searcher, spec)
        self._whole = searcher.whole()

    def _improve_bound(self, nodes: int) -> bool:
        """Take the best bound that pays after an iteration of `nodes`; return whether there is one."""
        # The entries of a transposition table belong to this problem's keys.
        if self._memory.table.size or self._refused:
            return False
        before = self.result.problem
        better = before.better(nodes, self._run.load)
        if better is None:
            return False
        pay = "are kept" if better.has_databases else "pay"
        why = f"an iteration took {nodes:,} nodes, and its pattern databases {pay}"
        self._listener.bound_changed(f"continuing with {better.description}: {why}")
        try:
            self.result.problem = self._run.supply(better)
            self._prepare()
        except OutOfMemory as error:
            self._refused, self.result.problem = True, before
            self._listener.warning_given(f"{error}: continuing without a better bound")
        return not self._refused

    def run(self) -> None:
        """Search limit after limit until one is productive, and with slack the following ones up to that slack, or
        until nothing is left to search."""
        with self._making_workers() as workers, self._run.searching(self._before) as self._stopwatch:
            self._workers = workers
            prefixes = Prefix()
            if self._resumed:
                self.result.iterations += self._resumed.iterations
                self.result.nodes += sum(iteration.nodes for iteration in self._resumed.iterations)
                self.result.found_so_far = sum(self.result.by_cost.values())
                self.result.cost = next(iter(self.result.by_cost), None)
            asked = self._request.limit
            try:
                for limit in self._limits():
                    if self._resumed and limit < self._resumed.limit and not self._any:
                        continue
                    if self._resumed and limit != self._resumed.limit:
                        self._skip(self._resumed)
                    if limit > self._last_limit or limit > self._dearest:
                        break
                    if asked is not None and limit > asked:
                        raise self._beyond(asked)
                    self.result.problem.refuse_overflow(limit)
                    frontier = self._iterate(limit, prefixes)
                    if limit >= self._dearest or self.result.is_cut or not frontier.cut:
                        break
                    prefixes = frontier.prefixes
                    begin = time.perf_counter()
                    if self._improve_bound(frontier.nodes):
                        workers.turn_to(self._setup)
                    readying.lap()
                    self._stopwatch.leave_out(time.perf_counter() - begin)
            except BaseException:
                if self._ended is not None:
                    self._store.save(self._ended)
                raise
            finally:
                self._account()
        self.result.end()

    @property
    def _any(self) -> bool:
        return self.result.want == "any"

    @property
    def _dearest(self) -> float:
        """The greatest cost of solutions that are searched for: infinite before the first solution."""
        return (self.result.cost or 0) + (self.result.slack or 0) if self.result.found_so_far else math.inf

    def _beyond(self, asked: int) -> GuardStop:
        """Return the error that stops a search at the requested limit."""
        none = f"no solution costs {asked} or less"
        known = f"solutions that cost more than {asked} are not searched for"
        return GuardStop(f"{known if self.result.found_so_far else none}: the limit that was asked for")

    def _limits(self) -> Iterator[int]:
        """Yield the limits to search; for any solution, the last one up to the requested limit, and the next."""
        limits, asked = self.result.problem.limits(), self._request.limit
        if not self._any or asked is None:
            yield from limits
            return
        before = None
        for limit in limits:
            if limit > asked:
                yield from () if before is None else (before,)
                yield limit
                return
            before = limit
        yield from () if before is None else (before,)

    def _skip(self, resumed: Checkpoint) -> None:
        """Discard the resumed iteration if its limit is not searched now: the bound was another one, or the request's
        limit.

        Raises:
            BadPuzzle: it has solutions.
            BadInput: it has solutions, and its limit is not the requested one.
        """
        if resumed.found and self._any:
            raise BadInput(f"a solution up to the limit {resumed.limit} is known: give that limit, or another journal")
        if resumed.found:
            raise BadPuzzle(
                f"{self.result.problem.name}: solutions of cost {resumed.limit} are known, and the bound or the limits"
                " now say that there are none"
            )
        self._resumed = None

    def _iterate(self, limit: int, before: Prefix) -> Frontier:
        self._store.limit = limit
        self._listener.iteration_started(limit)
        self._ended = None
        driver = self._driver = self._driver_of(limit, before)
        progress = driver.progress
        driver.run_here(self._workers.head_start(progress.expected))
        while not driver.frontier.done:
            remote = self._workers.get(progress.left)
            if remote is None:
                driver.run_here(self._workers.patch)
                continue
            try:
                remote.run(driver)
            except (BranchLost, WorkersLost):
                self._save(driver)
                raise
        if self._store.is_brief:
            self._ended = self._checkpoint(driver)
        else:
            self._save(driver)
        driver.send_out()
        progress.since += self._stopwatch.leave_out_compiling()
        found = progress.found if self._left is None else min(progress.found, self._left)
        seconds = progress.seconds
        self._account()
        self._run.finish_iteration(limit, progress.nodes, found, seconds)
        return driver.frontier

    def _driver_of(self, limit: int, before: Prefix) -> Driver:
        resumed, self._resumed = self._resumed, None
        want, problem, tuning = self.result.want, self.result.problem, self._workers.tuning
        enough = self._left if want != "count" or self._left is None else problem.weight_of(self._left)
        first = 0 if enough is None or want not in ("all", "first") else enough
        frontier = Frontier(
            resumed.branches if resumed else [self._whole],
            weigh=before.share,
            pace=self._pace,
            first=first,
            enough=None if first else enough,
            known=self._store.first(first),
            restarts=self._restarts(resumed) if self._any else None,
            tuning=tuning,
        )
        progress = Progress(limit, before=tuple(self.result.iterations))
        if resumed:
            frontier.resume(resumed.nodes, resumed.found, resumed.cut, resumed.share)
            progress = replace(resumed.progress, found=problem.total(resumed.found))
            self._listener.search_resumed(resumed.share)
        return Driver(
            Assignment(
                self._setup,
                limit,
                want != "count",
                self._request.buffer,
                cheaper=self._any,
                passed=self.result.iterations[-1].limit if self.result.found_so_far else -1,
                enough=enough,
            ),
            frontier,
            progress,
            store=self._store,
            emit=self._solution,
            between=self._between,
            count=problem.total,
            tuning=tuning,
        )

    def _restarts(self, resumed: Checkpoint | None) -> Restarts | None:
        """Return the searches in other orders; None if workers are whole machines, whose tasks are branches. A resumed
        search continues with new orders."""
        if self._workers.are_machines:
            return None
        return Restarts(self._whole, self._workers.tuning.restart_nodes, 1 + (resumed.nodes if resumed else 0))

    # Between two outcomes.

    def _between(self) -> None:
        driver = self._driver
        assert driver is not None
        driver.progress.since += self._stopwatch.leave_out_compiling()
        try:
            self._ask_stop_conditions(driver)
            self._listener.progress_made(driver.progress)
            self._sample(driver)
        except BaseException:
            self._save(driver)
            raise
        for warning in self._workers.warnings():
            self._listener.warning_given(warning)
        if self._store.due:
            self._save(driver)
            driver.send_out()

    def _sample(self, driver: Driver) -> None:
        seconds, progress = self._stopwatch.seconds, driver.progress
        if self._samples.due(seconds):
            # Before workers are started, this process counts as one.
            busy = min(self.result.workers, max(1, driver.frontier.running))
            nodes = self.result.nodes + progress.nodes
            self._samples.add(Sample(round(seconds, 3), nodes, progress.limit, round(progress.share, 6), busy))

    def _ask_stop_conditions(self, driver: Driver) -> None:
        try:
            self._watch.check()
        except OutOfMemory as error:
            if not self._shed_table(driver, str(error)):
                raise

    def _shed_table(self, driver: Driver, why: str) -> bool:
        """Give up the transposition table, if there is one; return whether that helps or may still help."""
        if not self._memory.table.size:
            return time.monotonic() < self._shed + self._request.tuning.shed_grace
        self._memory.shed()
        self._shed = time.monotonic()
        self._setup = replace(self._setup, table=self._memory.table)
        driver.assignment = replace(driver.assignment, setup=self._setup)
        self._listener.warning_given(f"{why}: continuing without the transposition table")
        return True

    def _save(self, driver: Driver) -> None:
        """Keep a checkpoint; between two outcomes."""
        self._store.save(self._checkpoint(driver))

    def _checkpoint(self, driver: Driver) -> Checkpoint:
        """Return a checkpoint; between two outcomes."""
        frontier, progress = driver.frontier, driver.progress
        return Checkpoint(
            iterations=tuple(self.result.iterations),
            limit=progress.limit,
            branches=frontier.branches,
            nodes=frontier.nodes,
            found=frontier.weight,
            cut=frontier.cut,
            share=frontier.share,
            iteration_seconds=progress.seconds,
            seconds=self._stopwatch.seconds,
            samples=tuple(self._samples.taken),
        )

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
        self._listener.solution_found(path)

    def _account(self) -> None:
        """Bring `result` up to date with the running iteration."""
        if self._driver is not None:
            progress = self._driver.progress
            self.result.nodes += progress.nodes
            if self._any:
                self.result.seed = self._driver.frontier.seed
            if progress.found:
                # If any solution is wanted, its cost is its own, not the limit.
                if self.result.problem.has_cost and self.result.cost is None and not self._any:
                    self.result.cost = progress.limit
                found = progress.found if self._left is None else min(progress.found, self._left)
                self.result.found_so_far = sum(self.result.by_cost.values()) + found
            self._driver = None

    @contextlib.contextmanager
    def _making_workers(self) -> Iterator[Workers]:
        workers = Workers(self.result.workers, self._adapter, self._setup, self._request, self._listener)
        try:
            yield workers
        except BaseException:
            workers.close()
            raise
        workers.keep()
