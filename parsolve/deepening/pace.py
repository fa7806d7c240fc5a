"""Pace: the node rate of a search, which sizes its slices."""

from dataclasses import dataclass

from parsolve.search.tuning import DEFAULT


@dataclass
class Pace:
    """The node rate of a search so far; carried from one iteration to the next.

    Attributes:
        fixed: fixed number of nodes of every slice; None to choose it by the rate.
        first: nodes of a slice before anything has been measured.
        nodes, seconds: totals over the slices so far; recent slices weigh most.
    """

    fixed: int | None = None
    first: int = DEFAULT.first_budget
    nodes: float = 0.0
    seconds: float = 0.0

    def budget(self, seconds: float) -> int:
        """Return the nodes that take about `seconds`."""
        return self.fixed or (max(1, int(self.nodes / self.seconds * seconds)) if self.seconds else self.first)

    def learn(self, nodes: int, seconds: float) -> None:
        """Take a slice into account. Fading sums are kept, not a mean of rates: a short slice tells little."""
        self.nodes = 0.8 * self.nodes + nodes
        self.seconds = 0.8 * self.seconds + seconds
