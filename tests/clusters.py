"""Dask clusters on the loopback for tests: a real scheduler, and workers that are killed, suspended and added."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import psutil
import pytest
from at_once import AT_ONCE
from heard import Heard

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'parsolve[dask]'")

QUICK = replace(AT_ONCE, machine_seconds=0.2, machine_short=0.05, machine_silence=3.0)
"""Machines are used at once, their tasks are short, and one that is silent is soon given up."""

IDLE = "120s"
"""After which a scheduler ends that its tests have left behind, and its workers with it."""


DETACHED = """
import subprocess, sys
nothing = subprocess.DEVNULL
print(subprocess.Popen(sys.argv[1:], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True).pid)
"""


def detached(*words: str, **variables: str) -> int:
    """Start a process that is nobody's child, so that no test takes it for its own; return its id."""
    command = [sys.executable, "-c", DETACHED, sys.executable, "-m", *words]
    return int(subprocess.run(command, env=os.environ | variables, capture_output=True, check=True).stdout)


def free_port() -> int:
    """Return a port that nobody uses just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _is_alive(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own with one process that searches."""

    port: int = field(default_factory=free_port)
    scheduler: int = 0
    workers: list[int] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the scheduler."""
        words = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.scheduler = detached(*words, "--no-dashboard", "--no-show", "--idle-timeout", IDLE)

    def add_worker(self) -> None:
        """Start a worker."""
        words = ("distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.workers.append(detached(*words, "--death-timeout", "20s", PARSOLVE_WORKERS="1"))

    @contextlib.contextmanager
    def client(self) -> Iterator[Any]:
        """Connect, and wait for all workers."""
        with distributed.Client(self.address, timeout=30, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=60)
            yield client

    def kill(self) -> None:
        """Kill a worker, the newest."""
        os.kill(self.workers.pop(), signal.SIGKILL)

    def forget_dead(self) -> None:
        """Leave out workers that have ended."""
        self.workers = [pid for pid in self.workers if _is_alive(pid)]

    def kill_all(self, client: Any) -> None:
        """Kill all workers, and wait until the scheduler knows."""
        while self.workers:
            self.kill()
        while client.scheduler_info(n_workers=-1)["workers"]:
            time.sleep(0.02)

    def stop(self) -> None:
        """End everything."""
        for pid in (*self.workers, self.scheduler):
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                for each in (*process.children(recursive=True), process):
                    each.kill()


@contextlib.contextmanager
def running(workers: int) -> Iterator[Cluster]:
    """Run a cluster."""
    cluster = Cluster()
    try:
        cluster.start()
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.stop()


class Machinery(Heard):
    """Makes something happen in the middle of a search.

    Args:
        events: what to call, one after the other: each once so many nodes more have been visited.
        nodes: so many.
        client: of a cluster; nothing happens before all its workers have tasks. By default it does not matter.
    """

    def __init__(self, *events: Any, nodes: int = 1_000_000, client: Any = None) -> None:
        super().__init__()
        self.events, self.nodes, self.next = list(events), nodes, nodes
        self.client = client

    def progress_made(self, progress: Any) -> None:
        if self.events and progress.nodes > self.next and self._all_busy():
            self.next = progress.nodes + self.nodes
            self.events.pop(0)()

    def _all_busy(self) -> bool:
        return self.client is None or all(self.client.processing().values())
