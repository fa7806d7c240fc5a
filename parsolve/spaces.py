"""Small spaces: if a puzzle of a user's own has a key and few states, breadth-first search ends at once. Deepening
meets each state again by every way to it, and never ends without a solution.

deepening ─▶ still no solution ─▶ breadth-first search for a part of that time ─┬─▶ it has ended: its answer
                                                                                └─▶ deepening continues, and again later
"""

import time
from dataclasses import replace
from typing import NamedTuple

from parsolve.deepening.engine import Deepening
from parsolve.errors import BadInput, GuardStop, OutOfMemory
from parsolve.search.branch import Path
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.engine import Engine, Run
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import Listener, Listeners, Watch
from parsolve.text import plural

AGAIN = 4
"""Factor by which deepening must have run longer before the next try."""


class SmallSpaces(Deepening):
    """Deepening or `Choice`, with breadth-first search now and then; see `search.engine.Engine`.

    Args:
        engine: which of them.
    """

    does = frozenset[str]()

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine

    def search(self, run: Run) -> None:
        """Fill the run's result; by the other engine alone on another executor."""
        if run.executor is not None:
            self._engine.search(run)
            return
        tries = _Tries(run)
        listener = Listeners([run.watch.listener, tries])
        try:
            self._engine.search(replace(run, watch=replace(run.watch, listener=listener, check=tries.check)))
        except _Ended as ended:
            _take(run, ended.tried.result, ended.tried.paths)


class Tried(NamedTuple):
    """What breadth-first search has found in some seconds.

    Attributes:
        result: its result so far.
        paths: the solutions.
        has_ended: whether that is all.
    """

    result: Result
    paths: list[Path]
    has_ended: bool


class _Ended(GuardStop):
    """Breadth-first search has ended."""

    def __init__(self, tried: Tried) -> None:
        super().__init__()
        self.tried = tried


class _Enough(GuardStop):
    """The time of a try is up."""


class _Tries(Listener):
    """Tries breadth-first search, between two outcomes of another engine.

    Args:
        run: the other engine's run.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._tuning = run, run.request.tuning
        self._due = self._tuning.space_after
        self._began: float | None = None
        self._found = 0

    def progress_made(self, progress: Progress) -> None:
        self._found = progress.found

    def solution_found(self, path: Path) -> None:
        self._found += 1  # the progress comes later

    def check(self) -> None:
        """Check the run's stop conditions, and try if it is time.

        Raises:
            _Ended: breadth-first search has ended.
        """
        self._run.watch.check()
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        if now < self._began + self._due or self._found or self._run.result.found_so_far:
            return
        so_far = now - self._began
        self._due = AGAIN * so_far
        found = tried(self._run, max(self._tuning.space_least, self._tuning.space_part * so_far))
        if found is not None and found.has_ended:
            raise _Ended(found)


def tried(run: Run, seconds: float) -> Tried | None:
    """Return what breadth-first search finds in some seconds; None if it cannot search this, or lacks memory."""
    from parsolve.levels.engine import Breadth

    breadth, paths = Breadth(), list[Path]()
    end: float | None = None

    def check() -> None:
        nonlocal end
        run.watch.check()
        now = time.monotonic()
        end = now + seconds if end is None else end  # from the first step on: kernels may have been compiled before
        if now > end:
            raise _Enough

    watch = Watch(check=check, max_memory=run.watch.max_memory)
    try:
        problem = breadth.problem(run.result.problem, run.request)
        breadth.refuse(problem, run.request)
        result = Result(problem, run.request.want, run.result.workers)
        breadth.search(replace(run, watch=watch, result=result, store=CheckpointStore(), emit=paths.append))
    except _Enough:
        return Tried(result, paths, has_ended=False)
    except (BadInput, OutOfMemory):
        return None
    return Tried(result, paths, has_ended=True)


def _take(run: Run, found: Result, paths: list[Path]) -> None:
    """Take the result of breadth-first search, and give its solutions out."""
    result = run.result
    result.problem, result.engine = found.problem, "breadth"
    result.iterations, result.samples, result.nodes = found.iterations, [], found.nodes
    result.cost, result.found_so_far = found.cost, found.found_so_far
    states = plural(found.nodes, "state")
    run.watch.listener.engine_chosen("breadth", f"its space is small: the engine breadth has searched {states} of it")
    for iteration in found.iterations[-1:]:
        run.watch.listener.iteration_finished(iteration)
    result.end()
    run.store.begin_iteration(result.iterations[-1].limit)
    for path in paths:
        run.store.add([path])
        run.give_out(path)
