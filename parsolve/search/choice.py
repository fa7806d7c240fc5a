"""Which engine searches: one alone, or deepening first and another one once that is expected to end sooner.

deepening ─▶ still running? ─▶ its time left, by the finished share ─┬─▶ the faster engine continues
                               what each other engine would take ────┘
"""

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parsolve.errors import BadInput, BadPuzzle, CostFalls, EngineStop, OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.puzzle.catalogue import name_of
from parsolve.puzzle.core import EngineName, Puzzle
from parsolve.search.checkpoint import COUNTS, LevelCheckpoint
from parsolve.search.engine import ENGINES, EXTRAS, FORECAST, TRIED, Engine, Forecast, Run, new_engine, only_counted
from parsolve.search.progress import Progress
from parsolve.search.request import LARGEST_ANY, Request
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener, Listeners

AGAIN = 4
"""Factor by which an engine must have run longer before another one is asked again."""


def engine_name(problem: Problem, request: Request) -> EngineName:
    """Return the engine that the request names, or else the puzzle's own; or another one if only that can serve the
    request."""
    name = request.engine or problem.puzzle.default_engine
    if request.engine is None and request.chooses:
        return next((each for each in ENGINES if "choice" in new_engine(each).does), name)
    by_breadth = request.engine is None and name in ("breadth", "both")
    return "deepening" if by_breadth and request.extras - {"spill"} else name


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


@dataclass
class Rival:
    """When an engine is asked to go on for another one.

    Attributes:
        name: its name.
        due: seconds of the other one after which it is asked for a forecast.
        seconds, part: the time for that: these seconds, or this part of the other's time so far if that is longer.
        until_found: whether it is asked only as long as the other one has no solution: perhaps there is none, and it
            never ends.
        form: the form of checkpoints with which it goes on at once.
    """

    name: EngineName
    due: float
    seconds: float
    part: float
    until_found: bool
    form: str

    def forecast(self, run: Run, seconds: float, left: float) -> Forecast | None:
        """Return its forecast for a run. If that is refused, warn of what is broken, and do not ask again."""
        try:
            return new_engine(self.name).forecast(run, seconds, left)
        except CostFalls:  # the other engine may miss solutions, too
            raise
        except BadInput as error:
            self.due = math.inf
            if isinstance(error, BadPuzzle):  # the other engine raises what it needs itself
                run.watch.listener.warning_given(f"{error}: continuing without the engine {self.name}")
            return None


def rivals(problem: Problem, request: Request) -> Iterator[Rival]:
    """Yield the engines that may end sooner than deepening, where a request leaves that open: those with a forecast for
    a count, as far as that is known without asking the puzzle; those that are tried in a small space, for puzzles of a
    user's own: built-in ones name their engine."""
    given, size, tuning = type(problem.given), request.transposition, request.tuning
    is_open = request.engine is None and not request.extras and request.at_most is None
    if not is_open or problem.puzzle.default_engine != "deepening":
        return
    remembers = problem.default_transposition if size is None else size
    may_merge = given.sharing is not Puzzle.sharing or given.unkey is not None
    for name in ENGINES:
        if name in FORECAST and request.want == "count" and size is None and may_merge:
            yield Rival(name, tuning.choice_after, tuning.choice_seconds, tuning.choice_part, False, COUNTS)
        if name in TRIED and problem.key_rule and not remembers and not name_of(given):
            yield Rival(name, tuning.space_after, tuning.space_least, tuning.space_part, True, name)


class Chooser(Listener):
    """Searches by an engine, and by another one once that is expected to end sooner: between two outcomes the time left
    is compared with what the others would take.

    Args:
        run: the run, of a problem that the engine searches.
        engine, rivals: the engine that begins, and those that may go on.
    """

    def __init__(self, run: Run, engine: Engine, rivals: Sequence[Rival]) -> None:
        self._run, self._engine, self._rivals = run, engine, rivals
        self._began: float | None = None
        self._progress, self._has_explained = Progress(0), False

    def search(self) -> None:
        """Fill the run's result; by the engine that an earlier run has left levels of, if there is one."""
        run, kept = self._run, self._run.store.resume(LevelCheckpoint)
        other = next((new_engine(each.name) for each in self._rivals if kept and each.form == kept.form), None)
        total: float | None = None
        if other is None:
            watch = replace(run.watch, listener=Listeners([run.watch.listener, self]), check=self.check)
            try:
                self._engine.search(replace(run, watch=watch))
                return
            except OtherIsFaster as sooner:
                other, total = new_engine(sooner.name), sooner.found.total
                run.watch.listener.engine_chosen(other.name, str(sooner))
        problem = run.supply(other.problem(run.problem, run.request))
        try:
            other.search(run.begin_again(other.name, problem, total))
        except OutOfMemory as error:
            if run.request.want != "count":  # solutions may be out
                raise
            name = self._engine.name
            run.watch.listener.engine_chosen(name, f"{error}: continuing by {name}")
            self._engine.search(run.begin_again(name, run.problem))

    def progress_made(self, progress: Progress) -> None:
        self._progress = progress  # before each check

    def check(self) -> None:
        """Check the run's stop conditions, and compare if it is time.

        Raises:
            OtherIsFaster: an engine is expected to end sooner.
        """
        self._run.watch.check()
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        so_far, is_found = now - self._began, bool(self._progress.found or self._run.result.found_so_far)
        for rival in self._rivals:
            left = math.inf if rival.until_found else self._left_in_iteration
            is_asked = so_far >= rival.due and not (rival.until_found and is_found)
            if is_asked and left >= self._run.request.tuning.choice_least:
                self._compare(rival, so_far, left)

    @property
    def _left_in_iteration(self) -> float:
        """The seconds that the running iteration needs: by its finished share, if nothing else is known."""
        progress = self._progress
        by_share = progress.seconds / progress.share - progress.seconds if progress.share else math.inf
        return by_share if progress.left is None else progress.left

    def _compare(self, rival: Rival, so_far: float, left: float) -> None:
        found, seconds = None, max(rival.seconds, rival.part * so_far)
        rival.due = AGAIN * so_far
        with contextlib.suppress(OutOfMemory):
            found = rival.forecast(self._run, seconds, left)
        if found is not None and found.is_early:
            rival.due = so_far + 2 * seconds
        if found is not None and is_sooner(found, left, self._run.request.tuning):
            raise OtherIsFaster(rival.name, found)
        if found is not None and found.later and not self._has_explained:
            self._has_explained = True
            self._run.watch.listener.engine_chosen(self._engine.name, found.later)


class OtherIsFaster(EngineStop):
    """An engine is expected to end sooner than the one that searches."""

    def __init__(self, name: EngineName, found: Forecast) -> None:
        super().__init__(found.sooner)
        self.name, self.found = name, found


def is_sooner(found: Forecast, left: float, tuning: Tuning) -> bool:
    """Return whether an engine is expected to end clearly sooner than another one, which needs `left` seconds."""
    return left >= tuning.choice_least and found.seconds < tuning.choice_clearly * left
