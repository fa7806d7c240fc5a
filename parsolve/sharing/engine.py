"""Count solutions by what is left to do, and list some of more than anybody could list."""

import itertools
import random
import time
from collections.abc import Iterator

from parsolve.breadth.threads import Threads
from parsolve.errors import BadInput
from parsolve.kernel.cache import readying
from parsolve.problem.problem import Problem
from parsolve.search.engine import Run, only_counted
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.result import Iteration, Result
from parsolve.search.watch import Watch
from parsolve.sharing.below import Below
from parsolve.sharing.layers import Layers
from parsolve.sharing.walk import Told, Walk


class Sharing:
    """Counting by layers of states with the number of ways to each; see `search.engine.Engine`."""

    resumes = False
    chooses = True

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse limits, weights, and states without a way back from a key or without a level."""
        if request.want == "any" and problem.has_cost:
            raise BadInput("any solution up to a limit is for iterative deepening: take want first, or that engine")
        if request.limit is not None:
            raise BadInput("a limit is for iterative deepening: take the engine deepening")
        if request.slack:
            raise BadInput("the engine sharing counts the cheapest solutions alone, without slack: take another engine")
        searched = problem.for_sharing
        if searched.is_weighted:
            raise only_counted(searched)
        cls, name = type(searched.puzzle), searched.name
        if cls.unkey is None:
            raise BadInput(
                f"{name} gives no way back from a key to its state (unkey), which the engine sharing needs: take the"
                " engine deepening"
            )
        if cls.level is None and searched.graph != "graded":
            raise BadInput(
                f"{name} gives no level that every move raises (level, or a graded graph), which the engine sharing"
                " needs: take the engine deepening"
            )

    def problem(self, problem: Problem) -> Problem:
        """Return the problem that is counted instead, where the puzzle names one; of solutions, theirs."""
        return problem.for_sharing if problem.want == "count" else problem

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        result, begin = run.result, time.perf_counter()
        below = None if result.want == "count" else Below()
        with Threads(result.workers, run.watch) as threads:
            searched = run.supply(result.problem.for_sharing) if below else result.problem
            layers = Layers(searched, threads, keep=below.keep if below else None)
            result.setup_seconds += time.perf_counter() - begin
            begin = time.perf_counter()
            readying.lap()
            try:
                _count(run, layers, below)
                if below and layers.count:
                    _list(run, layers, below)
            except BaseException:
                result.status, result.count = "stopped", None
                raise
            finally:
                compiling = readying.lap()
                result.setup_seconds += compiling
                result.seconds = time.perf_counter() - begin - compiling


def _count(run: Run, layers: Layers, below: Below | None) -> None:
    """Count the solutions: from the root on and, if they are to be listed, back again."""
    result, watch, begin = run.result, run.watch, time.perf_counter()
    progress = Progress(0)
    for entries in layers.expand():
        progress.limit, progress.share, progress.found = layers.begun, layers.share, layers.count
        _progressed(result, progress, entries, watch)
    if below and layers.count:
        for entries in below.count(layers):
            progress.share = (progress.nodes + entries) / layers.nodes - 1
            _progressed(result, progress, entries, watch)
    left = layers.count - run.request.skip if result.is_single else layers.count
    result.found_so_far = max(0, left if result.most is None else min(left, result.most))
    result.end()
    result.cost = layers.cost if layers.count and result.problem.has_cost else None
    iteration = Iteration(result.cost or 0, result.nodes, result.found_so_far, time.perf_counter() - begin)
    result.iterations.append(iteration)
    watch.listener.iteration_finished(iteration)


def _progressed(result: Result, progress: Progress, entries: int, watch: Watch) -> None:
    """Tell that some entries more were expanded."""
    progress.nodes += entries
    result.nodes, result.found_so_far = progress.nodes, progress.found
    watch.listener.progress_made(progress)


def _list(run: Run, layers: Layers, below: Below) -> None:
    """List the solutions that are asked for."""
    told = Told(run.result.problem, run.result.cost)
    for path in _chosen(run.request, run.result.most, layers.count, Walk(layers, below)):
        moves = told.of(path)
        run.emit(moves)
        run.watch.listener.solution_found(moves)
        run.watch.check()


def _chosen(request: Request, most: int | None, count: int, walk: Walk) -> Iterator[tuple[int, ...]]:
    """Return the solutions that are asked for.

    Args:
        most: how many are wanted; None for all.
        count: how many there are.
    """
    if request.sample is None:
        return itertools.islice(walk.paths(request.skip), most if request.take is None else request.take)
    numbers = random.Random(request.seed)
    return (next(walk.paths(numbers.randrange(count))) for _ in range(request.sample))
