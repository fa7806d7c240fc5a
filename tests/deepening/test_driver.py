"""The driver on executors of every kind: that never say what runs, lose workers in their own way, are slow or gone."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from at_once import AT_ONCE, solve_at_once
from heard import Heard
from toys import Coins

import parsolve
from parsolve.errors import BranchLost, OutOfMemory, WorkersLost
from parsolve.executors.adapter import Adapter, loss_of
from parsolve.executors.pool import WorkerLost

pytestmark = pytest.mark.plain


class Silent(Executor):
    """As dask's: a future says that it runs only when it is done. What a worker does is in `run`."""

    def __init__(self, workers: int) -> None:
        self.tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(workers)]
        for thread in self.threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def task() -> None:
            done: Callable[[Any], None] = future.set_result
            try:
                result = self.run(fn, *args)
            except Exception as error:
                done, result = future.set_exception, error
            if future.set_running_or_notify_cancel():
                done(result)

        self.tasks.put(task)
        return future

    def run(self, fn: Callable[..., Any], *args: Any) -> Any:
        return fn(*args)

    def work(self) -> None:
        while (task := self.tasks.get()) is not None:
            task()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for _ in self.threads:
            self.tasks.put(None)


SMALL = Coins(10, "none")


@pytest.fixture(scope="module")
def answer() -> parsolve.Result:
    return parsolve.solve(SMALL, workers=1)


def same(found: parsolve.Result, answer: parsolve.Result) -> None:
    assert (found.paths, found.count, found.nodes) == (answer.paths, answer.count, answer.nodes)


def test_futures_that_never_run(answer: parsolve.Result) -> None:
    losses, tuning = Heard(), replace(AT_ONCE, poll=0.001)
    with Silent(2) as executor:
        same(parsolve.solve(SMALL, workers=2, executor=executor, budget=7, listener=losses, tuning=tuning), answer)
    assert (losses.losses, losses.warnings) == ([], [])


def test_a_lease_without_running(answer: parsolve.Result) -> None:
    """A task that never comes back is told, and given to another worker; those that wait behind it are not taken for
    lost."""

    class Forgetful(Silent):
        hung = 0

        def run(self, fn: Callable[..., Any], *args: Any) -> Any:
            if not self.hung:
                self.hung += 1
                release.wait(60)
            return fn(*args)

    release, losses = threading.Event(), Heard()
    tuning = replace(AT_ONCE, remind=0.05, poll=0.05)
    with Forgetful(2) as executor:
        how: dict[str, Any] = {"executor": executor, "lease": 0.5, "listener": losses, "tuning": tuning}
        found = parsolve.solve(SMALL, workers=2, budget=7, **how)
        release.set()
    same(found, answer)
    assert losses.losses == ["a task did not come back in 0.5 s"]
    assert losses.warnings
    assert all("from the branch with the moves" in text and "--timeout" in text for text in losses.warnings)


def test_a_branch_that_hangs_without_running_is_named(answer: parsolve.Result) -> None:
    guilty = answer.paths[-1][:3]

    class Hanging(Silent):
        def run(self, fn: Callable[..., Any], *args: Any) -> Any:
            if args[0].sought.limit == answer.cost and any(branch.order[:3] == guilty for branch in args[1]):
                release.wait(60)
            return fn(*args)

    release = threading.Event()
    said = rf"one node below the moves {' '.join(map(str, guilty))} took longer .*`lease`"
    with Hanging(16) as executor, pytest.raises(BranchLost, match=said):
        solve_at_once(SMALL, workers=2, executor=executor, budget=5, lease=0.3)
    release.set()


def test_an_executor_without_workers_is_not_a_branchs_fault() -> None:
    tuning = parsolve.Tuning(losses=6, head_start_beside_workers=0.0)
    said = "7 tasks were lost in a row, the last because a task did not come back"
    with Silent(0) as executor, pytest.raises(WorkersLost, match=said):
        parsolve.solve(SMALL, workers=1, executor=executor, budget=50, lease=0.05, tuning=tuning)


class KilledWorker(Exception):
    """Some library's own."""


def test_an_error_of_its_own_for_a_lost_worker(answer: parsolve.Result) -> None:
    class Unlucky(Silent):
        runs = 0

        def run(self, fn: Callable[..., Any], *args: Any) -> Any:
            self.runs += 1
            if self.runs % 3 == 0:
                raise KilledWorker(f"run {self.runs}")
            return fn(*args)

    def loss(error: BaseException) -> WorkerLost | None:
        return WorkerLost(f"killed: {error}", blame=False) if isinstance(error, KilledWorker) else loss_of(error)

    losses = Heard()
    with Unlucky(2) as executor:
        adapter = Adapter(executor, lease=None, loss=loss)
        same(solve_at_once(SMALL, workers=2, executor=adapter, budget=7, listener=losses), answer)
        assert losses.losses[0] == "killed: run 3"
        with pytest.raises(KilledWorker):  # of which nobody has said what it means
            solve_at_once(SMALL, workers=2, executor=executor, budget=7)


def test_tasks_that_others_cancel_are_done_again(answer: parsolve.Result) -> None:
    class Cancelling(Silent):
        submitted = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args)
            self.submitted += 1
            if self.submitted % 4 == 0:
                future.cancel()
            return future

    losses = Heard()
    with Cancelling(2) as executor:
        same(solve_at_once(SMALL, workers=2, executor=executor, budget=7, listener=losses), answer)
    assert set(losses.losses) == {"the executor has cancelled a task"}


def test_an_executor_that_takes_nothing_any_more() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(WorkersLost, match="the executor takes no task: cannot schedule new futures after shutdown"):
        solve_at_once(SMALL, workers=2, executor=executor, budget=5)


def test_a_listener_that_runs_out_of_memory_sheds_no_table() -> None:
    """Only a stop condition says that the search needs too much."""

    class Full(Heard):
        def progress_made(self, progress: object) -> None:
            raise OutOfMemory("the listener's own")

    listener = Full()
    with pytest.raises(OutOfMemory, match="the listener's own"):
        parsolve.solve(SMALL, workers=1, transposition=1 << 16, listener=listener)
    assert listener.warnings == []


def test_a_branch_that_is_only_slow_is_never_given_up() -> None:
    """Once a branch whose nodes took far longer than the rest was taken to hang, again and again."""

    class Slow(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            def task() -> Any:
                if args[2] > 5:
                    time.sleep(1.2)
                return fn(*args)

            return super().submit(task)

    with Slow(8) as executor:
        result = solve_at_once(SMALL, workers=2, executor=executor, budget=300, lease=0.5)
    assert result.paths == SMALL.answer()[1]
