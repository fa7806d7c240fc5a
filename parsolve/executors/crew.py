"""Crew: worker processes behind the interface of `concurrent.futures.Executor`.

    submit() ──▶ queue ──▶ supervising thread ══one connection a worker══▶ worker process
                                ▲    └─ fork server or fresh interpreters

Why not `ProcessPoolExecutor`: there a killed worker breaks the whole pool, which may hang; it imports the
user's main module. Here a killed worker loses its running task and nothing else, and `cancel()` on a running
task kills its worker.

A worker says every second that it is alive, from a thread of its own. One that is silent for long is killed; one that
computes is waited for, however long that takes.
"""

import contextlib
import gc
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Literal

from parsolve.errors import CrewLost, WorkerLost
from parsolve.executors import worker as worker_code
from parsolve.processes import may_fork

StartMethod = Literal["forkserver", "spawn"]

START_METHODS: tuple[StartMethod, ...] = ("forkserver", "spawn")
"""forkserver: one process has the kernel loaded and forks the workers, 0.03 s and 4 MB each; spawn: every worker is
a fresh interpreter. The fork server is forked from this process where that may be (`processes.may_fork`), which takes
10 ms, and else is a fresh interpreter too, 0.7 s."""

DEFAULT_START_METHOD: StartMethod = "forkserver" if sys.platform == "linux" else "spawn"
"""Forking a process that has loaded system frameworks is not safe on macOS."""

AHEAD = 2
"""Tasks that a worker holds: one running and one waiting, which hides the round trip of 1.2 ms."""

PATIENCE = 20
"""Deaths in a row beside one of each worker, with nothing finished in between, after which a crew gives up."""

SILENCE = 10.0
"""Seconds without a sign of life after which a worker is taken to hang."""

PULSE = 1.0
"""Seconds between two signs of life; less where a shorter silence is noticed."""

START = 60.0
"""Seconds more for a process that has only been started: it has to load Python and what it is to prepare."""

_CRASHES = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGSYS})


class Task(Future[Any]):
    """The future of a crew's task. Cancelling it while it runs kills its worker."""

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
                    self.set_running_or_notify_cancel()  # who waits for it is told
                return True
        if not self.done():
            self.stop()
        return False

    def begin(self) -> None:
        """It runs from now on, unless it has been cancelled."""
        with self._turn:
            if not (self.running() or self.cancelled()):
                self.set_running_or_notify_cancel()


@dataclass(eq=False)
class Worker:
    """A worker process as its crew sees it.

    Attributes:
        pid: None until the fork server has sent it.
        ready: whether it takes tasks.
        heard: whether it has ever given a sign of life.
        silent: seconds since the last one, by the clock of a crew that runs; 0 while it has nothing to do.
        doomed: whether its crew wants it to end.
        refused: why the system does not let it start; None if it does.
    """

    connection: Connection
    process: subprocess.Popen[bytes] | None
    pid: int | None
    ready: bool = False
    heard: bool = False
    silent: float = 0.0
    doomed: bool = False
    refused: str | None = None
    tasks: deque[Task] = field(default_factory=deque)

    def kill(self) -> None:
        """SIGKILL, or as soon as the pid is known; harmless if the process is gone."""
        self.doomed = True
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class Forked:
    """A child that was forked from this process, with what a crew needs of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def kill(self) -> None:
        """SIGKILL; harmless if the process has ended: until it is waited for nobody else has its pid."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it has ended."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


class Crew(Executor):
    """Worker processes that outlive their own deaths.

    Args:
        workers: how many.
        prepare: a function of a module and its arguments, called before the first task: in the fork server
            once, or in each worker.
        start_method: see `START_METHODS`.
        silence: seconds after which a worker that has a task and gives no sign of life is killed.

    Raises:
        CrewLost: the system refuses a thread.
    """

    def __init__(
        self,
        workers: int,
        prepare: tuple[Callable[..., Any], tuple[Any, ...]] = (bool, ()),
        start_method: StartMethod | None = None,
        silence: float = SILENCE,
    ) -> None:
        self._refused: str | None = None
        self._size = workers
        self._silence = silence
        self._pulse = min(PULSE, silence / 5)
        self._watched = time.monotonic()
        self._prepare = worker_code.ready(prepare[0], *prepare[1])
        self._method = start_method or DEFAULT_START_METHOD
        self._lock = threading.Lock()
        self._queue: deque[Task] = deque()
        self._workers: list[Worker] = []
        self._server: subprocess.Popen[bytes] | Forked | None = None
        self._commands: socket.socket | None = None
        self._events: Connection | None = None
        self._server_ready = False
        self._server_heard = False
        self._server_silent = 0.0
        self._statuses: dict[int, int] = {}
        self._unborn: deque[Worker] = deque()  # asked of the fork server, in order
        self._deaths = 0
        self._spawn_at = 0.0
        self._closing = False
        self._dropping = False
        self._broken: Exception | None = None
        self._any_ready = threading.Event()
        self._wake, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._thread = threading.Thread(target=self._supervise, daemon=True, name="crew")
        if start_method is None and may_fork():  # now, before there is another thread
            with contextlib.suppress(OSError):
                self._fork_server()
        try:
            self._thread.start()
        except RuntimeError as error:
            raise CrewLost(refusal(str(error))) from None

    # What a user of the crew calls.

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a task. `fn` must be a function of a module.

        Raises:
            CrewLost: the crew has given up.
            RuntimeError: it has been shut down.
        """
        if kwargs:
            raise TypeError("a crew's tasks take positional arguments only")
        task = Task(worker_code.ready(fn, *args))
        with self._lock:
            if self._broken is not None:
                raise self._broken
            if self._closing:
                raise RuntimeError("the crew has been shut down")
            self._queue.append(task)
        self._nudge()
        return task

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes; with `cancel_futures` at once, else after the tasks that are queued."""
        with self._lock:
            self._closing = True
            self._dropping = self._dropping or cancel_futures
        self._nudge()
        if wait:
            self._thread.join()

    @property
    def is_ready(self) -> bool:
        """Whether a worker has ever been ready, or none ever will be."""
        return self._any_ready.is_set()

    @property
    def usable(self) -> bool:
        """Whether it takes tasks."""
        return not self._closing and self._broken is None

    @property
    def trouble(self) -> str | None:
        """Why the system refuses to start more workers than there are; None if it does not, or if there are none."""
        return self._refused if any(worker.ready for worker in list(self._workers)) else None

    # The supervising thread.

    def _supervise(self) -> None:
        # The processes that this thread starts inherit this, until they ignore these signals themselves.
        signal.pthread_sigmask(signal.SIG_BLOCK, worker_code.ignored())
        try:
            while not self._finished():
                self._spawn()
                self._dispatch()
                watching = self._waits_for_server or any(self._watches(worker) for worker in self._workers)
                pause = self._pulse if watching else None
                if len(self._workers) < self._size and not self._waits_for_server:
                    pause = min(self._pulse, max(0.0, self._spawn_at - time.monotonic()))
                sources: list[Any] = [self._wake, *(worker.connection for worker in self._workers)]
                if self._events is not None:
                    sources.append(self._events)
                for source in wait(sources, pause):
                    self._hear(source)
                self._watch()
        except Exception as error:
            self._give_up(CrewLost(f"the crew failed: {type(error).__name__}: {error}"))
        finally:
            self._end()

    @property
    def _waits_for_server(self) -> bool:
        return self._server is not None and not self._server_ready

    def _finished(self) -> bool:
        with self._lock:
            if self._broken is not None:
                return True
            busy = bool(self._queue) or any(worker.tasks for worker in self._workers)
            return self._closing and (self._dropping or not busy)

    def _hear(self, source: Any) -> None:
        if source is self._wake:
            self._wake.recv(1 << 12)
            return
        if source is self._events:
            self._hear_server()
            return
        worker = next((worker for worker in self._workers if worker.connection is source), None)
        if worker is None:
            return
        try:
            kind, value = worker.connection.recv()
        except (EOFError, OSError):
            self._reap(worker)
            return
        worker.heard, worker.silent = True, 0.0
        if kind == "alive":
            return
        if kind == "refused":
            worker.refused = value
        elif kind == "ready":
            worker.ready = True
            self._any_ready.set()
        elif kind == "failed":
            self._give_up(value)
        else:
            self._deaths = 0
            with self._lock:
                task = worker.tasks.popleft()
                self._start_next(worker)
            if not task.cancelled():
                task.set_result(value) if kind else task.set_exception(value)

    def _hear_server(self) -> None:
        if self._events is None or not self._events.poll():
            return  # heard already, while a worker was buried
        try:
            kind, value = self._events.recv()
        except (EOFError, OSError):
            self._drop_server()
            self._count_death()
            return
        self._server_heard, self._server_silent = True, 0.0
        if kind == "ready":
            self._server_ready = True
        elif kind == "failed":
            self._give_up(value)
        elif kind == "born":
            worker = self._unborn.popleft()
            worker.pid = value
            if worker.doomed:
                worker.kill()
        elif kind == "refused":
            if self._unborn:
                self._unborn.popleft().refused = value
            else:  # a thread of its own
                self._drop_server()
                self._count_death(value)
        elif kind == "died":
            self._statuses[value[0]] = value[1]

    @staticmethod
    def _watches(worker: Worker) -> bool:
        return bool(worker.tasks) or not worker.ready

    def _watch(self) -> None:
        """Kill what has been silent for too long.

        Silence counts in steps of at most one pulse: when this process was itself stopped, all have been silent.
        """
        now = time.monotonic()
        step = min(now - self._watched, self._pulse)
        self._watched = now
        for worker in self._workers:
            worker.silent = worker.silent + step if self._watches(worker) else 0.0
            if worker.silent > self._patience(worker.heard) and not worker.doomed:
                worker.kill()
        if self._server is not None:
            self._server_silent += step if self._unborn or not self._server_ready else 0.0
            if self._server_silent > self._patience(self._server_heard):
                self._drop_server()
                self._count_death()

    def _patience(self, heard: bool) -> float:
        return self._silence + (0.0 if heard else START)

    def _spawn(self) -> None:
        if time.monotonic() < self._spawn_at:
            return
        if self._method == "forkserver" and self._server is None:
            try:
                self._start_server()
            except OSError as error:
                self._count_death(error.strerror)
                return
        if self._waits_for_server:
            return
        while len(self._workers) < self._size:
            ours, theirs = self._socketpair()
            process = None
            try:
                if self._method == "forkserver":
                    assert self._commands is not None
                    socket.send_fds(self._commands, [b"f"], [theirs.fileno()])
                else:
                    process = _start(worker_code.command("serve", self._pulse, theirs.fileno()), theirs.fileno())
            except OSError as error:
                ours.close()
                self._count_death(None if self._method == "forkserver" else error.strerror)
                return
            finally:
                theirs.close()
            connection: Connection = Connection(ours.detach())
            worker = Worker(connection, process, process.pid if process else None)
            self._workers.append(worker)
            if process is None:
                self._unborn.append(worker)
            else:
                _send(worker, self._prepare)

    def _fork_server(self) -> None:
        """Fork the fork server from this process, which has all that it needs. If it dies, the next is a fresh
        interpreter: by then there are threads."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()

        def fork(commands: int, events: int) -> Forked:
            parent = os.getpid()
            signal.pthread_sigmask(signal.SIG_BLOCK, worker_code.ignored())
            gc.freeze()  # a collection would write on every page that the two share
            try:
                pid = os.fork()
                if pid == 0:
                    worker_code.be_forked(parent, self._pulse, commands, events)
            finally:
                gc.unfreeze()
                signal.pthread_sigmask(signal.SIG_UNBLOCK, worker_code.ignored())
            return Forked(pid)

        self._connect_server(fork)

    def _start_server(self) -> None:
        self._connect_server(lambda *handles: _start(worker_code.command("fork", self._pulse, *handles), *handles))

    def _connect_server(self, start: Callable[[int, int], "subprocess.Popen[bytes] | Forked"]) -> None:
        commands, their_commands = self._socketpair()
        events, their_events = self._socketpair()
        try:
            self._server = start(their_commands.fileno(), their_events.fileno())
        except OSError:
            commands.close()
            events.close()
            raise
        finally:
            their_commands.close()
            their_events.close()
        self._server_heard, self._server_silent = False, 0.0
        self._commands, self._events = commands, Connection(events.detach())
        with contextlib.suppress(OSError):
            self._events.send_bytes(self._prepare)

    def _drop_server(self) -> None:
        self._server_ready = False
        if self._commands is not None:
            self._commands.close()
        if self._events is not None:
            self._events.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._server = self._commands = self._events = None
        self._unborn.clear()

    def _dispatch(self) -> None:
        """Give waiting tasks to workers, the idle ones first."""
        given: list[tuple[Worker, Task]] = []
        with self._lock:
            for full in range(AHEAD):
                for worker in self._workers:
                    if worker.ready and len(worker.tasks) == full and self._queue:
                        task = self._queue.popleft()
                        if task.cancelled():
                            continue
                        worker.tasks.append(task)
                        if full == 0:
                            self._start_next(worker)
                        given.append((worker, task))
        for worker, task in given:
            _send(worker, task.payload)

    def _start_next(self, worker: Worker) -> None:
        if worker.tasks:
            task = worker.tasks[0]
            task.stop = worker.kill
            task.begin()

    def _reap(self, worker: Worker) -> None:
        """A worker has ended: its running task is lost, the one it had not begun is not."""
        worker.connection.close()
        wanted = worker.doomed
        status = self._status_of(worker)
        if not wanted:
            self._count_death(worker.refused)
        with self._lock:
            self._workers.remove(worker)
            tasks = [task for task in worker.tasks if not task.cancelled()]
            running = next((task for task in tasks if task.running()), None)
            self._queue.extendleft(reversed([task for task in tasks if task is not running]))
        if running is not None:
            crashed = status is not None and -status in _CRASHES
            how = "" if status is None else f" ({signal.Signals(-status).name})" if status < 0 else f" (exit {status})"
            if worker.silent > self._silence:
                how = f": no sign of life for {self._silence:g} s"
            running.set_exception(WorkerLost(f"worker {worker.pid} was lost{how}", blame=crashed))

    def _status_of(self, worker: Worker) -> int | None:
        """The exit status of a worker whose connection has ended; None if nobody knows."""
        worker.kill()  # it may have closed its connection and hang
        if worker.process is not None:
            return worker.process.wait()
        until = time.monotonic() + 1
        while worker.refused is None and worker.pid not in self._statuses:
            events = self._events
            if events is None or not wait([events], max(0.0, until - time.monotonic())):
                return None
            self._hear_server()
            worker.kill()
        return None if worker.pid is None else self._statuses.pop(worker.pid, None)

    def _count_death(self, refused: str | None = None) -> None:
        """A process has ended or, if `refused` says why, could not be started: no bad sign where others could."""
        others = any(worker.heard and worker.refused is None for worker in self._workers)
        self._deaths += not (refused and others)
        self._refused = refusal(refused) if refused else None
        if self._deaths >= PATIENCE + self._size:
            self._give_up(CrewLost(self._refused or f"workers cannot be kept alive: {self._deaths} died in a row"))
        # At once after the first death, then ever more slowly; what is refused may be had in a while.
        pause = 0.25 if refused else min(0.5, 0.02 * (2 ** min(10, self._deaths) - 2))
        self._spawn_at = time.monotonic() + pause

    def _give_up(self, why: Exception) -> None:
        with self._lock:
            self._broken = self._broken or why
        self._any_ready.set()

    def _end(self) -> None:
        for worker in self._workers:
            worker.kill()
            if worker.process is not None:
                worker.process.wait()
            elif worker.pid is not None:
                wait([worker.connection], 2)  # ends when the process does
            worker.connection.close()
        self._drop_server()
        with self._lock:
            self._closing = True
            left = [*self._queue, *(task for worker in self._workers for task in worker.tasks)]
            self._queue.clear()
            self._workers.clear()
        for task in left:
            if self._broken is None and not task.running() and task.cancel():
                continue
            if not task.done():
                task.set_exception(self._broken or WorkerLost("the crew has been shut down", blame=False))
        self._wake.close()
        self._waker.close()
        self._any_ready.set()

    def _socketpair(self) -> tuple[socket.socket, socket.socket]:
        """Two connected sockets; the crew's own gives up when the other side stands still within a message."""
        ours, theirs = socket.socketpair()
        fraction, seconds = math.modf(self._silence)
        for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            ours.setsockopt(socket.SOL_SOCKET, way, struct.pack("ll", int(seconds), int(1e6 * fraction)))
        return ours, theirs

    def _nudge(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._waker.send(b"x")


def refusal(why: str | None) -> str:
    """Say why there is no further process or thread, and what to do."""
    return (
        f"the system refuses to start another worker ({why}): ask for fewer with --workers, or raise the limit of"
        " processes (ulimit -u, pids.max of the container, TasksMax of the service)"
    )


def _send(worker: Worker, message: bytes) -> None:
    """Send to a worker; one that takes nothing is lost, which shows as the end of its connection."""
    try:
        worker.connection.send_bytes(message)
    except OSError:
        worker.kill()


def _start(command: list[str], *handles: int) -> subprocess.Popen[bytes]:
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        command,
        pass_fds=handles,
        process_group=0,  # Ctrl-C goes to the terminal's group: the coordinator decides
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=os.environ | threads,
    )
