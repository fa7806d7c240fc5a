"""What has come of a batch of searches, for the line at its end."""

import time
from collections import Counter

from parsolve.text import clock, plural

KINDS = {"none": "without a solution"}
"""What a status is called beside a number, where that is not its name."""


class Tally:
    """Counts the searches of a batch, by what came of them, and sums what they took.

    Args:
        noun: what is searched, such as `row`.

    Attributes:
        done: searches by status: that of a result, or `failed`.
        nodes: states visited by all of them.
        seconds: of the searches alone, kernels and tables ready.
    """

    def __init__(self, noun: str) -> None:
        self._noun, self._began = noun, time.monotonic()
        self.done: Counter[str] = Counter()
        self.nodes, self.seconds = 0, 0.0

    def add(self, status: str, nodes: int = 0, seconds: float = 0.0) -> None:
        """Count a search, and what it took."""
        self.done[status] += 1
        self.nodes += nodes
        self.seconds += seconds

    @property
    def wall_seconds(self) -> float:
        """Seconds that have passed since the batch began."""
        return time.monotonic() - self._began

    @property
    def number(self) -> int:
        """How many searches there were."""
        return self.done.total()

    @property
    def searches(self) -> str:
        """How many searches there were, by what came of them: `3 rows (2 solved, 1 failed)`."""
        if not self.done:
            return f"no {self._noun}"
        kinds = ", ".join(f"{number:,} {KINDS.get(status, status)}" for status, number in self.done.items())
        return f"{plural(self.number, self._noun)} ({kinds})"

    @property
    def effort(self) -> str:
        """What they took: nodes, the time of the searches, and the time that has passed."""
        return f"{plural(self.nodes, 'node')}, {self.seconds:.3f} s of search, {clock(self.wall_seconds)} in all"

    def as_event(self) -> dict[str, float]:
        """Return it as the members of an event in the log."""
        wall = round(self.wall_seconds, 6)
        return {**self.done, "nodes": self.nodes, "seconds": self.seconds, "wall_seconds": wall}
