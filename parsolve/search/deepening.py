"""Iterative deepening: one limit after another, until one is productive.

R. E. Korf, Depth-first iterative-deepening: an optimal admissible tree search, Artificial Intelligence 27
(1985) 97–109. Here the first productive limit is always finished, so that every solution is found.
"""

import contextlib
import functools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.executors.crew import Crew, StartMethod
from parsolve.executors.warm import warm_crews
from parsolve.kernel.cache import telling_once
from parsolve.processes import may_fork, owns_process
from parsolve.puzzle import cost_overflow, limits_of, number_from
from parsolve.registry import Spec
from parsolve.resources import within_memory
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.coordinator import Coordinator, Pace
from parsolve.search.listener import Listener
from parsolve.search.progress import Prefix, Progress
from parsolve.search.result import Iteration, Result
from parsolve.search.slices import Job, Searcher, adopt, prepare
from parsolve.search.transposition import Memory, Table

INLINE = 0.05
"""Seconds that a search runs in this process before it gets a crew."""

WORTHWHILE = 1.0
"""Seconds that an iteration must still need for a crew to be started: it takes 0.6 s and slows this process down."""

WORTHWHILE_FORKED = 0.1
"""The same where the crew is forked from this process: it takes 0.03 s."""

INLINE_BESIDE_CREW = 0.005
"""Seconds that each iteration runs in this process first, once there is a crew."""

LEASE = 120.0
"""Seconds that a task may take on an executor that is not ours: the first has to import and to compile."""

GRACE = 3.0
"""Seconds that workers have to let go of the transposition table when the memory is short."""

PATCH = 0.01
"""Seconds between two looks whether the crew is ready, while this process goes on searching."""


class Deepening:
    """A search as it runs; see `parsolve.solve` for the arguments. `found` is true at any moment.

    `last_limit`: give up after the last limit that is not greater; None: after the puzzle's last, if it has one.
    """

    def __init__(
        self,
        found: Result,
        spec: Spec | None,
        start_method: StartMethod | None,
        executor: Executor | None,
        store: CheckpointStore,
        emit: Callable[[tuple[int, ...]], None],
        report: Listener,
        budget: int | None,
        buffer: int | None,
        memory: Memory,
        last_limit: int | None = None,
        lease: float = LEASE,
        max_memory: int | None = None,
    ) -> None:
        self.found = found
        self._lease = lease
        self._last_limit = last_limit
        self._memory = memory
        self._shed = 0.0
        self._start_method = start_method
        self._executor = executor
        self._store = store
        self._emit = emit
        self._report = report
        self._pace = Pace(fixed=budget)
        begin = time.perf_counter()
        self._resumed = store.resume()
        with telling_once(report.compiling):
            with within_memory(max_memory):
                searcher = Searcher(found.puzzle)
            searcher.warm_up(memory.table)
            if self._resumed:
                searcher.warm_up_restoring()
        # Without a spec the search never leaves this thread, and the name is only a handle.
        self._spec = spec or Spec(f"{type(found.puzzle).__qualname__}@{id(found.puzzle)}", {})
        self._fingerprint = searcher.kernel.fingerprint
        adopt(searcher, self._spec)
        self._whole = searcher.whole()
        self._buffer = 1 if found.want == "first" else buffer
        self._coordinator: Coordinator | None = None
        self._told_trouble = False
        self._before = self._resumed.seconds if self._resumed else 0.0
        found.setup_seconds = time.perf_counter() - begin

    def run(self) -> None:
        """Search limit after limit until one is productive or there is nothing more to search."""
        with self._crew() as crew:
            self._lazy_crew = crew
            self._begin = time.perf_counter()
            prefixes = Prefix()
            if self._resumed:
                self.found.iterations += self._resumed.iterations
                self.found.nodes += sum(iteration.nodes for iteration in self._resumed.iterations)
            try:
                for limit in limits_of(self.found.puzzle):
                    if self._resumed and limit < self._resumed.limit:
                        continue
                    if self._last_limit is not None and limit > self._last_limit:
                        break
                    coordinator = self._iterate(self._possible(limit), prefixes, crew)
                    if self.found.found_so_far or not coordinator.cut:
                        break
                    prefixes = coordinator.prefixes
            finally:
                self.found.seconds = self._seconds
                self._account()
        self.found.status = "solved" if self.found.found_so_far else "none"
        if self.found.want != "first":
            self.found.count = self.found.found_so_far

    @property
    def _seconds(self) -> float:
        """How long all has been searched, in all runs."""
        return self._before + time.perf_counter() - self._begin

    def _possible(self, limit: int) -> int:
        if limit > np.iinfo(self.found.puzzle.state["cost"]).max:
            raise cost_overflow(self.found.puzzle)
        return limit

    def _iterate(self, limit: int, before: Prefix, crew: "LazyCrew") -> Coordinator:
        self._report.began(limit)
        resumed, self._resumed = self._resumed, None
        job = Job(self._spec, self._fingerprint, limit, self.found.want != "count", self._buffer, self._memory.table)
        coordinator = Coordinator(
            job,
            resumed.branches if resumed else [self._whole],
            tuple(self.found.iterations),
            functools.partial(number_from, self.found.puzzle, "total"),
            self.found.want,
            self._pace,
            before,
            self._store,
            self._solution,
            self._progress,
            self._report.lost,
            self._report.caution,
        )
        self._coordinator = coordinator
        if resumed:
            coordinator.resume(resumed)
            self._report.resumed(resumed.share)
        coordinator.run_here(crew.head_start(coordinator.progress.expected))
        while not coordinator.done:
            executor = crew.get(coordinator.progress.left)
            if executor is not None:
                # A crew says itself when it loses a worker.
                coordinator.run_on(executor, self.found.workers, None if isinstance(executor, Crew) else self._lease)
            else:
                coordinator.run_here(PATCH)
        self._save()
        coordinator.send_out()
        progress = coordinator.progress
        iteration = Iteration(limit, progress.nodes, progress.found, progress.seconds)
        self._account()
        self.found.iterations.append(iteration)
        self._report.ended(iteration)
        return coordinator

    def _progress(self, progress: Progress) -> None:
        try:
            self._report.progress(progress)
        except OutOfMemory as error:
            if not self._lighten(str(error)):
                self._save()
                raise
        except BaseException:
            self._save()
            raise
        if not self._told_trouble and (trouble := self._lazy_crew.trouble):
            self._told_trouble = True
            self._report.caution(trouble)
        if self._store.due:
            self._save()
            assert self._coordinator is not None
            self._coordinator.send_out()

    def _lighten(self, why: str) -> bool:
        """Give up the transposition table, if there is one; whether that helps or may still help."""
        if not self._memory.table.size:
            return time.monotonic() < self._shed + GRACE
        assert self._coordinator is not None
        self._memory.shed()
        self._shed = time.monotonic()
        self._coordinator.job = replace(self._coordinator.job, table=self._memory.table)
        self._report.caution(f"{why}: going on without the transposition table")
        return True

    def _save(self) -> None:
        """Keep where the search stands; between two outcomes."""
        coordinator = self._coordinator
        assert coordinator is not None
        progress = coordinator.progress
        self._store.save(
            Checkpoint(
                iterations=tuple(self.found.iterations),
                limit=progress.limit,
                branches=coordinator.branches,
                nodes=progress.nodes,
                found=coordinator.worth,
                cut=coordinator.cut,
                share=progress.share,
                iteration_seconds=progress.seconds,
                seconds=self._seconds,
            )
        )

    def _solution(self, path: tuple[int, ...]) -> None:
        self._emit(path)
        self._report.solution(path)

    def _account(self) -> None:
        """Bring `found` up to date with the running iteration."""
        if self._coordinator is not None:
            progress = self._coordinator.progress
            self.found.nodes += progress.nodes
            if progress.found:
                self.found.cost = progress.limit if self.found.puzzle.has_cost else None
                self.found.found_so_far = 1 if self.found.want == "first" else progress.found
            self._coordinator = None

    @contextlib.contextmanager
    def _crew(self) -> "Iterator[LazyCrew]":
        prepared = (self._spec, self._fingerprint, self._memory.table)
        crew = LazyCrew(self.found.workers, self._executor, prepared, self._start_method)
        try:
            yield crew
        except BaseException:
            crew.close()
            raise
        crew.keep()


class LazyCrew:
    """The executor of a search: the user's, or a crew that is started once the search has run for a while, unless an
    earlier search has left one."""

    def __init__(
        self,
        workers: int,
        executor: Executor | None,
        prepared: tuple[Spec, str, Table],
        start_method: StartMethod | None,
    ) -> None:
        self._workers = workers
        self._executor = executor
        self._prepared = prepared
        self._start_method = start_method
        self._crew: Crew | None = None
        spec, fingerprint, _ = prepared
        # Workers do not import once more what a user's puzzle imports: they serve the same sources only.
        sources = "" if spec.source.startswith("parsolve.") else f"{spec.source} {fingerprint}"
        self._key = (workers, start_method, sources)
        if executor is None and workers > 1:
            self._crew = warm_crews.take(self._key)

    def head_start(self, expected: float | None) -> float:
        """Seconds that the next iteration is to run in this process first.

        Args:
            expected: the seconds that it will take, if that is known.
        """
        if self._executor is not None or self._crew is not None or self._workers == 1:
            return INLINE_BESIDE_CREW
        return INLINE_BESIDE_CREW if expected is not None and expected > self._worthwhile else INLINE

    def get(self, left: float | None) -> Executor | None:
        """What runs the slices; None as long as that is this process.

        Args:
            left: the seconds that the iteration still needs, if that is known.
        """
        if self._executor is not None or self._workers == 1:
            return self._executor
        if self._crew is None and left is not None and left < self._worthwhile:
            return None
        if self._crew is None:
            self._crew = Crew(self._workers, (prepare, self._prepared), self._start_method)
        return self._crew if self._crew.is_ready else None

    @property
    def _worthwhile(self) -> float:
        return WORTHWHILE_FORKED if self._start_method is None and may_fork() else WORTHWHILE

    @property
    def trouble(self) -> str | None:
        """Why the system refuses to start as many workers as were asked for; None if it does not."""
        return self._crew.trouble if self._crew is not None else None

    def keep(self) -> None:
        """Leave the crew, if there is one, to the next search; end it where that finds a fresh one as soon, or where
        the workers hold a transposition table."""
        forked = owns_process() and self._start_method is None
        if self._crew is None or forked or self._prepared[2].size or not self._crew.usable:
            self.close()
        else:
            warm_crews.keep(self._key, self._crew)

    def close(self) -> None:
        """End the crew, if there is one."""
        if self._crew is not None:
            self._crew.shutdown(cancel_futures=True)
