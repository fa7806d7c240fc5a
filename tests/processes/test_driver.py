"""The driver on executors of every kind: that never say what runs, lose workers in their own way, are slow or gone."""

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from at_once import AT_ONCE

from parsolve.engines import solve
from parsolve.executors.adapter import Adapter, adapt
from parsolve.executors.pool.pool import ProcessPool
from parsolve.puzzles import Sliding

SMALL = Sliding(start="4 5 0 1 2 3")


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
            try:
                result, error = self.run(fn, *args), None
            except Exception as raised:
                result, error = None, raised
            if future.set_running_or_notify_cancel():
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

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


def test_which_executors_need_a_lease() -> None:
    with ProcessPool(1) as pool, Silent(1) as other:
        assert adapt(pool, 5.0).lease is None
        assert adapt(other, 5.0).lease == 5.0
        own = Adapter(other, lease=7.0)
        assert adapt(own, 5.0) is own


# Stop conditions.


class Enough(BaseException):
    """A caller's own."""


def executors() -> Iterator[Executor | None]:
    yield None
    with Silent(2) as executor:
        yield executor


@pytest.mark.parametrize("engine", ["deepening", "breadth", "both"])
def test_a_check_ends_a_search(engine: Any) -> None:
    for executor in executors():
        calls: list[int] = []

        def check(calls: list[int] = calls) -> None:
            calls.append(1)
            if len(calls) == 3:
                raise Enough

        with pytest.raises(Enough):
            solve(SMALL, engine=engine, workers=2, executor=executor, budget=3, check=check, tuning=AT_ONCE)
        assert len(calls) == 3
