"""A worker process and a fork server as their pool sees them."""

import contextlib
import os
import signal
import socket
import subprocess
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from .messages import socket_pair
from .start import Forked, fork_server, start_interpreter
from .tasks import Task


@dataclass(eq=False)
class WorkerHandle:
    """A worker process as its pool sees it.

    Attributes:
        process: None where a fork server has started it.
        server: the fork server that was asked for it; None for a fresh interpreter.
        pid: None until the fork server has sent it.
        ready: whether it takes tasks.
        heard: whether it has ever given a sign of life.
        silent: seconds since the last one, by the clock of a pool that runs; 0 while it has nothing to do.
        doomed: whether its pool wants it to end.
        refused: why the system does not let it start; None if it does.
        tasks: the one that runs, and those that it is to run next.
    """

    connection: Connection
    process: "subprocess.Popen[bytes] | None" = None
    server: "ServerHandle | None" = None
    pid: int | None = None
    ready: bool = False
    heard: bool = False
    silent: float = 0.0
    doomed: bool = False
    refused: str | None = None
    tasks: deque[Task] = field(default_factory=deque)

    @property
    def watched(self) -> bool:
        """Whether it owes signs of life."""
        return bool(self.tasks) or not self.ready

    def send(self, message: bytes) -> None:
        """Send a task, or what prepares it; if it takes nothing, it is lost: its connection ends."""
        try:
            self.connection.send_bytes(message)
        except OSError:
            self.kill()

    def receive(self) -> tuple[Any, Any]:
        """Return the next message.

        Raises:
            EOFError, OSError: the worker has ended.
        """
        kind, value = self.connection.recv()
        self.heard, self.silent = True, 0.0
        if kind == "ready":
            self.ready = True
        elif kind == "refused":
            self.refused = value
        return kind, value

    def begin_next(self) -> None:
        """Mark the first of its tasks as running."""
        if self.tasks:
            task = self.tasks[0]
            task.stop = self.kill
            task.begin()

    def kill(self) -> None:
        """SIGKILL, or as soon as the pid is known; harmless if the process is gone."""
        self.doomed = True
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class ServerHandle:
    """A fork server as its pool sees it.

    Args:
        name: how the system's tools show the processes.
        pulse: seconds between two signs of life.
        silence: seconds after which one that stands still within a message is given up.
        prepare: the call that prepares it.
        fork: whether it is forked from this process; else it is a fresh interpreter.

    Attributes:
        events: where it tells what happens.
        ready: whether it is prepared.
        heard: whether it has ever given a sign of life.
        silent: seconds since the last one that it owes.
        unborn: the workers that were asked for and are not there yet, in order.
        statuses: how its workers have ended, by pid.
        closed: whether it has been ended.

    Raises:
        OSError: the system refuses another process.
    """

    def __init__(self, name: str, pulse: float, silence: float, prepare: bytes, fork: bool) -> None:
        self.ready = self.heard = self.closed = False
        self.silent = 0.0
        self.unborn: deque[WorkerHandle] = deque()
        self.statuses: dict[int, int] = {}
        self._silence = silence
        self._commands, commands = socket_pair(silence)
        events_socket, events = socket_pair(silence)
        self._process: subprocess.Popen[bytes] | Forked
        try:
            if fork:
                self._process = fork_server(name, pulse, commands.fileno(), events.fileno())
            else:
                self._process = start_interpreter("server", name, pulse, commands.fileno(), events.fileno())
        except OSError:
            self._commands.close()
            events_socket.close()
            raise
        finally:
            commands.close()
            events.close()
        self.events: Connection = Connection(events_socket.detach())
        with contextlib.suppress(OSError):  # it has ended already, which shows as the end of its events
            self.events.send_bytes(prepare)

    @property
    def watched(self) -> bool:
        """Whether it owes signs of life."""
        return bool(self.unborn) or not self.ready

    def ask(self) -> WorkerHandle:
        """Ask for a worker.

        Raises:
            EOFError: the server has ended, or has stood still for long.
            OSError: the system refuses another connection.
        """
        near_end, far_end = socket_pair(self._silence)
        try:
            socket.send_fds(self._commands, [b"f"], [far_end.fileno()])
        except OSError as error:
            near_end.close()
            raise EOFError from error
        finally:
            far_end.close()
        worker = WorkerHandle(Connection(near_end.detach()), server=self)
        self.unborn.append(worker)
        return worker

    def receive(self) -> tuple[str, Any] | None:
        """Return the next event; None if there is none.

        Raises:
            EOFError, OSError: the server has ended.
        """
        if not self.events.poll():
            return None
        kind, value = self.events.recv()
        self.heard, self.silent = True, 0.0
        if kind == "ready":
            self.ready = True
        elif kind == "born":
            worker = self.unborn.popleft()
            worker.pid = value
            if worker.doomed:
                worker.kill()
        elif kind == "died":
            pid, status = value
            self.statuses[pid] = status
        return kind, value

    def close(self) -> None:
        """End the server, and with it the workers that are not there yet."""
        self.closed = True
        self._commands.close()
        self.events.close()
        self._process.kill()
        self._process.wait()
        for worker in self.unborn:
            worker.doomed = True
        self.unborn.clear()


def start_worker(name: str, pulse: float, silence: float, prepare: bytes) -> WorkerHandle:
    """Start a worker as a fresh interpreter; see `ServerHandle` for the arguments.

    Raises:
        OSError: the system refuses another process.
    """
    near_end, far_end = socket_pair(silence)
    try:
        process = start_interpreter("worker", name, pulse, far_end.fileno())
    except OSError:
        near_end.close()
        raise
    finally:
        far_end.close()
    worker = WorkerHandle(Connection(near_end.detach()), process, pid=process.pid)
    worker.send(prepare)
    return worker
