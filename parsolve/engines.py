"""`solve`: one call for all engines."""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, get_args

from parsolve.errors import BadInput, Disagreement, OutOfMemory
from parsolve.executors.adapter import Adapter, adapted
from parsolve.executors.pool.start import START_METHODS, StartMethod
from parsolve.problem import Problem
from parsolve.puzzle import Engine, Puzzle, Want
from parsolve.registry import Spec
from parsolve.replay import Solution
from parsolve.resources import default_workers, free_memory
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.deepening import Deepening, Search
from parsolve.search.listener import Listener
from parsolve.search.result import Result
from parsolve.search.transposition import Memory
from parsolve.search.tuning import DEFAULT, Tuning

if TYPE_CHECKING:
    from distributed import Client


LARGEST_ANY = (1 << 15) - 1
"""The greatest limit that any solution is searched for up to: each level of a search takes memory."""


def solve(
    puzzle: Puzzle,
    *,
    want: Want = "all",
    engine: Engine | None = None,
    workers: int | None = None,
    start_method: StartMethod | None = None,
    executor: "Executor | Adapter | Client | None" = None,
    lease: float | None = None,
    on_solution: Callable[[tuple[int, ...]], None] | None = None,
    listener: Listener | None = None,
    check: Callable[[], None] | None = None,
    budget: int | None = None,
    buffer: int | None = None,
    table: int | None = None,
    limit: int | None = None,
    max_memory: int | None = None,
    store: CheckpointStore | None = None,
    tuning: Tuning | None = None,
) -> Result:
    """Search with the engine that is asked for, and return the result; see `parsolve.solve` for what is not said here.

    Args:
        puzzle: what to solve.
        check: called between outcomes and several times a second; what it raises ends the search.
        store: resumes what an earlier run has left, and stores checkpoints, as a journal does.

    Raises:
        BadInput, BadPuzzle, OutOfMemory, Disagreement, ParsolveError: see `parsolve.solve`.
    """
    for name, value, known in (
        ("want", want, get_args(Want)),
        ("engine", engine, (None, *get_args(Engine))),
        ("start_method", start_method, (None, *START_METHODS)),
    ):
        if value not in known:
            raise BadInput(f"{name} is {' or '.join(word for word in known if word)}, not {value!r}")
    for name, number in (("budget", budget), ("buffer", buffer)):
        if number is not None and number < 1:
            raise BadInput(f"{name} must be at least 1, not {number}")
    tuning = tuning or DEFAULT
    lease = tuning.lease if lease is None else lease
    if not lease > 0:
        raise BadInput(f"lease must be a number of seconds, not {lease!r}")
    problem = Problem(puzzle, want)
    spec = problem.spec
    workers_per_machine, workers = workers, _workers(workers, spec, executor)
    engine = engine or problem.puzzle.default_engine
    validate_request(problem, want, engine, table, limit)
    warning = problem.warning(workers)
    if engine == "breadth":
        problem = Problem(puzzle)  # another bound would be of no use
    if table is None:
        table = problem.puzzle.default_table and min(problem.puzzle.default_table, free_memory() // 2)
    table = max(0, table)
    result = Result(problem, want, workers)
    listener, check = listener or Listener(), check or _nothing
    listener.search_started(result)
    kept = store = store or CheckpointStore()
    store.result = result
    if warning:
        listener.warning_given(warning)
    keep = result.paths.append if on_solution is None else on_solution
    if engine != "deepening":  # there are no checkpoints: the solutions are kept at the end
        keep, store = _adding(store, keep), CheckpointStore()
    try:
        begin = time.perf_counter()
        supplied(problem, listener, check, max_memory)
        kept.begin(problem)
        result.setup_seconds = time.perf_counter() - begin
        if engine == "breadth":
            search_breadth_first(result, keep, listener, check, max_memory)
            return result
        both = BothEngines(Problem(puzzle), result, keep, listener, check, max_memory) if engine == "both" else None
        # The workers of another executor may be on other machines.
        alone = workers == 1 or executor is not None
        with (
            adapted(executor, lease, tuning.machine_silence) as adapter,
            Memory(table, shared=not alone) as memory,
        ):
            search = Search(
                result=result,
                start_method=start_method,
                adapter=adapter,
                workers_per_machine=workers_per_machine,
                store=store,
                emit=both.compare if both else keep,
                listener=listener,
                check=check,
                budget=budget,
                buffer=buffer,
                memory=memory,
                limit=limit,
                last_limit=both.last_limit if both else None,
                better=lambda: supplied(problem.better(), listener, check, max_memory),
                max_memory=max_memory,
                tuning=tuning,
            )
            Deepening(search).run()
        if both:
            both.end()
    except MemoryError as error:
        raise OutOfMemory(f"there is not enough memory: {error or 'nothing is left'}") from error
    return result


def supplied(problem: Problem, listener: Listener, check: Callable[[], None], max_memory: int | None) -> Problem:
    """Return a problem with its pattern databases; see `breadth.tables.supply`."""
    if problem.abstractions:
        from parsolve.breadth.tables import supply

        supply(problem, listener, check, max_memory)
    return problem


def search_breadth_first(
    result: Result,
    keep: Callable[[tuple[int, ...]], None],
    listener: Listener,
    check: Callable[[], None],
    max_memory: int | None,
) -> None:
    """Search breadth-first; see `breadth.search`, which is imported where it is asked for: it is a third of what a
    short search would import."""
    from parsolve.breadth.search import search

    search(result, keep, listener, check, max_memory)


def validate_request(problem: Problem, want: Want, engine: Engine, table: int | None, limit: int | None = None) -> None:
    """Refuse an invalid request, as far as that can be told before the search.

    Args:
        problem: what is searched.
        want, engine, table, limit: see `solve`.

    Raises:
        BadInput: it cannot.
    """
    if limit is not None:
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise BadInput(f"limit is a cost, a whole number of at least 0, not {limit!r}")
        if not problem.has_cost:
            raise BadInput(f"{problem.name} has no costs that could be limited: all of its solutions are the cheapest")
        if engine != "deepening":
            raise BadInput("a limit is for iterative deepening: take the engine deepening")
    if want == "any":
        if engine != "deepening":
            raise BadInput("any solution is searched for by iterative deepening: take the engine deepening")
        if problem.has_cost and limit is None:
            raise BadInput("any solution is searched for up to a cost: give the limit")
        if limit is not None and limit > LARGEST_ANY:
            raise BadInput(f"any solution is searched for up to the limit {LARGEST_ANY:,}, not {limit:,}")
    if problem.is_weighted and (want != "count" or engine != "deepening"):
        raise BadInput(f"{problem.name} only counts, and by deepening: its states stand for several solutions")
    if not problem.has_key and (engine != "deepening" or table):
        raise BadInput(
            f"{problem.name} gives no key, which {'the transposition table' if table else 'breadth-first search'} needs"
        )


class _Compiling(Listener):
    """Passes on which kernels are compiled, and nothing else."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def compilation_started(self, template: str, seconds: float | None) -> None:
        self._listener.compilation_started(template, seconds)

    def compilation_ended(self) -> None:
        self._listener.compilation_ended()


class BothEngines:
    """Breadth-first search first, whole; then each solution of deepening is held against its next one.

    Args:
        problem: what is searched breadth-first: the puzzle itself.
        result: what deepening will fill.
        emit: gets each solution that both engines give.
        listener: told where a kernel is compiled; the events of the search are deepening's.
        check: see `solve`.
        max_memory: see `solve`.
    """

    def __init__(
        self,
        problem: Problem,
        result: Result,
        emit: Callable[[tuple[int, ...]], None],
        listener: Listener,
        check: Callable[[], None],
        max_memory: int | None,
    ) -> None:
        self._deepening = result
        self._emit = emit
        self._breadth = Result(problem, result.want, result.workers)
        search_breadth_first(self._breadth, self._breadth.paths.append, _Compiling(listener), check, max_memory)
        self._next = iter(self._breadth.paths)
        self._agreed = 0
        # Where there is no state beyond, deepening needs not look: it would never end where moves go in circles.
        self.last_limit = self._breadth.iterations[-1].limit

    def compare(self, path: tuple[int, ...]) -> None:
        """Take deepening's next solution.

        Raises:
            Disagreement: it is not breadth-first search's next one.
        """
        other = next(self._next, None)
        if other != path:
            self._differ(path, other)
        self._agreed += 1
        self._emit(path)

    def end(self) -> None:
        """Deepening has ended.

        Raises:
            Disagreement: the two have different costs, counts or numbers of solutions.
        """
        left = next(self._next, None)
        if left is not None:
            self._differ(None, left)
        for what in ("status", "cost", "count"):
            mine, other = getattr(self._deepening, what), getattr(self._breadth, what)
            if mine != other:
                raise Disagreement(f"the engines disagree: {what} {mine} by deepening, {other} by breadth-first search")

    def _differ(self, mine: tuple[int, ...] | None, other: tuple[int, ...] | None) -> None:
        texts = ("none" if path is None else Solution(path, self._deepening.problem).text for path in (mine, other))
        by = " by deepening, ".join(texts)
        raise Disagreement(f"the engines disagree on solution {self._agreed + 1}: {by} by breadth-first search")


def _nothing() -> None:
    """Check nothing."""


def _adding(store: CheckpointStore, keep: Callable[[tuple[int, ...]], None]) -> Callable[[tuple[int, ...]], None]:
    def add(path: tuple[int, ...]) -> None:
        store.add([path])
        keep(path)

    return add


def _workers(workers: int | None, spec: Spec | None, executor: "Executor | Adapter | Client | None") -> int:
    if workers is not None and (not isinstance(workers, int) or isinstance(workers, bool) or workers < 1):
        raise BadInput(f"workers must be a whole number of at least 1, not {workers!r}")
    if spec is None:
        if (workers or 1) > 1 or executor is not None:
            raise BadInput(
                "this puzzle's class is defined in the main module or in a function, where no worker can load it:"
                " put it into a file of its own, or say workers=1"
            )
        return 1
    return workers or default_workers()
