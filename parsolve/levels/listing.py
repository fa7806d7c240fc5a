"""List solutions by levels of states: all in order, those from a number on, or some at random."""

import itertools
import random
import time
from collections.abc import Iterator

from parsolve.errors import BadInput
from parsolve.levels.backward import Below
from parsolve.levels.counted import CountedLevels
from parsolve.levels.counting import Sharing, instead_of_sharing
from parsolve.levels.threads import Threads
from parsolve.levels.walk import UnsharedSolutions, Walk
from parsolve.problem.problem import Problem
from parsolve.search.engine import Run, Stopwatch
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.text import plural


class Listing(Sharing):
    """Sharing forwards and backwards: gives the number of solutions below each state; see `search.engine.Engine`."""

    adds, does = False, frozenset({"any", "spill", "choice"})

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse puzzles whose states stand for several solutions, requests for any solution, and files."""
        if request.want == "any" and problem.has_cost:
            raise BadInput("any solution up to a limit is for iterative deepening: take want first, or that engine")
        if request.spill is not None:
            raise BadInput("a folder for files (spill) is for counts: to list solutions takes all states in memory")
        super().refuse(problem, request)
        if problem.for_sharing.puzzle.multiplicity > 1:
            raise BadInput(
                f"the engine sharing counts several solutions for each one of {problem.name}, and so lists none:"
                f" {instead_of_sharing(request)}"
            )

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem itself: its moves are listed, whichever puzzle is counted."""
        return problem

    def resumes(self, problem: Problem, request: Request) -> bool:
        """Return False: the numbers of solutions below are not kept."""
        return False

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        result, begin = run.result, time.perf_counter()
        with Threads(result.workers, run.watch) as threads:
            below = Below()
            problem = run.supply(result.problem.for_sharing)
            counted = CountedLevels(problem, threads, keep=below.keep)
            result.setup_seconds += time.perf_counter() - begin
            with run.searching() as stopwatch:
                _count(run, counted, below, stopwatch)
                if counted.count and run.request.want != "count":
                    _list(run, counted, below)


def _count(run: Run, counted: CountedLevels, below: Below, stopwatch: Stopwatch) -> None:
    """Count the solutions, forwards from the root and backwards."""
    result = run.result
    progress = Progress(0, level=0)

    def tell(entries: int) -> None:
        progress.nodes += entries
        progress.level, progress.found = counted.begun, counted.count
        progress.waiting = 2 * (counted.nodes + counted.waiting) - progress.nodes  # each entry is expanded twice
        result.nodes, result.found_so_far = progress.nodes, counted.count
        run.watch.listener.progress_made(progress)

    for entries in counted.expand():
        progress.share = counted.share
        tell(entries)
    result.cost = counted.least_cost
    if counted.count:
        for entries in below.count(counted):
            progress.share = (progress.nodes + entries) / counted.nodes - 1
            tell(entries)
    left = counted.count - run.request.skip if result.is_single else counted.count
    run.count_found(max(0, left))
    if counted.count and not result.found_so_far:
        run.watch.listener.warning_given(f"skip leaves out all {plural(counted.count, 'solution')}")
    stopwatch.leave_out_compiling()
    run.finish_iteration(result.cost or 0, result.nodes, result.found_so_far, stopwatch.seconds)


def _list(run: Run, counted: CountedLevels, below: Below) -> None:
    """List the requested solutions."""
    unshared = UnsharedSolutions(run.result.problem, run.result.cost)
    for path in _chosen(run.request, run.result.most, counted.count, Walk(counted, below)):
        moves = unshared.of(path)
        run.give_out(moves)


def _chosen(request: Request, most: int | None, count: int, walk: Walk) -> Iterator[tuple[int, ...]]:
    """Return the requested solutions: `most` of those `count`, None for all."""
    if request.sample is None:
        return itertools.islice(walk.paths(request.skip), most if request.take is None else request.take)
    numbers = random.Random(request.seed)
    return (next(walk.paths(numbers.randrange(count))) for _ in range(request.sample))
