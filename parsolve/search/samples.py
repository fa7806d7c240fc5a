"""Samples: how a search went, at moments about equally far apart, for charts."""

from collections.abc import Sequence
from typing import NamedTuple

INTERVAL = 0.25
"""Seconds between two samples at first."""

MOST = 200
"""How many there are at most: then every second one goes, and the next ones are twice as far apart."""


class Sample(NamedTuple):
    """Where a search stood at one moment.

    Attributes:
        seconds: how long all has been searched, in all runs.
        nodes: states visited, in all limits and runs.
        limit: of the running iteration.
        share: of its tree that is finished.
        busy: how many workers had a task.
    """

    seconds: float
    nodes: int
    limit: int
    share: float
    busy: int


class Samples:
    """Takes samples of a search.

    Args:
        earlier: those of earlier runs.

    Attributes:
        taken: at most `MOST`, by their seconds.
    """

    def __init__(self, earlier: Sequence[Sample] = ()) -> None:
        self.taken = [*earlier]
        last = earlier[-1].seconds if earlier else 0.0
        self._interval = max(INTERVAL, last / MOST)
        self._next = last + self._interval

    def due(self, seconds: float) -> bool:
        """Return whether the next one is due after a number of seconds of searching."""
        return seconds >= self._next

    def add(self, sample: Sample) -> None:
        """Take one."""
        self.taken.append(sample)
        if len(self.taken) > MOST:
            del self.taken[::2]
            self._interval *= 2
        self._next = sample.seconds + self._interval
