"""How often a pool's processes may end before it gives up, and how long it waits before it starts others."""

import time

from .errors import PoolBroken

PATIENCE = 20
"""The pool gives up after this many deaths in a row, and one more for each worker, with no task finished in between."""


class Deaths:
    """Deaths and failed starts of a pool's processes since a task was last finished.

    Attributes:
        count: their number.
        refused: why the system refused the last start; None if it did not.
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
        """Reset: a task has been finished."""
        self.count = 0

    def add(self, refused: str | None, others: bool) -> PoolBroken | None:
        """Count a process, and return the pool's error if it gives up.

        Args:
            refused: why the system refused to start it; None if it started and ended.
            others: whether other processes could be started: then a refusal is not a bad sign.
        """
        self.refused = refused
        self.count += not (refused and others)
        # At once after the first death, then more and more slowly; a refused start may succeed later.
        pause = 0.25 if refused else min(0.5, 0.02 * (2 ** min(10, self.count) - 2))
        self._spawn_at = time.monotonic() + pause
        if self.count < PATIENCE + self._size:
            return None
        if refused:
            return PoolBroken(f"the system refuses to start another worker process: {refused}", refused)
        return PoolBroken(f"workers cannot be kept alive: {self.count} died in a row")
