"""Worker processes behind the interface of `concurrent.futures.Executor`; it imports nothing of parsolve.

    ProcessPool ─▶ TaskQueue ─▶ Supervisor (a thread) ══one connection a worker══▶ worker process
      pool.py       tasks.py      supervise.py  │                                    worker.py
                                                └─▶ Processes: from a fork server, or fresh interpreters
                                                    processes.py, handles.py             worker.py, start.py

Why not `concurrent.futures.ProcessPoolExecutor`: there a killed worker breaks the whole pool, which may hang, and the
user's main module is imported. Here a killed worker loses its running task and nothing else, and `cancel()` on a
running task kills its worker.

A worker says every second that it is alive, from a thread of its own. One that is silent for long is killed. One that
computes is waited for, however long that takes.

What goes wrong with worker processes:

    concurrent.futures.BrokenExecutor
      ├─ PoolBroken   the pool has given up: it takes no further task
      └─ WorkerLost   one task is lost with its worker: the pool goes on
"""

from concurrent.futures import BrokenExecutor


class PoolBroken(BrokenExecutor):
    """Workers cannot be started, or die faster than they finish anything.

    Attributes:
        refused: why the system refuses another process or thread; None if it does not.
    """

    def __init__(self, text: str, refused: str | None = None) -> None:
        super().__init__(text, refused)
        self.text, self.refused = text, refused

    def __str__(self) -> str:
        return self.text


class WorkerLost(BrokenExecutor):
    """A worker process ended before its task did, and the pool starts another; or it sent a result that is unreadable.

    Attributes:
        blame: False if the worker was ended from outside (SIGKILL, SIGTERM), True if its own work is the cause (such as
            a segmentation fault).
    """

    def __init__(self, text: str, blame: bool = True) -> None:
        super().__init__(text, blame)
        self.text, self.blame = text, blame

    def __str__(self) -> str:
        return self.text
