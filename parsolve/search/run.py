"""`run`: the common entry to all engines, for the library, the command line, batches and machines."""

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from parsolve.compiler.waiting import reporting_to
from parsolve.errors import BadInput, OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import CheckpointStore, WithoutCheckpoints
from parsolve.search.choice import Chooser, engine_for, engine_name, is_sooner, rivals
from parsolve.search.engine import LOAD, SUPPLY, AnyExecutor, Forecast, Run, import_by_name
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

NO_SPEC = "this puzzle's class is defined in the main module, in a function or in another class"
"""What is wrong with a puzzle without a spec, as messages begin."""


def run(
    problem: Problem,
    request: Request,
    watch: Watch = UNWATCHED,
    *,
    store: CheckpointStore | None = None,
    executor: AnyExecutor = None,
) -> Result:
    """Search with the requested engine, and return the result.

    Args:
        problem: the problem, made for the requested answer.
        request: how to search.
        watch: receives the progress, and may end the search.
        store: resumes an earlier run, and stores checkpoints, as a journal does.
        executor: see `parsolve.solve`.

    Raises:
        BadInput, BadPuzzle, OutOfMemory, Disagreement, ParsolveError: see `parsolve.solve`.
    """
    workers = _workers(request, problem, executor)
    others = [*rivals(problem, request)] if executor is None else []  # other machines deepen
    engine = engine_for(problem, request)
    warning = problem.warning(workers)
    searched = engine.problem(problem, request)
    result = Result(searched.begun, request, workers, engine_name(problem, request))
    # Other machines may have another cache folder.
    load = import_by_name(LOAD) if executor is None else lambda each: False
    supply = partial(import_by_name(SUPPLY), watch=watch)
    search = Run(searched, request, workers, watch, result, store or CheckpointStore(), supply, load, executor)
    watch.listener.search_started(result)
    if warning:
        watch.listener.warning_given(warning)
    if request.part is not None:
        problem.require_solvable()
    try:
        with reporting_to(watch.listener.compilation_started, watch.check):
            begin = time.perf_counter()
            if store is not None:
                store.begin(supply(problem), result)
                if not engine.resumes(problem, request):
                    search = replace(search, store=WithoutCheckpoints(store))
            if problem.unsolvable:
                search.end(problem.unsolvable)
                return result
            supply(searched)
            search.prepared(time.perf_counter() - begin)
            Chooser(search, engine, others).search() if others else engine.search(search)
    except MemoryError as error:
        raise OutOfMemory(f"there is not enough memory: {str(error) or 'nothing is left'}") from error
    return result


def estimate(problem: Problem, request: Request, watch: Watch, seconds: float, most: int) -> Iterable[Forecast]:
    """Return what a count takes by the engine that it ends with, in parts, each found out in some seconds; of limits
    `most` at most.

    Raises:
        BadInput, BadPuzzle, OutOfMemory: see `run`.
        GuardStop: it is not known.
    """
    engine, workers = engine_for(problem, request), _workers(request, problem, None)
    problem.require_solvable()
    result = Result(problem, request, workers, engine_name(problem, request))
    supply, load = partial(import_by_name(SUPPLY), watch=watch), import_by_name(LOAD)
    begun = Run(problem, request, workers, watch, result, supply=supply, load=load)
    parts: Iterable[Forecast] = engine.estimate(begun, seconds, most)
    for rival in rivals(problem, request):
        other = None if rival.until_found else rival.forecast(begun, seconds, math.inf)
        if other is not None:
            parts = [*parts]
            left = sum(each.seconds for each in parts) - request.tuning.choice_after
            parts = [other] if is_sooner(other, left, request.tuning) else parts
    return parts


def _workers(request: Request, problem: Problem, executor: AnyExecutor) -> int:
    if problem.spec is None:
        if (request.workers or 1) > 1 or executor is not None:
            raise BadInput(f"{NO_SPEC}, where no worker can load it: put it into a file of its own, or say workers=1")
        return 1
    return request.workers or default_workers()
