"""The processes of a pool: as many workers as are wanted, watched for signs of life."""

import time
from typing import Any

from .handles import ServerHandle, WorkerHandle, start_worker
from .start import StartMethod

EARLY = 64
"""Workers that are asked of a fork server before it is prepared: it forks these without further messages. More would
fill the connection."""

PULSE = 1.0
"""Seconds between two signs of life; less where a shorter silence is noticed."""

START = 60.0
"""Seconds more for a process that has only been started: it has to load Python and what it is to prepare."""


class Processes:
    """The workers of a pool, and the fork server that they come from, if there is one.

    Args:
        size: how many workers.
        prepare: the call that prepares a worker, or the fork server of all.
        method: how they are started.
        name: how the system's tools show them.
        silence: seconds without a sign of life after which one is taken to hang.

    Attributes:
        workers: all that have been started and have not been removed.
        server: None while no fork server runs.
        pulse: seconds between two signs of life.
    """

    def __init__(self, size: int, prepare: bytes, method: StartMethod, name: str, silence: float) -> None:
        self.workers: list[WorkerHandle] = []
        self.server: ServerHandle | None = None
        self.pulse = min(PULSE, silence / 5)
        self._size = size
        self._prepare = prepare
        self._method = method
        self._name = name
        self._silence = silence
        self._watched = time.monotonic()

    @property
    def missing(self) -> int:
        """How many workers can be started now."""
        preparing = self.server is not None and not self.server.ready
        return (min(self._size, EARLY) if preparing else self._size) - len(self.workers)

    @property
    def watched(self) -> bool:
        """Whether any process owes signs of life."""
        return any(worker.watched for worker in self.workers) or (self.server is not None and self.server.watched)

    @property
    def sources(self) -> list[Any]:
        """What can be read when a process has something to say, or has ended."""
        sources = [worker.connection for worker in self.workers]
        return sources if self.server is None else [*sources, self.server.events]

    def spawn(self) -> None:
        """Start the workers that are missing, or ask the fork server for them.

        Raises:
            EOFError: the fork server has ended.
            OSError: the system refuses.
        """
        if self._method == "forkserver" and self.server is None:
            self.start_server(fork=False)
        while self.missing > 0:
            if self.server is not None:
                self.workers.append(self.server.ask())
            else:
                self.workers.append(start_worker(self._name, self.pulse, self._silence, self._prepare))

    def start_server(self, fork: bool) -> None:
        """Start the fork server.

        Args:
            fork: whether it is forked from this process. If it dies, the next is a fresh interpreter: by then there are
                threads.

        Raises:
            OSError: the system refuses.
        """
        self.server = ServerHandle(self._name, self.pulse, self._silence, self._prepare, fork)

    def close_server(self) -> None:
        """End the fork server, if there is one."""
        if self.server is not None:
            self.server.close()
            self.server = None

    def kill_silent(self) -> bool:
        """Kill what has been silent for too long; return whether the fork server has.

        Silence counts in steps of at most one pulse: when this process was itself stopped, all have been silent.
        """
        now = time.monotonic()
        step = min(now - self._watched, self.pulse)
        self._watched = now
        for worker in self.workers:
            # One whose pid is not known yet is owed by its server.
            worker.silent = worker.silent + step if worker.watched and worker.pid is not None else 0.0
            if worker.silent > self._patience(worker.heard) and not worker.doomed:
                worker.kill()
        if self.server is None:
            return False
        self.server.silent = self.server.silent + step if self.server.watched else 0.0
        if self.server.silent <= self._patience(self.server.heard):
            return False
        self.close_server()
        return True

    def _patience(self, heard: bool) -> float:
        return self._silence + (0.0 if heard else START)
