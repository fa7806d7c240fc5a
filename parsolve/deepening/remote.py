"""Remote: an executor that runs a frontier's tasks.

    task ─▶ call ─▶ executor ─▶ future ─▶ events (a queue that futures enter when they are done) ─▶ driver

A worker is a process, or a whole machine, whose tasks are longer: the call made from a task decides which. A remote
uses `concurrent.futures` and nothing else, and trusts no worker to survive: branches of lost tasks are searched again.
"""

import hashlib
import math
import queue
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.outcome import Outcome, solutions_of
from parsolve.deepening.slices import Assignment, run_named_slice, run_slice
from parsolve.errors import Disagreement, ParsolveError, WorkersLost
from parsolve.executors.adapter import Adapter
from parsolve.search.tuning import DEFAULT, Tuning
from parsolve.search.watch import Listener

if TYPE_CHECKING:
    from parsolve.executors.pool.pool import ProcessPool

Call = tuple[Callable[..., Outcome], tuple[Any, ...]]
"""A call for an executor: a function of a module, and its arguments as plain data."""


def slice_of(assignment: Assignment, task: Task) -> Call:
    """Return the call of a task for a process."""
    return run_slice, (assignment, task.branches, task.budget)


@dataclass(eq=False, slots=True)
class Submitted:
    """A task that an executor has.

    Attributes:
        task: the task.
        at: the time when it was submitted.
        began: when it was first seen to run; None for an executor that does not report that.
        reminders: how often it has been reported as long.
        first: the outcome of another worker, with which this one is compared.
    """

    task: Task
    at: float
    began: float | None = None
    reminders: int = 0
    first: Outcome | None = None


class Remote:
    """An executor as one search uses it, iteration after iteration.

    Args:
        adapter: the executor's adapter.
        workers: how many tasks it runs at once; it may change.
        listener: receives reports of lost and of long tasks.
        tuning: the waits.
        call_of: makes the executor's call from a task.
        recheck: the share of the tasks that two workers search, for a `ProcessPool`: processors err, in a large fleet a
            few in a thousand. What a slice finds, and where it ends, follows from its branches and its budget alone, so
            its outcomes are compared in full. None for no such task.
    """

    def __init__(
        self,
        adapter: Adapter,
        workers: int | Callable[[], int],
        listener: Listener,
        tuning: Tuning = DEFAULT,
        call_of: Callable[[Assignment, Task], Call] = slice_of,
        recheck: float | None = None,
    ) -> None:
        self._adapter, self._count = adapter, workers
        self._listener, self._tuning, self._call_of = listener, tuning, call_of
        self._recheck = recheck
        self._submitted: dict[Future[Outcome], Submitted] = {}  # the oldest first
        self._futures: dict[Task, Future[Outcome]] = {}
        self._events: queue.SimpleQueue[Future[Outcome]] = queue.SimpleQueue()
        self._freed = -math.inf  # when the executor last had a free worker, as far as is known
        self._answers = False

    @property
    def _workers(self) -> int:
        return self._count if isinstance(self._count, int) else self._count()

    def run(self, driver: Driver) -> None:
        """Search an iteration until it is done, or the driver's time is over.

        Raises:
            BranchLost: a branch costs every worker that it is given to, or overruns its lease node by node.
            WorkersLost: the executor accepts no task, or loses one after another.
            BadPuzzle, NotReproducible: as the slices do.
            Disagreement: two workers give different outcomes for a task.
        """
        lease = self._adapter.lease
        poll = self._tuning.poll if lease is None else min(self._tuning.poll, lease / 2)
        look = time.monotonic() + poll
        try:
            while not driver.frontier.done and (driver.frontier.running or not driver.over):
                self._fill(driver)
                try:
                    self._take(driver, self._events.get(timeout=max(0.0, look - time.monotonic())))
                except queue.Empty:
                    driver.between()
                if time.monotonic() >= look:
                    self._look_after(driver.frontier)
                    look = time.monotonic() + poll
        finally:
            for submitted in list(self._submitted.values()):
                self._forget(submitted.task)

    def _fill(self, driver: Driver) -> None:
        frontier, workers = driver.frontier, self._workers
        if frontier.running >= self._tuning.tasks(workers) or not frontier.queued or driver.over:
            return
        while task := frontier.take(workers, *driver.seconds_of_slices):
            call = self._call(driver.assignment, task)
            self._submit(Submitted(task, time.monotonic()), self._adapter.executor.submit, *call)

    def _call(self, assignment: Assignment, task: Task) -> tuple[Any, ...]:
        """Return the call of a task as a function and its arguments; of two workers each is named."""
        function, arguments = self._call_of(assignment, task)
        return run_named_slice if self._is_for_two(assignment, task) else function, *arguments

    def _is_for_two(self, assignment: Assignment, task: Task) -> bool:
        """Return whether two workers search a task: by a hash of the limit and of where the task begins."""
        if self._recheck is None:
            return False
        digest = hashlib.sha256(f"{assignment.limit} {task.items[0].order}".encode()).digest()
        return int.from_bytes(digest[:8]) < self._recheck * (1 << 64)

    def _submit(self, submitted: Submitted, submit: Callable[..., "Future[Outcome]"], *call: Any) -> None:
        try:
            future = submit(*call)
        except ParsolveError:
            raise
        except Exception as error:
            raise WorkersLost(f"the executor takes no task: {str(error) or type(error).__name__}") from error
        self._submitted[future] = submitted
        self._futures[submitted.task] = future
        future.add_done_callback(self._events.put)

    def _take(self, driver: Driver, future: "Future[Outcome]") -> None:
        submitted = self._submitted.pop(future, None)
        if submitted is None:  # it was cancelled, or counts as lost
            return
        task = submitted.task
        del self._futures[task]
        self._freed = time.monotonic()
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            self._answers = True
            if self._is_confirmed(driver.assignment, submitted, future):
                for dropped in driver.finish(task, future.result()):
                    self._forget(dropped)
            driver.between()
            return
        loss = self._adapter.loss(error)
        if loss is None:
            raise error
        self._listener.worker_lost(loss.text)
        driver.frontier.lose(task, loss.text, blame=loss.blame)

    def _is_confirmed(self, assignment: Assignment, submitted: Submitted, future: "Future[Outcome]") -> bool:
        """Return whether an outcome counts; if not, another worker searches the task too."""
        task, one, other = submitted.task, submitted.first, future.result()
        if not self._is_for_two(assignment, task):
            return True
        if one is None:
            pool = cast("ProcessPool", self._adapter.executor)
            again = Submitted(task, time.monotonic(), first=other)
            self._submit(again, pool.submit_elsewhere, future, *self._call(assignment, task))
            return False
        if _compared(one) != _compared(other):
            raise Disagreement(
                f"two workers disagree: the branches from {task.items[0].named()} on, within the limit"
                f" {assignment.limit} and {task.budget:,} nodes, have {_said(one)}, and {_said(other)}; a processor or"
                " a memory errs, and neither counts"
            )
        return True

    def _forget(self, task: Task) -> None:
        future = self._futures.pop(task)
        del self._submitted[future]
        future.cancel()

    # Long tasks.

    def _look_after(self, frontier: Frontier) -> None:
        """Report tasks that run for long, and take back those whose lease has run out."""
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
                # The executor does not say what runs, or a task waits there: the oldest tasks may have begun when the
                # executor last had a free worker.
                free -= 1
                if free < 0:
                    continue
                since = max(submitted.at, freed)
            if lease is not None and now > since + lease:
                self._overrun(frontier, submitted, lease)
            elif now > since + self._tuning.remind * (submitted.reminders + 1):
                submitted.reminders += 1
                self._listener.warning_given(
                    f"a task has been running for {now - since:.0f} s, from the branch with the moves"
                    f" {submitted.task.name} on: its nodes take long, or for ever (--timeout ends it)"
                )

    def _overrun(self, frontier: Frontier, submitted: Submitted, lease: float) -> None:
        self._forget(submitted.task)
        self._freed = time.monotonic()
        why = f"a task did not come back in {lease:g} s"
        self._listener.worker_lost(why)
        # If nothing has ever run or come back, there may be no workers yet.
        blame = submitted.began is not None or self._answers
        frontier.lose(submitted.task, why, blame=blame, overrun=True)


def _compared(outcome: Outcome) -> tuple[Any, ...]:
    """Return all of an outcome that follows from its task."""
    return outcome.nodes, outcome.found, solutions_of(outcome), outcome.cut, outcome.rest, outcome.each, outcome.counts


def _said(outcome: Outcome) -> str:
    """Return an outcome and its worker in words; the digest shows other differences than the numbers."""
    digest = hashlib.sha256(repr(_compared(outcome)).encode()).hexdigest()[:8]
    return f"{outcome.found:,} solutions by {outcome.nodes:,} nodes (digest {digest}) by {outcome.worker}"
