"""Remote: an executor that runs a frontier's tasks.

    task ─▶ call ─▶ executor ─▶ future ─▶ events (a queue that futures enter when they are done) ─▶ driver

A worker is a process, or a whole machine, whose tasks are longer (`machine.Machines`). A remote uses
`concurrent.futures` and nothing else, and trusts no worker to survive: branches of lost tasks are searched again.
"""

import math
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any

from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.outcome import Outcome
from parsolve.deepening.slices import Assignment, run_slice
from parsolve.errors import ParsolveError, WorkersLost
from parsolve.executors.adapter import Adapter
from parsolve.search.watch import Listener

Call = tuple[Callable[..., Outcome], tuple[Any, ...]]
"""A call for an executor: a function of a module, and its arguments as plain data."""


@dataclass(eq=False, slots=True)
class Submitted:
    """A task that an executor has, by what is known of it there.

    Attributes:
        future: its outcome.
        at: the time when it was submitted.
        began: when it was first seen to run; None for an executor that does not report that.
        reminders: how often it has been reported as long.
    """

    future: Future[Outcome]
    at: float
    began: float | None = None
    reminders: int = 0


class Remote:
    """An executor as one search uses it, iteration after iteration.

    Args:
        adapter: the executor's adapter.
        workers: returns how many tasks it runs at once.
        listener: receives reports of lost and of long tasks.
        warnings: returns the executor's new warnings for the user.
    """

    def __init__(
        self,
        adapter: Adapter,
        workers: Callable[[], int],
        listener: Listener,
        warnings: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._adapter, self._workers, self._listener, self._warnings = adapter, workers, listener, warnings
        self._submitted: dict[Task, Submitted] = {}  # the oldest first
        self._events: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._freed = -math.inf  # when the executor last had a free worker, as far as is known
        self._has_answered = False

    def run(self, driver: Driver) -> None:
        """Search an iteration until it is done, or the driver's time is over.

        Raises:
            BranchLost: a branch costs every worker that it is given to, or overruns its lease node by node.
            WorkersLost: the executor accepts no task, or loses one after another.
            BadPuzzle, NotReproducible: as the slices do.
        """
        lease = self._adapter.lease
        poll = min(driver.frontier.tuning.poll, math.inf if lease is None else lease / 2)
        look = time.monotonic() + poll
        try:
            while not driver.frontier.done and (driver.frontier.running or not driver.over):
                self._fill(driver)
                try:
                    self._take(driver, self._events.get(timeout=max(0.0, look - time.monotonic())))
                except queue.Empty:
                    driver.between(driver)
                for warning in self._warnings():
                    self._listener.warning_given(warning)
                if time.monotonic() >= look:
                    self._look_after(driver.frontier)
                    look = time.monotonic() + poll
        finally:
            for task in list(self._submitted):
                self._forget(task)

    def call_of(self, assignment: Assignment, task: Task) -> Call:
        """Return the executor's call of a task."""
        return run_slice, (assignment, task.branches, task.budget)

    def _fill(self, driver: Driver) -> None:
        workers = self._workers()
        while not driver.over and (task := driver.frontier.take(workers, *driver.seconds_of_slices)):
            self._submit(task, *self.call_of(driver.assignment, task))

    def _submit(self, task: Task, function: Callable[..., Outcome], arguments: tuple[Any, ...]) -> None:
        try:
            future = self._adapter.executor.submit(function, *arguments)
        except ParsolveError:
            raise
        except Exception as error:
            raise WorkersLost(f"the executor takes no task: {str(error) or type(error).__name__}") from error
        self._submitted[task] = Submitted(future, time.monotonic())
        future.add_done_callback(lambda _: self._events.put(task))

    def _take(self, driver: Driver, task: Task) -> None:
        submitted = self._submitted.pop(task, None)
        if submitted is None:  # it was cancelled, or counts as lost
            return
        future = submitted.future
        self._freed = time.monotonic()
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            self._has_answered = True
            for dropped in driver.finish(task, future.result()):
                self._forget(dropped)
            driver.between(driver)
            return
        loss = self._adapter.loss(error)
        if loss is None:
            raise error
        self._listener.worker_lost(loss.text)
        driver.frontier.lose(task, loss.text, blame=loss.blame)

    def _forget(self, task: Task) -> None:
        self._submitted.pop(task).future.cancel()

    # Long tasks.

    def _look_after(self, frontier: Frontier) -> None:
        """Report tasks that run for long, and take back those whose lease has run out."""
        now, freed = time.monotonic(), self._freed
        free = self._workers()
        for submitted in self._submitted.values():
            if submitted.began is None and submitted.future.running():
                submitted.began = now
            free -= submitted.began is not None
        lease = self._adapter.lease
        for task, submitted in list(self._submitted.items()):
            since = submitted.began
            if since is None:
                # The executor does not say what runs, or a task waits there: the oldest tasks may have begun when the
                # executor last had a free worker.
                free -= 1
                if free < 0:
                    continue
                since = max(submitted.at, freed)
            if lease is not None and now > since + lease:
                self._overrun(frontier, task, lease, submitted.began is not None)
            elif now > since + frontier.tuning.remind * (submitted.reminders + 1):
                submitted.reminders += 1
                self._listener.warning_given(
                    f"a task has been running for {now - since:.0f} s, from the branch with the moves"
                    f" {task.name} on: its nodes take long, or for ever (--timeout ends it)"
                )

    def _overrun(self, frontier: Frontier, task: Task, lease: float, has_begun: bool) -> None:
        self._forget(task)
        self._freed = time.monotonic()
        why = f"a task did not come back in {lease:g} s"
        self._listener.worker_lost(why)
        # If nothing has ever run or come back, there may be no workers yet.
        frontier.lose(task, why, blame=has_begun or self._has_answered, overrun=True)
