"""The interface of engines: a class that says which requests it can serve, and searches."""

import contextlib
import importlib
import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from parsolve.compiler.waiting import kernel_time
from parsolve.errors import BadInput, EngineStop, GuardStop, OutOfMemory
from parsolve.executors.adapter import Adapter
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import EngineName
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.request import Request
from parsolve.search.result import Iteration, Result
from parsolve.search.watch import Watch
from parsolve.text import clock, plural

if TYPE_CHECKING:
    from distributed import Client

AnyExecutor: TypeAlias = "Executor | Adapter | Client | None"
"""Where slices run; see `parsolve.solve`."""

EXTRAS = {
    "any": "any solution up to a limit is",
    "limit": "a limit is",
    "slack": "slack is",
    "transposition": "the transposition table is",
    "spill": "a folder for files (spill) is",
    "choice": "skip, take and sample are",
    "part": "a part of the tree is",
}
"""Requests that only some engines can serve, as messages name them; see `Request.extras`."""


class Stopwatch:
    """Measures a search from now on; compiling meanwhile, such as for drawing a solution, counts as preparation.

    Args:
        prepared: called with seconds that were preparation.
        before: seconds of earlier runs.
    """

    def __init__(self, prepared: Callable[[float], None], before: float = 0.0) -> None:
        self._prepared, self._before = prepared, before
        self._begin, self._compiled = kernel_time.clock, kernel_time.total

    @property
    def seconds(self) -> float:
        """The seconds of searching, in all runs."""
        return self._before + kernel_time.clock - self._begin

    def leave_out_compiling(self) -> float:
        """Count the compiling since the last call as preparation, and return how long it took."""
        seconds, self._compiled = kernel_time.total - self._compiled, kernel_time.total
        self._prepared(seconds)
        return seconds

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count the time of the body as preparation."""
        begin = kernel_time.clock
        try:
            yield
        finally:
            self.leave_out_compiling()
            seconds = kernel_time.clock - begin
            self._begin += seconds
            self._prepared(seconds)


@dataclass(frozen=True)
class Run:
    """One search as an engine gets it; it alone fills the result.

    Attributes:
        problem: of a search, what `Engine.problem` returned, with its tables; of a forecast, what that is asked for.
        request: the request; it suits problem and engine.
        workers: the maximum number of workers.
        watch: receives the events, and may end the search.
        result: true at any moment of the search.
        store: resumes an earlier run, and keeps checkpoints and solutions.
        supply: loads or builds the pattern databases of a problem, and returns it.
        load: loads them if they are available wherever the problem is searched, and returns whether they are.
        executor: where slices run; None for our own processes.
        total: how many entries its levels are expected to have; None if that is unknown.
        last_limit: the greatest limit that deepening searches; None for the puzzle's last, if it has one.
    """

    problem: Problem
    request: Request
    workers: int
    watch: Watch
    result: Result
    store: CheckpointStore = field(default_factory=CheckpointStore)
    supply: Callable[[Problem], Problem] = lambda problem: problem
    load: Callable[[Problem], bool] = lambda problem: False
    executor: AnyExecutor = None
    total: float | None = None
    last_limit: int | None = None

    @contextlib.contextmanager
    def searching(self, before: float = 0.0) -> Iterator[Stopwatch]:
        """Measure the body as the search, with seconds of earlier runs; it has ended if no exception leaves it."""
        stopwatch = Stopwatch(self.prepared, max(before, self.result.seconds))  # another engine may have searched
        try:
            yield stopwatch
            self.end()
        finally:
            stopwatch.leave_out_compiling()
            self.result.seconds = stopwatch.seconds

    def aside(self, problem: Problem, watch: Watch) -> "Run":
        """Return a search of another problem for a result of its own, which is not stored."""
        result = Result(problem, self.request, self.workers)
        return replace(self, problem=problem, watch=watch, result=result, store=CheckpointStore())

    def begin_again(self, engine: EngineName, problem: Problem, total: float | None = None) -> "Run":
        """Return the run of another engine on a problem of its own; the result forgets what was found, not the time."""
        result = self.result
        result.problem, result.engine, result.iterations, result.cost = problem.begun, engine, [], None
        self.record(0, 0)
        return replace(self, problem=problem, total=total)

    def prepared(self, seconds: float) -> None:
        """Add seconds of preparation."""
        self.result.setup_seconds += seconds

    def record(self, nodes: int, found: int, cost: int | None = None) -> None:
        """Record how many nodes are visited and solutions found in all, and what these cost if that is known."""
        self.result.nodes, self.result.found_so_far = nodes, found
        self.result.cost = self.result.cost if cost is None else cost

    def add(self, limit: int, nodes: int, found: int) -> int:
        """Add what an iteration has visited and found, finished or not; return how many solutions of it are wanted."""
        result = self.result
        found = found if result.left is None else min(found, result.left)
        has_cost = result.problem.has_cost and result.want != "any"  # which may cost less
        cost = limit if found and has_cost and result.cost is None else None
        self.record(result.nodes + nodes, result.found_so_far + found, cost)
        return found

    def take(self, iterations: Iterable[Iteration]) -> None:
        """Add finished iterations, of an earlier run or of a call, as far as their solutions are wanted."""
        for each in iterations:
            self.result.iterations.append(each._replace(solutions=self.add(each.limit, each.nodes, each.solutions)))

    def finish_iteration(self, limit: int, nodes: int, solutions: int, seconds: float, *of_part: int) -> None:
        """Add an iteration to the result; that of a part also has its weight and its cut."""
        iteration = Iteration(limit, nodes, solutions, seconds, *of_part)
        self.result.iterations.append(iteration)
        self.watch.listener.iteration_finished(iteration)

    def give_out(self, path: tuple[int, ...]) -> None:
        """Give out the next solution in depth-first order, and report it."""
        if self.request.want == "any" and self.problem.has_cost:
            self.result.cost = Solution(path, self.problem).cost
        (self.watch.on_solution or self.result.paths.append)(path)
        self.watch.listener.solution_found(path)

    def end(self, message: str = "") -> None:
        """Record that nothing is left to search; a message says why there is no solution."""
        self.result.has_ended, self.result.message = True, message or self.result.message


class Forecast(NamedTuple):
    """What a search by an engine would take; see `Engine.forecast`.

    Attributes:
        rows: what was found out, as `parsolve estimate --json` prints it.
        line: the same in words.
        seconds: its time; infinite if it is not known to end, or lacks memory.
        sooner: why it goes on, if it does.
        later: why deepening goes on; empty if that need not be said.
        is_early: whether most of the time for it went into compiling.
        total: see `Run`.
    """

    rows: list[dict[str, Any]]
    line: str
    seconds: float = 0.0
    sooner: str = ""
    later: str = ""
    is_early: bool = False
    total: float | None = None


class Engine:
    """A way to search; a base class.

    Args:
        name: its name.

    Attributes:
        title: what messages call it, by default by its name.
        does: the EXTRAS that it can serve.
        by_levels: whether its answer depends on all that the searched puzzle declares; see `levels_digest`.
    """

    title = ""
    does: frozenset[str]
    by_levels = False

    def __init__(self, name: EngineName) -> None:
        self.name, self.title = name, self.title or name

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse requests that it cannot serve.

        Raises:
            BadInput: the message says what to do instead.
        """

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem that it searches: this one, or another one with as many solutions."""
        return problem

    def resumes(self, problem: Problem, request: Request) -> bool:
        """Return whether it stores checkpoints and can resume from them."""
        return True

    def forecast(self, run: Run, seconds: float, left: float) -> Forecast | None:
        """Find out in some seconds what a search takes, where another one needs `left` more; None if it cannot say. By
        default try it.

        Raises:
            BadInput, BadPuzzle: the search would raise it.
        """
        begin: float | None = None

        def check() -> None:
            nonlocal begin
            run.watch.check()
            begin = time.monotonic() if begin is None else begin  # kernels may have been compiled before the first step
            if time.monotonic() > begin + seconds:
                raise EngineStop("the time of the try is up")

        watch = Watch(check=check, max_memory=run.watch.max_memory, on_solution=lambda path: None)
        try:
            problem = self.problem(run.supply(run.problem), run.request)
            self.refuse(problem, run.request)
            aside = run.aside(problem, watch)
            with contextlib.suppress(EngineStop):
                self.search(aside)
        except OutOfMemory:
            raise OutOfMemory(f"there is too little memory for {self.title}") from None
        result, limits, has_ended = aside.result, aside.result.iterations, aside.result.has_ended
        states, about = plural(result.nodes, "state"), {"engine": self.name, "workers": run.workers}
        rows = [each.to_dict() | about | {"has_ended": has_ended} for each in limits]
        of = "" if result.cost is None else f" of cost {result.cost}"
        up_to = f" up to limit {limits[-1].limit}" if limits else ""
        found = f": {plural(result.found_so_far, 'solution')}{of}" if has_ended else f"{up_to}, and no solution yet"
        line = f"by {self.title}: {states} in {clock(sum(each.seconds for each in limits))}{found}"
        sooner = f"its space is small: the engine {self.name} has searched {states} of it"
        is_early = not has_ended and result.seconds < seconds / 2
        return Forecast(rows, line, result.seconds if has_ended else math.inf, sooner, is_early=is_early)

    def estimate(self, run: Run, seconds: float, most: int) -> Iterator[Forecast]:
        """Yield what a count takes, in parts, each found out in some seconds; of limits `most` at most."""
        while (found := self.forecast(run, seconds, math.inf)) is not None and found.is_early:
            pass  # most of the time went into compiling
        if found is None:
            why = "moves may lead back, or it needs more --time"
            raise GuardStop(f"what the engine {self.name} takes is not known: {why}")
        yield found

    def search(self, run: Run) -> None:
        """Fill the run's result."""


def only_counted(problem: Problem) -> BadInput:
    """Return the error of a search that a puzzle whose states stand for several solutions cannot answer."""
    return BadInput(f"{type(problem.given).__name__} only counts by deepening: its states stand for several solutions")


def new_engine(name: EngineName) -> Engine:
    """Return an engine."""
    return import_by_name(ENGINES[name])(name)  # type: ignore[no-any-return]


def import_by_name(place: str) -> Any:
    """Return what stands on the search, imported when first needed, from `module:name`."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


ENGINES: dict[EngineName, str] = {
    "deepening": "parsolve.deepening.engine:Deepening",
    "breadth": "parsolve.levels.engine:Breadth",
    "both": "parsolve.search.both:Both",
    "sharing": "parsolve.levels.engine:Sharing",
}
"""Imported on first use: each takes a third of the import time of a short search."""

FORECAST, TRIED = frozenset({"sharing"}), frozenset({"breadth"})
"""Those that may go on for deepening: where they are expected to end sooner, or a try of a small space has ended."""

SUPPLY, LOAD = "parsolve.tables.databases:supply", "parsolve.tables.databases:load"
"""What loads or builds the pattern databases of a problem, and what loads them if all are kept."""
