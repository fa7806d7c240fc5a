"""Deepening, or sharing if that is expected to count sooner: the engine of a count that names none.

deepening ─▶ still running? ─▶ its time left, by the finished share ─┬─▶ the faster engine continues
                               sharing's expected time, by a sample ─┘
"""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from parsolve.deepening.engine import Deepening
from parsolve.errors import BadInput, OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.puzzle import EngineName
from parsolve.search.checkpoint import COUNTS
from parsolve.search.engine import Run
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import Listener, Listeners
from parsolve.text import clock, short

if TYPE_CHECKING:
    from parsolve.levels.expected import Expected

AGAIN = 4
"""Factor by which deepening must have run longer before the next comparison, with a larger sample."""

PART = 0.02
"""The part of the time so far that the larger sample may take."""

CLEARLY = 0.7
"""Sharing begins if it is expected to take less than this part of deepening's time left: for covers with little
sharing, a sample underestimates the entries, and deepening's work so far is lost."""

LONG = 100
"""Days beyond which the exact number does not matter."""


class Choice(Deepening):
    """The engine that is expected to end sooner; see `search.engine.Engine`."""

    does = frozenset[str]()
    _expected: "Expected | None" = None

    def search(self, run: Run) -> None:
        """Fill the run's result; by deepening on the user's executor, and by sharing if that has begun in an earlier
        run."""
        if run.executor is not None:
            super().search(run)
            return
        deepening, kept = run.result.problem, run.store.resume_levels()
        if (kept is None or kept.form != COUNTS) and self._is_counted(run):
            return
        from parsolve.levels.engine import Sharing

        result, seconds = run.result, run.result.seconds
        _begin_again(result, run.supply(deepening.for_sharing), "sharing")
        try:
            Sharing(self._expected).search(run)
            result.seconds += seconds
        except OutOfMemory as error:
            _begin_again(result, deepening, "deepening")
            run.watch.listener.engine_chosen("deepening", f"{error}: continuing by deepening")
            super().search(run)

    def _is_counted(self, run: Run) -> bool:
        """Begin by deepening; return whether it has finished the count; otherwise sharing is expected to end sooner."""
        comparison = _Comparison(run)
        told = Listeners([run.watch.listener, comparison])
        try:
            super().search(replace(run, watch=replace(run.watch, listener=told, check=comparison.check)))
        except _Sooner as sooner:
            run.watch.listener.engine_chosen("sharing", str(sooner))
            self._expected = sooner.expected
            return False
        return True


class _Sooner(Exception):
    """Sharing is expected to end sooner than deepening."""

    def __init__(self, text: str, expected: "Expected") -> None:
        super().__init__(text)
        self.expected = expected


class _Comparison(Listener):
    """Compares, between two outcomes of deepening, its time left with the time that sharing would take.

    Args:
        run: deepening's run.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._tuning = run, run.request.tuning
        self._due = self._tuning.choice_after
        self._began: float | None = None
        self._progress: Progress | None = None
        self._told = False

    def progress_made(self, progress: Progress) -> None:
        self._progress = progress

    def check(self) -> None:
        """Check the run's stop conditions, and compare if it is time.

        Raises:
            _Sooner: sharing is expected to end sooner.
        """
        self._run.watch.check()
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        if self._progress is None or now < self._began + self._due:
            return
        left = _left(self._progress)
        if left >= self._tuning.choice_least:
            self._compare(now - self._began, left)

    def _compare(self, so_far: float, left: float) -> None:
        run = self._run
        problem = shared(run.result.problem, run.request, run.load)
        if problem is None:
            self._due = math.inf
            return
        from parsolve.levels.expected import expected

        self._due = AGAIN * so_far
        seconds = max(self._tuning.choice_seconds, PART * so_far)
        try:
            found = expected(problem, run.result.workers, seconds, run.watch, left)
        except OutOfMemory:
            found = None
        if found is not None and is_sooner(found, left):
            entries, time_taken = found.between(found.entries, short), found.between(found.seconds, clock)
            memory = found.between(found.memory, lambda size: f"{short(size)}B")
            raise _Sooner(
                f"continuing with the engine sharing: {entries} entries are expected, in {time_taken} and {memory} of"
                f" memory, and by deepening {_told(left)} are left",
                found,
            )
        if found is not None and not self._told:
            self._told = True
            why = found.between(found.seconds, _told) if found.fits else "more memory than there is"
            text = f"continuing by deepening: {_told(left)} are left, and the engine sharing is expected to take {why}"
            run.watch.listener.engine_chosen("deepening", text)


def is_sooner(by_sharing: "Expected", left: float) -> bool:
    """Return whether sharing is expected to end clearly sooner than deepening, which needs `left` seconds."""
    return by_sharing.fits and by_sharing.seconds < CLEARLY * left


def shared(problem: Problem, request: Request, load: Callable[[Problem], bool]) -> Problem | None:
    """Return the problem that sharing counts; None if it cannot, if moves may lead back, or if pattern databases would
    have to be built first.

    Args:
        problem: the problem.
        request: for a count.
        load: loads the pattern databases of a problem if they are available, and returns whether they are.
    """
    from parsolve.levels.engine import Sharing

    try:
        Sharing().refuse(problem, request)
    except BadInput:
        return None
    counted = problem.for_sharing
    return None if not counted.rises or (counted.abstractions and not load(counted)) else counted


def _left(progress: Progress) -> float:
    """Return the seconds that an iteration still needs, estimated by the finished share if nothing else is known."""
    if progress.left is not None:
        return progress.left
    return progress.seconds / progress.share - progress.seconds if progress.share else math.inf


def _told(seconds: float) -> str:
    """Return a rough time as text."""
    return clock(seconds) if seconds < 86400 * LONG else f"more than {LONG} days"


def _begin_again(result: Result, problem: Problem, engine: EngineName) -> None:
    """Forget what another engine has found."""
    result.problem, result.engine = problem, engine
    result.cost, result.found_so_far, result.nodes = None, 0, 0
    result.iterations, result.samples = [], []
