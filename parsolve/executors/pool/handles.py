"""A worker process and a fork server as their pool sees them."""

import contextlib
import os
import signal
import socket
import subprocess
from collections import deque
from multiprocessing.connection import Connection
from typing import Any

from .messages import socket_pair
from .start import Forked, Settings, fork_server, start_interpreter
from .tasks import PoolTask


class Handle:
    """A process as its pool sees it.

    Attributes:
        connection: brings its messages.
        ready: whether it is prepared.
        heard: whether it has ever given a sign of life.
        silent: seconds since its last sign of life was due, by the clock of a running pool.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.ready = self.heard = False
        self.silent = 0.0

    def fileno(self) -> int:
        """Return the connection's handle, so that the pool can wait for it."""
        return self.connection.fileno()

    def receive(self) -> tuple[Any, Any]:
        """Return the next message.

        Raises:
            EOFError, OSError: the process has ended.
        """
        kind, value = self.connection.recv()
        self.heard, self.silent = True, 0.0
        if kind == "ready":
            self.ready = True
        return kind, value


class WorkerHandle(Handle):
    """A worker process as its pool sees it.

    Attributes:
        process: None if a fork server has started it.
        server: the fork server that starts it; None for a fresh interpreter.
        pid: None until the fork server has sent it.
        doomed: whether it was killed, or will be as soon as its pid is known.
        refused: why the system does not let it start; None if it does.
        task: the one that it runs; None if it is idle.
    """

    def __init__(
        self,
        connection: Connection,
        process: "subprocess.Popen[bytes] | None" = None,
        server: "ServerHandle | None" = None,
    ) -> None:
        super().__init__(connection)
        self.process, self.server = process, server
        self.pid = None if process is None else process.pid
        self.doomed = False
        self.refused: str | None = None
        self.task: PoolTask | None = None

    @property
    def watched(self) -> bool:
        """Whether it owes signs of life; before its pid is known, its server owes them."""
        return self.pid is not None

    def send(self, message: bytes) -> None:
        """Send a task or the preparing call; if that fails, the worker is lost: its connection ends."""
        try:
            self.connection.send_bytes(message)
        except OSError:
            self.kill()

    def kill(self) -> None:
        """SIGKILL, or as soon as the pid is known; harmless if the process is gone."""
        self.doomed = True
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class ServerHandle(Handle):
    """A fork server as its pool sees it, forked from this process or a fresh interpreter.

    Attributes:
        unborn: the requested workers that do not exist yet, in order.
        statuses: how its workers have ended, by pid.
    """

    def __init__(self, settings: Settings, fork: bool) -> None:
        self.unborn: deque[WorkerHandle] = deque()
        self.statuses: dict[int, int] = {}
        self._silence = settings.silence
        self._process: subprocess.Popen[bytes] | Forked
        with (
            socket_pair(settings.silence) as (self._commands, commands),
            socket_pair(settings.silence) as (near_end, events),
        ):
            if fork:
                self._process = fork_server(settings, commands.fileno(), events.fileno())
            else:
                self._process = start_interpreter("server", settings, commands.fileno(), events.fileno())
        super().__init__(Connection(near_end.detach()))
        with contextlib.suppress(OSError):  # it has ended already; its connection shows that
            self.connection.send_bytes(settings.prepare)

    @property
    def watched(self) -> bool:
        """Whether it owes signs of life."""
        return bool(self.unborn) or not self.ready

    def ask(self) -> WorkerHandle:
        """Ask for a worker.

        Raises:
            EOFError: the server has ended, or has not responded for long.
            OSError: the system refuses another connection.
        """
        with socket_pair(self._silence) as (near_end, far_end):
            try:
                socket.send_fds(self._commands, [b"f"], [far_end.fileno()])
            except OSError as error:
                raise EOFError from error
        worker = WorkerHandle(Connection(near_end.detach()), server=self)
        self.unborn.append(worker)
        return worker

    def receive(self) -> tuple[Any, Any]:
        kind, value = super().receive()
        if kind == "born":
            worker = self.unborn.popleft()
            worker.pid = value
            if worker.doomed:
                worker.kill()
        elif kind == "died":
            pid, status = value
            self.statuses[pid] = status
        elif kind == "refused" and self.ready:
            self.unborn.popleft().refused = value
        return kind, value

    def close(self) -> None:
        """End the server, and with it the requested workers that do not exist yet."""
        self._commands.close()
        self.connection.close()
        self._process.kill()
        self._process.wait()
        for worker in self.unborn:
            worker.doomed = True
        self.unborn.clear()


def start_worker(settings: Settings) -> WorkerHandle:
    """Start a worker as a fresh interpreter."""
    with socket_pair(settings.silence) as (near_end, far_end):
        process = start_interpreter("worker", settings, far_end.fileno())
    worker = WorkerHandle(Connection(near_end.detach()), process)
    worker.send(settings.prepare)
    return worker
