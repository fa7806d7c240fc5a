"""What goes wrong with worker processes.

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
    """A worker process ended before its task did; the pool starts another.

    Attributes:
        blame: True if the worker died of its own work (such as a segmentation fault), False if it was ended from
            outside (SIGKILL, SIGTERM).
    """

    def __init__(self, text: str, blame: bool = True) -> None:
        super().__init__(text, blame)
        self.text, self.blame = text, blame

    def __str__(self) -> str:
        return self.text
