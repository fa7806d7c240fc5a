"""Threads over compiled kernels, which release the interpreter lock while they run."""

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context

from parsolve.compiler.waiting import compiling_check
from parsolve.search.watch import Watch

LOOK = 0.05
"""Seconds between two checks of the stop conditions."""

FEW = 1 << 14
"""Entries below which one thread works alone: waking the others would take as long."""


class _GivenUp(BaseException):
    """Nobody waits any longer for the kernel that a thread waits for."""


class Threads:
    """A fixed number of threads that share out work in tasks. A context manager.

    Args:
        number: number of threads.
        watch: the waiting thread calls its check.

    Attributes:
        is_broken: whether a stop has ended the waiting for a kernel, in the middle of something.
    """

    def __init__(self, number: int, watch: Watch) -> None:
        self.number, self.watch, self.is_broken = number, watch, False
        self._pool, self._before = ThreadPoolExecutor(number, "levels"), compiling_check.get()

    def each(
        self, tasks: int, work: Callable[[int, int], None], size: float = math.inf, stoppable: bool = True
    ) -> None:
        """Call `work(thread, task)` once for each task, on threads as they become free; or on this one if there is
        little to do, `size` entries in all of them.

        A task should take much less than a second: nothing ends in the middle of one. The same is true of all tasks
        together if the watch is not checked until they are done (`stoppable`).

        Raises:
            Exception: the first exception of `work` or `check`; all threads have finished then.
        """
        if stoppable:
            self.watch.check()
        if size <= FEW:
            for number in range(tasks):
                work(0, number)
            return
        waiting, lock, stopped = iter(range(tasks)), threading.Lock(), threading.Event()

        def check() -> None:
            if stopped.is_set():
                self.is_broken = True
                raise _GivenUp

        def run(thread: int) -> None:
            compiling_check.set(check)  # the caller's is for its own thread
            while not stopped.is_set():
                with lock:
                    task = next(waiting, None)
                if task is None:
                    return
                try:
                    work(thread, task)
                except _GivenUp:
                    return
                except BaseException:
                    stopped.set()
                    raise

        # In the caller's context, which has the listeners for compiling.
        running = {self._pool.submit(copy_context().run, run, thread) for thread in range(min(self.number, tasks))}
        try:
            left = running
            while left:
                left = wait(left, LOOK).not_done
                if stoppable:
                    self.watch.check()
        finally:
            stopped.set()
            wait(running)
        for each in running:
            each.result()

    def _check(self) -> None:
        try:
            self.watch.check()
        except BaseException:
            self.is_broken = True
            raise

    def __enter__(self) -> "Threads":
        compiling_check.set(self._check)
        return self

    def __exit__(self, *_: object) -> None:
        compiling_check.set(self._before)
        self._pool.shutdown()
