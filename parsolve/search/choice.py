"""Begin by deepening, and go on by another engine once that is expected to end sooner.

deepening ─▶ still running? ─▶ its time left, by the finished share ─┬─▶ the faster engine continues
                               what each other engine would take ────┘
"""

import contextlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from parsolve.errors import BadInput, GuardStop, OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import EngineName
from parsolve.search.branch import Path
from parsolve.search.checkpoint import COUNTS, CheckpointStore
from parsolve.search.engine import Engine, Run, adding
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import Listener, Listeners, Watch
from parsolve.text import clock, plural

AGAIN = 4
"""Factor by which deepening must have run longer before an engine is asked again."""

PART = 0.02
"""The part of the time so far that a larger sample of sharing's levels may take."""

CLEARLY = 0.7
"""Another engine begins if it is expected to take less than this part of deepening's time left: for covers with little
sharing, a sample underestimates the entries, and deepening's work so far is lost."""

LONG = 100
"""Days beyond which the exact number does not matter."""


class Forecast(NamedTuple):
    """What a search by an engine would take.

    Attributes:
        found: what was found out, as the engine has it.
        seconds: its time; infinite if it is not known to end.
        fits: whether there is as much memory as it needs.
        sooner: why it goes on, if it does.
        later: why deepening goes on; empty if that need not be said.
    """

    found: Any
    seconds: float
    fits: bool
    sooner: str
    later: str = ""


class Rival(Engine, Protocol):
    """An engine that may go on for deepening."""

    def forecast(self, run: Run, seconds: float, left: float = math.inf) -> Forecast | None:
        """Return what it would take instead of deepening, which needs `left` more seconds, found out in about
        `seconds`; None if it cannot search this, or if that is not known soon."""


class Chooser(Listener):
    """Searches by deepening, and by another engine once that is expected to end sooner: between two outcomes the time
    left is compared with what the others would take.

    Args:
        run: the run, of a problem that deepening searches.
        deepening: begins.
        others: makes each engine that may go on, by its name.
    """

    def __init__(self, run: Run, deepening: Engine, others: Mapping[EngineName, Callable[[], Rival]]) -> None:
        self._run, self._deepening, self._others, tuning = run, deepening, others, run.request.tuning
        self._due = {"sharing": tuning.choice_after, "breadth": tuning.space_after}
        self._times = {"sharing": (tuning.choice_seconds, PART), "breadth": (tuning.space_least, tuning.space_part)}
        self._began: float | None = None
        self._progress: Progress | None = None
        self._found, self._has_explained = 0, False

    def search(self) -> None:
        """Fill the run's result; by sharing if that has begun in an earlier run."""
        run, result = self._run, self._run.result
        problem, kept = result.problem, run.store.resume_levels()
        name: EngineName = "sharing"
        if kept is not None and kept.form == COUNTS and name in self._others:
            engine: Engine = self._others[name]()
        else:
            watch = replace(run.watch, listener=Listeners([run.watch.listener, self]), check=self.check)
            try:
                self._deepening.search(replace(run, watch=watch))
                return
            except OtherIsFaster as sooner:
                name, engine = sooner.name, sooner.engine
                run.watch.listener.engine_chosen(name, str(sooner))
        seconds = result.seconds
        _begin_again(result, run.supply(engine.problem(problem, run.request)), name)
        try:
            engine.search(run if engine.adds else replace(run, emit=adding(run.store, run.emit)))
            result.seconds += seconds
        except OutOfMemory as error:
            if run.request.want != "count":  # solutions may be out
                raise
            _begin_again(result, problem, "deepening")
            run.watch.listener.engine_chosen("deepening", f"{error}: continuing by deepening")
            self._deepening.search(run)

    def progress_made(self, progress: Progress) -> None:
        self._progress, self._found = progress, progress.found

    def solution_found(self, path: Path) -> None:
        self._found += 1  # the progress comes later

    def check(self) -> None:
        """Check the run's stop conditions, and compare if it is time.

        Raises:
            OtherIsFaster: an engine is expected to end sooner.
        """
        self._run.watch.check()
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        for name, make in self._others.items():
            so_far, left = now - self._began, self._left(name)
            if so_far >= self._due[name] and left is not None and left >= self._run.request.tuning.choice_least:
                self._due[name] = AGAIN * so_far
                self._compare(name, make(), so_far, left)

    def _left(self, name: EngineName) -> float | None:
        """Return the seconds that deepening still needs, as an engine compares them; None if it compares nothing now:
        an iteration's by its finished share, if nothing else is known; for a small space whatever it takes to the first
        solution."""
        progress = self._progress
        if name == "breadth":
            return None if self._found or self._run.result.found_so_far else math.inf
        if progress is None:
            return None
        if progress.left is not None:
            return progress.left
        return progress.seconds / progress.share - progress.seconds if progress.share else math.inf

    def _compare(self, name: EngineName, engine: Rival, so_far: float, left: float) -> None:
        least, part = self._times[name]
        found = None
        with contextlib.suppress(OutOfMemory):
            found = engine.forecast(self._run, max(least, part * so_far), left)
        if found is not None and is_sooner(found, left):
            raise OtherIsFaster(found.sooner, name, engine)
        if found is not None and found.later and not self._has_explained:
            self._has_explained = True
            self._run.watch.listener.engine_chosen("deepening", found.later)


class OtherIsFaster(GuardStop):
    """An engine is expected to end sooner than deepening."""

    def __init__(self, text: str, name: EngineName, engine: Engine) -> None:
        super().__init__(text)
        self.name, self.engine = name, engine


def is_sooner(found: Forecast, left: float) -> bool:
    """Return whether an engine is expected to end clearly sooner than deepening, which needs `left` seconds."""
    return found.fits and found.seconds < CLEARLY * left


def try_engine(engine: Engine, name: EngineName, run: Run, seconds: float) -> Forecast | None:
    """Return what an engine finds in some seconds, its result; None if it cannot search this, or lacks memory."""
    begin: float | None = None

    def check() -> None:
        nonlocal begin
        run.watch.check()
        begin = time.monotonic() if begin is None else begin  # kernels may have been compiled before the first step
        if time.monotonic() > begin + seconds:
            raise TimeOfTryIsUp

    watch, has_ended = Watch(check=check, max_memory=run.watch.max_memory), True
    try:
        problem = engine.problem(run.result.problem, run.request)
        engine.refuse(problem, run.request)
        result = Result(problem, run.request.want, run.result.workers)
        engine.search(replace(run, watch=watch, result=result, store=CheckpointStore(), emit=lambda path: None))
    except TimeOfTryIsUp:
        has_ended = False
    except (BadInput, OutOfMemory):
        return None
    states = plural(result.nodes, "state")
    text = f"its space is small: the engine {name} has searched {states} of it"
    return Forecast(result, result.seconds if has_ended else math.inf, True, text)


class TimeOfTryIsUp(GuardStop):
    """The time of a try is up."""


def roughly(seconds: float) -> str:
    """Return a time as text, unless it is very long."""
    return clock(seconds) if seconds < 86400 * LONG else f"more than {LONG} days"


def _begin_again(result: Result, problem: Problem, engine: EngineName) -> None:
    """Forget what another engine has found."""
    result.problem, result.engine = problem, engine
    result.cost, result.found_so_far, result.nodes = None, 0, 0
    result.iterations = []
