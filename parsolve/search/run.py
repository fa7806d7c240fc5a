"""`run`: the common entry to all engines, for the library, the command line, batches and machines."""

import importlib
import time
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING

from parsolve.compiler.readying import reporting_to
from parsolve.errors import BadInput, BadPuzzle, OutOfMemory
from parsolve.executors.adapter import Adapter
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import EngineName
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.choice import Chooser, rivals
from parsolve.search.engine import ENGINES, EXTRAS, Engine, Run, new_engine, only_counted
from parsolve.search.request import LARGEST_ANY, Request
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

if TYPE_CHECKING:
    from distributed import Client

NO_SPEC = "this puzzle's class is defined in the main module, in a function or in another class"
"""What is wrong with a puzzle without a spec, as messages begin."""


def run(
    problem: Problem,
    request: Request,
    watch: Watch = UNWATCHED,
    *,
    store: CheckpointStore | None = None,
    executor: "Executor | Adapter | Client | None" = None,
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
    result = Result(
        engine.problem(problem, request),
        request.want,
        workers,
        at_most=request.at_most,
        slack=request.slack,
        part=request.part,
        engine=engine_name(problem, request),
    )
    watch.listener.search_started(result)
    emit = watch.on_solution or result.paths.append
    if warning:
        watch.listener.warning_given(warning)
    if request.part is not None:
        problem.require_solvable()
    try:
        with reporting_to(watch.listener, watch.check):
            begin = time.perf_counter()
            databases = importlib.import_module(DATABASES)
            if store is not None:
                store.begin(databases.supply(problem, watch), result)
                if not engine.resumes(problem, request):
                    emit, store = partial(store.give, emit=emit), None
            if problem.unsolvable:
                result.message = problem.unsolvable
                result.end()
                return result
            databases.supply(result.problem, watch)
            result.setup_seconds = time.perf_counter() - begin
            search = Run(
                request,
                watch,
                result,
                store or CheckpointStore(),
                emit,
                supply=lambda each: databases.supply(each, watch),
                # Other machines may have another cache folder.
                load=lambda each: executor is None and databases.load(each),
                executor=executor,
            )
            Chooser(search, engine, others).search() if others else engine.search(search)
    except MemoryError as error:
        raise OutOfMemory(f"there is not enough memory: {str(error) or 'nothing is left'}") from error
    return result


def engine_name(problem: Problem, request: Request) -> EngineName:
    """Return the engine that the request names, or else the puzzle's own; or another one if only that can serve the
    request."""
    if request.engine is None and request.chooses:
        return "sharing"
    name = request.engine or problem.puzzle.default_engine
    by_breadth = request.engine is None and name in ("breadth", "both")
    asks = (request.transposition, request.part, request.slack)
    deepens = request.want == "any" or request.limit is not None or any(asks)
    return "deepening" if by_breadth and deepens else name


def engine_for(problem: Problem, request: Request) -> Engine:
    """Return the engine of a request.

    Raises:
        BadInput: it cannot serve the request, as far as that is known before the search.
    """
    name, limit, of = engine_name(problem, request), request.limit, type(problem.given).__name__
    if name not in ENGINES:
        raise BadPuzzle(f"{problem.name}: 'default_engine' is {' or '.join(ENGINES)}, not {name!r}")
    engine = new_engine(name)
    if limit is not None and not problem.has_cost:
        raise BadInput(f"{of} has no costs that could be limited: all of its solutions are the cheapest")
    if request.slack and not problem.has_cost:
        raise BadInput(f"{of} has no costs: all of its solutions are the cheapest, and slack finds no others")
    if request.seed and request.sample is None:
        raise BadInput("seed is for sample, which is missing")
    for extra in [extra for extra in EXTRAS if extra in request.extras - engine.does]:
        able = [each for each in ENGINES if _does(each, extra, problem, request)]
        advice = f"take the engine {' or '.join(able)}" if able else "leave that out"
        raise BadInput(f"{EXTRAS[extra]} not for the engine {name}: {advice}")
    engine.refuse(problem, request)
    if request.want == "any" and problem.has_cost:
        if limit is None:
            raise BadInput("any solution is searched for up to a cost: give the limit")
        if limit > LARGEST_ANY:
            raise BadInput(f"any solution is searched for up to the limit {LARGEST_ANY:,}, not {limit:,}")
    if problem.is_weighted and request.want != "count":
        raise only_counted(problem)
    return engine


def _does(name: EngineName, extra: str, problem: Problem, request: Request) -> bool:
    """Return whether an engine can serve an extra of a request, and does not refuse the request for another reason."""
    engine = new_engine(name)
    try:
        engine.refuse(problem, request)
    except BadInput:
        return False
    return extra in engine.does


def _workers(request: Request, problem: Problem, executor: "Executor | Adapter | Client | None") -> int:
    if problem.spec is None:
        if (request.workers or 1) > 1 or executor is not None:
            raise BadInput(f"{NO_SPEC}, where no worker can load it: put it into a file of its own, or say workers=1")
        return 1
    return request.workers or default_workers()


DATABASES = "parsolve.tables.databases"
"""What loads and builds pattern databases; like engines it stands on `search`, and is imported on first use."""
