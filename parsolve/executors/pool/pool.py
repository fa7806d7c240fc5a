"""`ProcessPool`: the executor that a user calls."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from . import PoolBroken
from .messages import pack
from .processes import Processes
from .start import Settings
from .supervise import Supervisor
from .tasks import PoolTask, TaskQueue

SILENCE = 10.0
"""Seconds without a sign of life after which a worker counts as hanging."""


class ProcessPool(Executor):
    """Worker processes; those that die are replaced.

    Args:
        workers: how many.
        prepare: a function of a module and its arguments, called before the first task: in the fork server once, or in
            each worker.
        name: how the system's tools show the processes: `NAME-server` and `NAME-worker`; at most 8 bytes.
        silence: seconds without a sign of life after which a worker is killed.
        fork: whether the fork server may be forked from this process, which is only safe while no other thread can hold
            a lock. It takes a few ms, and inherits what this process has loaded.
        broken: makes the caller's own error from one that ends the pool.

    Raises:
        PoolBroken: the system refuses a thread; or the error that `broken` makes of that.
    """

    def __init__(
        self,
        workers: int,
        prepare: tuple[Callable[..., Any], tuple[Any, ...]] = (bool, ()),
        *,
        name: str = "pool",
        silence: float = SILENCE,
        fork: bool = False,
        broken: Callable[[PoolBroken], Exception] = lambda error: error,
    ) -> None:
        function, arguments = prepare
        self._queue = TaskQueue()
        processes = Processes(workers, Settings(name, pack(function, *arguments), silence))
        self._supervisor = Supervisor(self._queue, processes, broken)
        self._thread = threading.Thread(target=self._supervisor.run, daemon=True, name="pool")
        if fork and processes.has_server:  # before there is another thread
            with contextlib.suppress(OSError):
                processes.start_server(fork=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._supervisor.end()
            refused = str(error)
            raise broken(PoolBroken(f"the system refuses a thread: {refused}", refused)) from None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a task. `fn` must be a function of a module.

        Raises:
            PoolBroken: the pool has given up; or the error that `broken` makes of that.
            RuntimeError: it has been shut down.
            TypeError: there are keyword arguments.
        """
        if kwargs:
            raise TypeError("a pool's tasks take positional arguments only")
        task = PoolTask(pack(fn, *args), self._queue.notify)
        self._queue.put(task)
        return task

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes; with `cancel_futures` at once, otherwise after the queued tasks."""
        self._queue.close(cancel_futures)
        if wait:
            self._thread.join()

    @property
    def is_ready(self) -> bool:
        """Whether a worker has ever been ready, or none ever will be."""
        return self._supervisor.any_ready

    @property
    def usable(self) -> bool:
        """Whether it accepts tasks."""
        return self._queue.open

    @property
    def refused(self) -> str | None:
        """Why the system refuses to start more workers; None if it does not, or if there are no workers."""
        return self._supervisor.refused
