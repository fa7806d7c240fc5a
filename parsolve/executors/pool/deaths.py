"""How often a pool's processes may end before it gives up, and how soon it starts others."""

import time

from .errors import PoolBroken

PATIENCE = 20
"""Deaths in a row beside one of each worker, with nothing finished in between, after which a pool gives up."""


class Deaths:
    """Processes of a pool of some size that have ended, or could not be started, since a task was last finished.

    Attributes:
        count: how many there were in a row.
        refused: why the system refused to start the last one; None if it did not.
    """

    def __init__(self, size: int) -> None:
        self.count = 0
        self.refused: str | None = None
        self._size = size
        self._spawn_at = 0.0

    @property
    def pause(self) -> float:
        """Seconds until another process may be started."""
        return max(0.0, self._spawn_at - time.monotonic())

    def forget(self) -> None:
        """Begin at none: a task has been finished."""
        self.count = 0

    def add(self, refused: str | None, others: bool) -> PoolBroken | None:
        """Count a process, and return why the pool gives up, if it does.

        Args:
            refused: why the system did not let it start; None if it was there and ended.
            others: whether there are processes that could be started: then a refusal is no bad sign.
        """
        self.refused = refused
        self.count += not (refused and others)
        # At once after the first death, then ever more slowly; what is refused may be had in a while.
        pause = 0.25 if refused else min(0.5, 0.02 * (2 ** min(10, self.count) - 2))
        self._spawn_at = time.monotonic() + pause
        if self.count < PATIENCE + self._size:
            return None
        if refused:
            return PoolBroken(f"the system refuses to start another worker process: {refused}", refused)
        return PoolBroken(f"workers cannot be kept alive: {self.count} died in a row")
