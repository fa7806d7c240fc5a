"""The processes of a pool: as many workers as are wanted, watched for signs of life."""

import time

from .handles import ServerHandle, WorkerHandle, start_worker
from .start import Settings, has_server

START = 60.0
"""Extra seconds for a process that is still starting: it has to load Python and run its preparing call."""


class Processes:
    """The workers of a pool, and the fork server that they come from, if there is one.

    Attributes:
        size: number of workers that the pool should have.
        settings: settings of the workers and of the fork server.
        workers: all workers that have been started and not removed.
        has_server: whether a fork server starts the workers.
        server: None while it does not run.
    """

    def __init__(self, size: int, settings: Settings) -> None:
        self.size, self.settings = size, settings
        self.workers: list[WorkerHandle] = []
        self.server: ServerHandle | None = None
        self.has_server = has_server()
        self._watched = time.monotonic()

    @property
    def all(self) -> list[WorkerHandle | ServerHandle]:
        """The workers, and the fork server if there is one."""
        return [*self.workers, *([self.server] if self.server else [])]

    @property
    def missing(self) -> int:
        """How many workers can be started now: none until the fork server is ready."""
        preparing = self.server is not None and not self.server.ready
        return 0 if preparing else self.size - len(self.workers)

    def spawn(self) -> None:
        """Start the missing workers, or request them from the fork server.

        Raises:
            EOFError: the fork server has ended.
            OSError: the system refuses a process; so does `start_server`.
        """
        if self.has_server and self.server is None:
            self.start_server(fork=False)
        while self.missing > 0:
            if self.server is not None:
                self.workers.append(self.server.ask())
            else:
                self.workers.append(start_worker(self.settings))

    def start_server(self, fork: bool) -> None:
        """Start the fork server, forked from this process or as a fresh interpreter. If it dies, the next one is a
        fresh interpreter: by then there are threads."""
        self.server = ServerHandle(self.settings, fork)

    def close_server(self) -> None:
        """End the fork server, if there is one."""
        if self.server is not None:
            self.server.close()
            self.server = None

    def kill_silent(self) -> bool:
        """Kill processes that have been silent for too long; return whether the fork server was one.

        Silence counts in steps of at most one pulse: if this process was itself stopped, all have been silent.
        """
        now = time.monotonic()
        step = min(now - self._watched, self.settings.pulse)
        self._watched = now
        server = self.server
        for process in self.all:
            process.silent = process.silent + step if process.watched else 0.0
            if process.silent > self.settings.silence + (0.0 if process.heard else START):
                if isinstance(process, WorkerHandle):
                    process.kill()
                else:
                    self.close_server()
        return self.server is not server
