"""Driver: what lets a frontier's tasks run, in this process or on an executor.

    frontier ─▶ task ─▶ executor ─▶ future ─▶ events (a queue that done futures enter) ─▶ frontier

It has what the frontier must not know: futures, clocks, and the stop conditions, which it asks between two outcomes.
It speaks `concurrent.futures` and nothing else, and trusts no worker to survive: what a lost task was given is searched
again. Nothing of an outcome counts before it is here.
"""

import math
import queue
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass

from parsolve.errors import CrewLost, ParsolveError
from parsolve.executors.adapter import Adapter
from parsolve.search.checkpoint import Keeper
from parsolve.search.frontier import Frontier, Path, Task, solutions_of
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.search.slices import Job, Outcome, run_slice
from parsolve.search.tuning import DEFAULT, Tuning

Outcomes = list[Outcome]


@dataclass(eq=False, slots=True)
class Submitted:
    """A task that is with an executor.

    Attributes:
        task: what was submitted.
        at: when.
        began: when it was first seen to run; None for an executor that does not tell.
        reminders: how often it has been told of.
    """

    task: Task
    at: float
    began: float | None = None
    reminders: int = 0


class Driver:
    """Searches one iteration.

    Args:
        job: what each slice is to do; it may be replaced between two outcomes.
        frontier: what is open.
        progress: kept up to date.
        keeper: holds solutions until no open branch can come before them.
        emit: called with each solution, in depth-first order.
        between: called after each outcome, and every `Tuning.poll` seconds while none comes; what it raises ends the
            search.
        count: returns the number of solutions that solved states of a weight stand for.
        only_first: whether the first solution alone is given out.
        listener: told of lost and of long tasks.
        tuning: lengths of slices and waits.
    """

    def __init__(
        self,
        job: Job,
        frontier: Frontier,
        progress: Progress,
        *,
        keeper: Keeper,
        emit: Callable[[Path], None],
        between: Callable[[], None] = lambda: None,
        count: Callable[[int], int] = int,
        only_first: bool = False,
        listener: Listener | None = None,
        tuning: Tuning = DEFAULT,
    ) -> None:
        self.job, self.frontier, self.progress = job, frontier, progress
        self._keeper, self._emit, self._between, self._count = keeper, emit, between, count
        self._only_first, self._given = only_first, False
        self._weight = frontier.weight
        self._listener, self._tuning = listener or Listener(), tuning

    def run_here(self, seconds: float) -> None:
        """Search in this process until the iteration is done or `seconds` have passed, at least one slice."""
        until = time.monotonic() + seconds
        while not self.frontier.done:
            left = until - time.monotonic()
            task = self.frontier.take_first(max(0.001, min(left, self._tuning.slice_seconds / 2)))
            assert task is not None
            self._merge(task, run_slice(self.job, task.branches, task.budget))
            if time.monotonic() >= until:
                return

    def run_on(self, adapter: Adapter, workers: int) -> None:
        """Search on an executor until the iteration is done.

        Args:
            adapter: of the executor.
            workers: how many tasks it runs at once.

        Raises:
            BranchLost: a branch costs every worker that it is given to, or overruns its lease node by node.
            CrewLost: the executor takes no task, or loses one after the other.
            BadPuzzle, NotReproducible: as the slices do.
        """
        Run(self, adapter, workers, self._tuning, self._listener).until_done()

    def seconds_of_slices(self) -> tuple[float, float]:
        """How long slices are to take while there is plenty of work, and while there is not."""
        tuning, left = self._tuning, self.progress.left
        short = tuning.short_slice if left is None else min(tuning.short_slice, max(tuning.shortest_slice, left / 4))
        long = min(tuning.slice_seconds, self.progress.seconds * tuning.slice_part)
        return max(long, short), short

    def finish(self, task: Task, outcomes: Outcomes) -> list[Task]:
        """Take the outcomes of a task; returns the tasks that are no longer wanted."""
        for _, outcome in zip(task.items, outcomes, strict=False):
            if paths := solutions_of(outcome):
                self._keeper.add(paths)
        dropped = self.frontier.finish(task, outcomes)
        progress, frontier = self.progress, self.frontier
        progress.nodes, progress.share = frontier.nodes, frontier.share
        if frontier.weight != self._weight:
            self._weight, progress.found = frontier.weight, self._count(frontier.weight)
        self.send_out()
        return dropped

    def send_out(self) -> None:
        """Give out the solutions that no open branch can come before."""
        for path in self._keeper.ready(self.frontier.earliest):
            if not (self._only_first and self._given):
                self._emit(path)
            self._given = True

    def pause(self) -> None:
        """Let others act between two outcomes."""
        self._between()

    def _merge(self, task: Task, outcomes: Outcomes) -> None:
        self.finish(task, outcomes)
        self.pause()


class Run:
    """What a driver runs on an executor.

    Args:
        driver: takes the outcomes.
        adapter, workers: see `Driver.run_on`.
        tuning: the waits.
        listener: told of lost and of long tasks.
    """

    def __init__(self, driver: Driver, adapter: Adapter, workers: int, tuning: Tuning, listener: Listener) -> None:
        self._driver, self._adapter, self._workers = driver, adapter, workers
        self._tuning, self._listener = tuning, listener
        self._frontier = driver.frontier
        self._submitted: dict[Future[Outcomes], Submitted] = {}  # the oldest first
        self._futures: dict[Task, Future[Outcomes]] = {}
        self._events: queue.SimpleQueue[Future[Outcomes]] = queue.SimpleQueue()
        self._freed = -math.inf  # when the executor last had a worker to spare, as far as is known
        self._answers = False

    def until_done(self) -> None:
        """Submit tasks and take outcomes until nothing is open."""
        lease = self._adapter.lease
        poll = self._tuning.poll if lease is None else min(self._tuning.poll, lease / 2)
        look = time.monotonic() + poll
        try:
            while not self._frontier.done:
                self._fill()
                try:
                    self._take(self._events.get(timeout=max(0.0, look - time.monotonic())))
                except queue.Empty:
                    self._driver.pause()
                if time.monotonic() >= look:
                    self._look_after()
                    look = time.monotonic() + poll
        finally:
            for future in list(self._submitted):
                future.cancel()

    def _fill(self) -> None:
        if self._frontier.running >= self._tuning.tasks_per_worker * self._workers or not self._frontier.queued:
            return
        seconds, short = self._driver.seconds_of_slices()
        while (task := self._frontier.take(self._workers, seconds, short)) is not None:
            try:
                future = self._adapter.executor.submit(run_slice, self._driver.job, task.branches, task.budget)
            except ParsolveError:
                raise
            except Exception as error:
                raise CrewLost(f"the executor takes no task: {error or type(error).__name__}") from error
            self._submitted[future] = Submitted(task, time.monotonic())
            self._futures[task] = future
            future.add_done_callback(self._events.put)

    def _take(self, future: "Future[Outcomes]") -> None:
        submitted = self._submitted.pop(future, None)
        if submitted is None:  # it is not wanted any more, or was taken to be lost
            return
        task = submitted.task
        del self._futures[task]
        self._freed, self._answers = time.monotonic(), True
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            for dropped in self._driver.finish(task, future.result()):
                self._forget(dropped)
            self._driver.pause()
            return
        loss = self._adapter.loss(error)
        if loss is None:
            raise error
        self._listener.lost(loss.text)
        self._frontier.lose(task, loss.text, blame=loss.blame)

    def _forget(self, task: Task) -> None:
        future = self._futures.pop(task)
        del self._submitted[future]
        future.cancel()

    # Long tasks.

    def _look_after(self) -> None:
        """Tell of tasks that run for long, and take back those whose lease has run out: their worker hangs, or their
        executor has lost them."""
        now, freed = time.monotonic(), self._freed
        free = self._workers
        for future, submitted in self._submitted.items():
            if submitted.began is None and future.running():
                submitted.began = now
            free -= submitted.began is not None
        lease = self._adapter.lease
        for submitted in list(self._submitted.values()):
            since = submitted.began
            if since is None:
                # An executor that does not say what runs, or a task that waits there: the oldest ones can have begun,
                # when the executor last had a worker to spare.
                free -= 1
                if free < 0:
                    continue
                since = max(submitted.at, freed)
            if lease is not None and now > since + lease:
                self._overrun(submitted, lease)
            elif now > since + self._tuning.remind * (submitted.reminders + 1):
                submitted.reminders += 1
                self._listener.caution(
                    f"a task has been running for {now - since:.0f} s, from the branch with the moves"
                    f" {submitted.task.name} on: its nodes take long, or for ever (--timeout ends it)"
                )

    def _overrun(self, submitted: Submitted, lease: float) -> None:
        self._forget(submitted.task)
        self._freed = time.monotonic()
        why = f"a task did not come back in {lease:g} s"
        self._listener.lost(why)
        # Where nothing has ever run or come back, workers may not be there yet.
        blame = submitted.began is not None or self._answers
        self._frontier.lose(submitted.task, why, blame=blame, overrun=True)
