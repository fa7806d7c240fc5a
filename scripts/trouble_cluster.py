"""What may befall a search on a dask cluster."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
from troubles import Trouble

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from clusters import Cluster


class OnACluster(Trouble):
    """Two dask workers, which are killed and suspended; and now and then the scheduler is killed: then the command must
    say so, and the same command resumes on a new one. Some commands search on this machine alone."""

    name = "a cluster"

    def __init__(self, folder: Path, random_: random.Random, tally: "Counter[str]") -> None:
        super().__init__(folder, random_, tally)
        self._start()
        self._is_gone = False

    def _start(self) -> None:
        self._cluster = Cluster()
        self._cluster.start()
        for _ in range(2):
            self._cluster.add_worker()
        with self._cluster.client():  # which waits until all answer
            pass

    def executor(self) -> tuple[str, ...]:
        return ("--workers", "2") if self.random.random() < 0.1 else ("--dask", self._cluster.address)

    def kill(self, process: "subprocess.Popen[bytes]") -> bool:
        """Kill or suspend a worker, or kill one of its machine's own processes; or kill the scheduler."""
        chance, worker = self.random.random(), self.random.choice(self._cluster.workers)
        if chance < 0.05:
            os.kill(self._cluster.scheduler, signal.SIGKILL)
            self.tally["schedulers killed"] += 1
            process.wait(300)
            self._cluster.stop()
            self._start()
            self._is_gone = True
        elif chance < 0.4:
            self._cluster.kill()
            self._cluster.add_worker()
            self.tally["workers killed"] += 1
        elif chance < 0.5:
            os.kill(worker, signal.SIGSTOP)
            time.sleep(self.random.uniform(0.1, 2.0))
            os.kill(worker, signal.SIGCONT)
            self.tally["suspended"] += 1
        elif processes := psutil.Process(worker).children(recursive=True):
            self.random.choice(processes).kill()
            self.tally["workers killed"] += 1
        return False

    def excuses(self, code: int, error: str) -> bool:
        """Return whether the command has noticed that its scheduler was killed."""
        gone, self._is_gone = self._is_gone, False
        before = "no dask scheduler answers" in error or "its scheduler may have ended" in error
        return gone and ((code == 4 and "the same command resumes" in error) or (code == 2 and before))

    def end(self) -> None:
        self._cluster.stop()
