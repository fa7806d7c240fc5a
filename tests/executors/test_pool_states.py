"""A pool as a machine of states: whatever is submitted, cancelled and killed, each task ends once, as it should."""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

import pytest
from conftest import workers_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parsolve.executors.pool import WorkerLost
from parsolve.executors.pool.pool import ProcessPool
from parsolve.executors.pool.supervise import PATIENCE

pytestmark = pytest.mark.processes


class Pools(RuleBasedStateMachine):
    """A pool of two workers. The model: what each task gives, and how many tasks may be lost."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[tuple[Future[Any], Any]] = []  # with its result, or the type of its error
        self.losses = self.deaths = 0

    @initialize(fork=st.booleans())
    def begin(self, fork: bool) -> None:
        self.pool: ProcessPool | None = ProcessPool(2, fork=fork)

    def submit(self, result: Any, function: Callable[..., Any], *arguments: Any) -> None:
        assert self.pool is not None
        self.tasks.append((self.pool.submit(function, *arguments), result))

    @rule(numbers=st.lists(st.integers(), max_size=9))
    def submit_short_ones(self, numbers: list[int]) -> None:
        for number in numbers:
            self.submit(abs(number), abs, number)

    @rule(size=st.integers(1, 1 << 20))
    def submit_a_large_one(self, size: int) -> None:
        self.submit(bytes(size), bytes.upper, bytes(size))

    @rule()
    def submit_a_failing_one(self) -> None:
        self.submit(ZeroDivisionError, divmod, 1, 0)

    @rule(seconds=st.floats(0, 0.05))
    def submit_a_slow_one(self, seconds: float) -> None:
        self.submit(None, time.sleep, seconds)

    @precondition(lambda self: self.deaths < PATIENCE)
    @rule(number=st.sampled_from([signal.SIGKILL, signal.SIGSEGV]))
    def submit_a_deadly_one(self, number: int) -> None:
        self.submit(WorkerLost, signal.raise_signal, number)
        self.deaths += 1

    @precondition(lambda self: self.tasks and self.deaths < PATIENCE)
    @rule(which=st.integers(0, 1 << 30))
    def cancel(self, which: int) -> None:
        task, _ = self.tasks[which % len(self.tasks)]
        if not task.cancel() and not task.done():
            self.losses += 1  # its worker dies, which may have gone on to the next task
            self.deaths += 1

    @precondition(lambda self: self.deaths < PATIENCE)
    @rule(which=st.integers(0, 1 << 30))
    def kill(self, which: int) -> None:
        for worker in (workers := workers_of(os.getpid())[1:])[which % max(1, len(workers)) :][:1]:
            worker.kill()
            self.losses += 1
            self.deaths += 1

    @rule()
    def await_all(self) -> None:
        """Afterwards no death is in a row with later ones."""
        self.submit(0, abs, 0)
        assert not wait([task for task, _ in self.tasks], timeout=60).not_done
        self.check()
        self.tasks, self.losses = [], 0
        self.submit(0, abs, 0)
        if self.tasks[0][0].exception(60) is None:
            self.deaths = 0

    def check(self) -> None:
        """Each task has ended: cancelled, lost with a worker, or as it should."""
        lost = 0
        for task, result in self.tasks:
            assert task.done()
            if task.cancelled():
                continue
            error = task.exception()
            if error is None:
                assert task.result() == result
            elif type(error) is not result:
                assert isinstance(error, WorkerLost)
                lost += 1
        assert lost <= self.losses

    @invariant()
    def accepts_tasks(self) -> None:
        assert self.pool is None or self.pool.usable

    def teardown(self) -> None:
        if self.pool is None:
            return
        self.pool.shutdown(cancel_futures=len(self.tasks) % 2 == 1)
        self.losses += 2 + len(self.tasks)  # what ran, and what waited
        self.check()
        with pytest.raises(RuntimeError):
            self.pool.submit(abs, 1)
        until = time.monotonic() + 10
        while left := workers_of(os.getpid()):
            assert time.monotonic() < until, left
            time.sleep(0.01)


Pools.TestCase.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestPools = Pools.TestCase
