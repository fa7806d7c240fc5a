"""Tasks, and the queue that a pool's callers share with its supervising thread."""

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, InvalidStateError
from typing import Any


class Task(Future[Any]):
    """The future of a pool's task. Cancelling it while it runs kills its worker.

    Attributes:
        payload: the function and its arguments, pickled.
        stop: ends the worker that runs this task.
    """

    def __init__(self, payload: bytes) -> None:
        super().__init__()
        self.payload = payload
        self.stop: Callable[[], None] = lambda: None
        self._turn = threading.RLock()

    def cancel(self) -> bool:
        with self._turn:
            before = self.cancelled()
            if super().cancel():
                if not before:
                    self.set_running_or_notify_cancel()  # this wakes those who wait for it
                return True
        if not self.done():
            self.stop()
        return False

    def begin(self) -> None:
        """Mark this task as running, unless it has been cancelled."""
        with self._turn:
            if not (self.running() or self.cancelled()):
                self.set_running_or_notify_cancel()

    def finish(self, value: Any) -> None:
        """Set the result, unless this task has been cancelled."""
        with contextlib.suppress(InvalidStateError):
            self.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Set the error, unless this task has been cancelled or has a result."""
        with contextlib.suppress(InvalidStateError):
            self.set_exception(error)


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
        self._waiting: deque[Task] = deque()
        self._closing = False
        self._cancelling = False
        self.wake, self._waker = socket.socketpair()
        self._waker.setblocking(False)

    @property
    def open(self) -> bool:
        """Whether tasks are accepted."""
        return not self._closing and self.error is None

    def put(self, task: Task) -> None:
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

    def put_back(self, tasks: Iterable[Task]) -> None:
        """Put tasks that a worker has not begun at the front of the queue."""
        with self.lock:
            self._waiting.extendleft(reversed([task for task in tasks if not task.cancelled()]))

    def take(self) -> Task | None:
        """Return the next task; None if there is none."""
        with self.lock:
            while self._waiting:
                task = self._waiting.popleft()
                if not task.cancelled():
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

    def end(self) -> list[Task]:
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
