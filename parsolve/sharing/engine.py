"""Count solutions by what is left to do: the engine for counts that nobody can list."""

import time

from parsolve.breadth.threads import Threads
from parsolve.errors import BadInput, BadPuzzle
from parsolve.kernel.cache import readying
from parsolve.problem.problem import Problem
from parsolve.search.engine import Run, only_counted
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.result import Iteration, Result
from parsolve.search.watch import Watch
from parsolve.sharing.layers import Layers


class Sharing:
    """Counting by layers of states with the number of ways to each; see `search.engine.Engine`."""

    resumes = False

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse solutions, limits, weights, and states without a way back from a key or without a level."""
        if request.want != "count":
            raise BadInput("the engine sharing only counts: take parsolve count, or the engine deepening")
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
        """Return the problem that is counted instead, where the puzzle names one."""
        return problem.for_sharing

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        result, begin = run.result, time.perf_counter()
        with Threads(result.workers, run.watch) as threads:
            layers = Layers(result.problem, threads)
            result.setup_seconds += time.perf_counter() - begin
            _count(result, layers, run.watch)


def _count(result: Result, layers: Layers, watch: Watch) -> None:
    begin = time.perf_counter()
    readying.lap()
    progress = Progress(0)
    multiplicity = result.problem.puzzle.multiplicity
    try:
        for entries in layers.expand():
            progress.limit += 1  # levels that are done
            progress.nodes += entries
            progress.found = layers.count // multiplicity
            result.nodes, result.found_so_far = progress.nodes, progress.found
            watch.listener.progress_made(progress)
        count, rest = divmod(layers.count, multiplicity)
        if rest:
            raise BadPuzzle(f"{result.problem.name}: the {layers.count} solutions are no multiple of {multiplicity}")
        result.found_so_far = count if result.most is None else min(count, result.most)
        result.end()
        result.cost = layers.cost if layers.count and result.problem.has_cost else None
    finally:
        compiling = readying.lap()
        result.setup_seconds += compiling
        result.seconds = time.perf_counter() - begin - compiling
    iteration = Iteration(result.cost or 0, result.nodes, result.found_so_far, result.seconds)
    result.iterations.append(iteration)
    watch.listener.iteration_finished(iteration)
