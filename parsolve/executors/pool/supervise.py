"""The supervising thread of a pool: starts workers, gives them tasks, reads their messages, and replaces dead ones."""

import pickle
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

from . import PoolBroken, WorkerLost
from .handles import ServerHandle, WorkerHandle
from .process import signals_blocked
from .processes import Processes
from .tasks import TaskQueue

ANSWER = 1.0
"""Seconds to wait until a fork server reports how a worker has ended."""

PATIENCE = 20
"""The pool gives up after this many deaths in a row, and one more for each worker, with no task finished in between."""

_CRASHES = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGSYS})


class Deaths:
    """Deaths and failed starts of a pool's processes since a task was last finished.

    Attributes:
        count: their number.
        refused: why the system refused the last start; None if it did not.
    """

    def __init__(self, size: int) -> None:
        self.refused: str | None = None
        self._size, self.count, self._spawn_at = size, 0, 0.0

    @property
    def pause(self) -> float:
        """Seconds until another process may be started."""
        return max(0.0, self._spawn_at - time.monotonic())

    def add(self, refused: str | None, others: bool) -> PoolBroken | None:
        """Count a process, and return the pool's error if it gives up.

        Args:
            refused: why the system refused to start it; None if it started and ended.
            others: whether other processes could be started: then a refusal is not a bad sign.
        """
        self.refused = refused
        self.count += not (refused and others)
        # At once after the first death, then more and more slowly; a refused start may succeed later.
        pause = 0.25 if refused else min(0.5, 0.02 * (2 ** min(10, self.count) - 2))
        self._spawn_at = time.monotonic() + pause
        if self.count < PATIENCE + self._size:
            return None
        if refused:
            return PoolBroken(f"the system refuses to start another worker process: {refused}", refused)
        return PoolBroken(f"workers cannot be kept alive: {self.count} died in a row")

    def forget(self) -> None:
        """Count from 0 again: a task has been finished."""
        self.count = 0


class Supervisor:
    """The state and the work of the supervising thread.

    Args:
        queue: the source of tasks.
        processes: the workers that run them.
        broken: see `ProcessPool`.

    Attributes:
        any_ready: whether a worker has been ready, or none ever will be.
    """

    def __init__(self, queue: TaskQueue, processes: Processes, broken: Callable[[PoolBroken], Exception]) -> None:
        self.any_ready = False
        self._queue, self._processes, self._broken = queue, processes, broken
        self._deaths = Deaths(processes.size)

    @property
    def refused(self) -> str | None:
        """Why the system refuses to start more workers; None if it does not, or if there are no workers."""
        return self._deaths.refused if any(worker.ready for worker in list(self._processes.workers)) else None

    def run(self) -> None:
        """Supervise until the queue is closed or the pool gives up; then end all processes."""
        with signals_blocked():
            try:
                while not self._queue.finished(any(worker.task for worker in self._processes.workers)):
                    self._spawn()
                    self._dispatch()
                    sources: list[Any] = [self._queue.wake, *self._processes.all]
                    for source in wait(sources, self._pause()):
                        self._hear(source)
                    if self._processes.kill_silent():
                        self._count_death()
            except Exception as error:
                self._give_up(self._broken(PoolBroken(f"the pool failed: {type(error).__name__}: {error}")))
            finally:
                self.end()

    def end(self) -> None:
        """End all processes, and fail all tasks that have no result."""
        workers = self._processes.workers
        for worker in workers:
            worker.kill()
        until = time.monotonic() + ANSWER
        for worker in workers:
            if worker.pid is not None:
                self._status_of(worker, until)
            worker.connection.close()
        self._processes.close_server()
        error, running = self._queue.error, [worker.task for worker in workers if worker.task]
        workers.clear()
        for task in self._queue.end():
            if error is None:
                task.cancel()
            if task.set_running_or_notify_cancel():
                running.append(task)
        for task in running:
            task.set_exception(error or WorkerLost("the pool has been shut down", blame=False))
        self.any_ready = True

    # Processes.

    def _spawn(self) -> None:
        if self._deaths.pause:
            return
        try:
            self._processes.spawn()
        except EOFError:
            self._count_death()
        except OSError as error:
            self._count_death(error.strerror)

    def _count_death(self, refused: str | None = None) -> None:
        """Count a process that has ended or, if `refused` says why, could not be started."""
        others = any(worker.heard and worker.refused is None for worker in self._processes.workers)
        error = self._deaths.add(refused, others)
        if error is not None:
            self._give_up(self._broken(error))

    def _give_up(self, why: Exception) -> None:
        self._queue.give_up(why)
        self.any_ready = True

    # Tasks.

    def _dispatch(self) -> None:
        """Give waiting tasks to idle workers, and kill those whose tasks are no longer wanted."""
        for worker in self._processes.workers:
            if not worker.ready or worker.doomed:
                continue
            if worker.task is None and (task := self._queue.take()):
                worker.task = task
                worker.send(task.payload)
            elif worker.task is not None and not worker.task.is_wanted:
                worker.kill()

    # Events.

    def _pause(self) -> float:
        """Maximum number of seconds to wait for an event."""
        pulse = self._processes.settings.pulse
        return min(pulse, self._deaths.pause) if self._processes.missing > 0 else pulse

    def _hear(self, source: Any) -> None:
        if source is self._queue.wake:
            self._queue.wake.recv(1 << 12)
        elif isinstance(source, WorkerHandle):
            self._hear_worker(source)
        elif not source.connection.closed:  # it may have been closed while a worker was reaped
            self._hear_server(source)

    def _hear_worker(self, worker: WorkerHandle) -> None:
        try:
            kind, value = worker.receive()
        except (EOFError, OSError):
            self._reap(worker)
            return
        if kind == "ready":
            self.any_ready = True
        elif kind == "refused":
            worker.refused = value
        elif kind == "failed":
            self._give_up(value)
        elif worker.task is not None and isinstance(kind, bool):
            self._deaths.forget()
            task, worker.task = worker.task, None
            try:
                answer = pickle.loads(value)
            except Exception as error:  # only a result's: an error is portable
                why = f"the result of worker {worker.pid} is unreadable: {type(error).__name__}: {error}"
                task.set_exception(WorkerLost(why))
                return
            (task.set_result if kind else task.set_exception)(answer)

    def _hear_server(self, server: ServerHandle) -> None:
        try:
            if not server.connection.poll():
                return  # its message was read already, while a worker was reaped
            kind, value = server.receive()
        except (EOFError, OSError):
            self._processes.close_server()
            self._count_death()
            return
        if kind == "failed":
            self._give_up(value)
        elif kind == "refused" and not server.ready:  # a thread of its own was refused
            self._processes.close_server()
            self._count_death(value)

    def _reap(self, worker: WorkerHandle) -> None:
        """Remove a worker that has ended: its task is lost."""
        worker.connection.close()
        status = self._status_of(worker, time.monotonic() + ANSWER)
        is_cancelled = worker.task is not None and not worker.task.is_wanted
        if not is_cancelled and (worker.pid or worker.refused):  # neither: its fork server has ended, which counts
            self._count_death(worker.refused)
        self._processes.workers.remove(worker)
        if worker.task is not None:
            crashed = status is not None and -status in _CRASHES
            how = "" if status is None else f" ({signal.Signals(-status).name})" if status < 0 else f" (exit {status})"
            silence = self._processes.settings.silence
            if worker.silent > silence:
                how = f": no sign of life for {silence:g} s"
            worker.task.set_exception(WorkerLost(f"worker {worker.pid} was lost{how}", blame=crashed))

    def _status_of(self, worker: WorkerHandle, until: float) -> int | None:
        """Return the exit status of a worker that has ended or is ending; None if it is unknown at `until`."""
        worker.kill()  # it may have closed its connection and hang
        if worker.process is not None:
            return worker.process.wait()
        server = worker.server
        assert server is not None
        while worker.refused is None and not server.connection.closed and worker.pid not in server.statuses:
            if not wait([server.connection], max(0.0, until - time.monotonic())):
                return None
            self._hear_server(server)
            worker.kill()
        return None if worker.pid is None else server.statuses.pop(worker.pid, None)
