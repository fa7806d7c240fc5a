"""Tasks, and the queue that a pool's callers share with its supervising thread."""

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class PoolTask(Future[Any]):
    """The future of a pool's task. Cancelling it while it runs kills its worker.

    Args:
        payload: the function and its arguments, pickled.
        wake: wakes the supervising thread, which alone knows what runs.
    """

    def __init__(self, payload: bytes, wake: Callable[[], None]) -> None:
        super().__init__()
        self.payload, self._wake = payload, wake
        self.is_wanted = True  # until it is cancelled

    def cancel(self) -> bool:
        if super().cancel():
            return True
        self.is_wanted = False
        self._wake()
        return False


class TaskQueue:
    """The tasks that wait for a worker, and whether more may come. Any thread may use it.

    Attributes:
        wake: a socket that becomes readable when something changes here.
        lock: held during changes.
        error: why the pool has given up; None if it has not.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.error: Exception | None = None
        self._waiting: deque[PoolTask] = deque()
        self._closing = False
        self._cancelling = False
        self.wake, self._waker = socket.socketpair()
        self._waker.setblocking(False)

    @property
    def open(self) -> bool:
        """Whether tasks are accepted."""
        return not self._closing and self.error is None

    def put(self, task: PoolTask) -> None:
        """Queue a task.

        Raises:
            Exception: why the pool has given up.
            RuntimeError: the pool has been shut down.
        """
        with self.lock:
            if self.error is not None:
                raise self.error
            if self._closing:
                raise RuntimeError("the pool has been shut down")
            self._waiting.append(task)
        self.notify()

    def take(self) -> PoolTask | None:
        """Return the next task, which runs from now on; None if there is none."""
        with self.lock:
            while self._waiting:
                task = self._waiting.popleft()
                if task.set_running_or_notify_cancel():
                    return task
        return None

    def close(self, cancel: bool) -> None:
        """Accept no further task; with `cancel`, drop the waiting ones."""
        with self.lock:
            self._closing = True
            self._cancelling = self._cancelling or cancel
        self.notify()

    def give_up(self, error: Exception) -> None:
        """Accept no further task, because of an error. The first error stays."""
        with self.lock:
            self.error = self.error or error

    def finished(self, running: bool) -> bool:
        """Return whether the supervising thread may end; `running`: whether workers still have tasks."""
        with self.lock:
            busy = running or bool(self._waiting)
            return self.error is not None or (self._closing and (self._cancelling or not busy))

    def end(self) -> list[PoolTask]:
        """Accept no further task, close the sockets, and return the waiting tasks."""
        with self.lock:
            self._closing = True
            left = list(self._waiting)
            self._waiting.clear()
        self.wake.close()
        self._waker.close()
        return left

    def notify(self) -> None:
        """Wake the supervising thread."""
        with contextlib.suppress(OSError):  # the socket is full, or closed
            self._waker.send(b"x")
