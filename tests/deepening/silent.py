"""An executor whose futures never say that they run, as those of a cluster."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


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
