"""A dask cluster of processes on this machine, for measurements and torture."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

Process = subprocess.Popen[bytes]


def _start(*words: str, **variables: str) -> Process:
    command = [sys.executable, "-m", *words]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, env=os.environ | variables, stdin=nothing, stdout=nothing, stderr=nothing)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Cluster:
    """A scheduler, and workers of one process each.

    Attributes:
        port: of the scheduler.
        scheduler: None before it is started.
        workers: those that were started.
    """

    port: int = field(default_factory=_free_port)
    scheduler: Process | None = None
    workers: list[Process] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        """Start the scheduler, and wait until it answers."""
        words = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show")
        self.scheduler = _start("distributed.cli.dask_scheduler", *words)
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.1)
        raise SystemExit("the scheduler does not start")

    def start_worker(self) -> None:
        """Start a worker."""
        words = (self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "10s")
        self.workers.append(_start("distributed.cli.dask_worker", *words, PARSOLVE_WORKERS="1"))

    def stop(self) -> None:
        """End everything."""
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()


@contextlib.contextmanager
def running(workers: int) -> Iterator[Cluster]:
    """Run a cluster."""
    cluster = Cluster()
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.stop()
