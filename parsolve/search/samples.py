"""Samples: the course of a search, at roughly equal intervals, for charts."""

from collections.abc import Sequence
from typing import NamedTuple

INTERVAL = 0.25
"""Seconds between two samples at first."""

MOST = 200
"""Maximum number of samples: when there are more, every second one is dropped, and the interval is doubled."""


class Sample(NamedTuple):
    """The state of a search at one moment.

    Attributes:
        seconds: seconds of searching, in all runs.
        nodes: states visited, in all limits and runs.
        limit: limit of the running iteration.
        share: the finished share of its tree.
        busy: number of workers with a task.
    """

    seconds: float
    nodes: int
    limit: int
    share: float
    busy: int


class Samples:
    """Takes samples of a search.

    Args:
        earlier: samples of earlier runs.

    Attributes:
        taken: at most `MOST` samples, by their seconds.
    """

    def __init__(self, earlier: Sequence[Sample] = ()) -> None:
        self.taken = [*earlier]
        last = earlier[-1].seconds if earlier else 0.0
        self._interval = max(INTERVAL, last / MOST)
        self._next = last + self._interval

    def due(self, seconds: float) -> bool:
        """Return whether the next sample is due after these seconds of searching."""
        return seconds >= self._next

    def add(self, sample: Sample) -> None:
        """Add a sample."""
        self.taken.append(sample)
        if len(self.taken) > MOST:
            del self.taken[::2]
            self._interval *= 2
        self._next = sample.seconds + self._interval
