"""How far an iteration is: the share of its tree that is finished.

Plain shares, where each row of a block counts the same, predict iterative deepening badly: they showed 0.5 at
a tenth of the work. The node counts of the iteration before, by prefix, weigh the rows right.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from parsolve.engine.branch import Branch


@dataclass
class Prefix:
    """Nodes searched below a prefix of moves, and below each longer prefix that was ever a branch's own."""

    nodes: int = 0
    below: "dict[int, Prefix]" = field(default_factory=dict)

    def add(self, path: Iterable[int], nodes: int) -> None:
        """Count nodes searched below `path`."""
        here = self
        here.nodes += nodes
        for move in path:
            here = here.below.setdefault(move, Prefix())
            here.nodes += nodes

    def share(self, branch: Branch) -> float:
        """The share of the whole tree that a branch holds, judged by these counts."""
        here: Prefix | None = self
        share, total = 1.0, 0.0
        for level, (moves, size) in enumerate(zip(branch.pending, branch.sizes, strict=True)):
            if level == 0:
                if moves:
                    return 1.0
                continue
            counts = here.below if here is not None else {}
            # One is added to each row: those that the iteration before did not have are not worth nothing.
            whole = sum(prefix.nodes for prefix in counts.values()) + size
            for move in moves:
                total += share * (1 + (counts[move].nodes if move in counts else 0)) / whole
            if level < len(branch.path):
                move = branch.path[level]
                share *= (1 + (counts[move].nodes if move in counts else 0)) / whole
                here = counts.get(move)
        return total


def prefix_of(branch: Branch) -> tuple[int, ...]:
    """The path, without the root, to the parent of a branch's shallowest rows, or to the row if it is alone."""
    top = next(level for level, moves in enumerate(branch.pending) if moves)
    alone = branch.rows == 1
    return (branch.path[:top] + (branch.pending[top] if alone else ()))[1:]


@dataclass
class Progress:
    """Where a search stands, for whoever shows it.

    Attributes:
        limit: the limit of the running iteration.
        share: the share of its tree that is finished, 0 to 1.
        nodes: states visited in this iteration.
        found: solutions found in this iteration.
        since: when it began, by `time.monotonic`.
    """

    limit: int
    share: float = 0.0
    nodes: int = 0
    found: int = 0
    since: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long the iteration has been running."""
        return time.monotonic() - self.since

    @property
    def left(self) -> float | None:
        """Seconds that it still needs, by its share so far; None as long as that says nothing."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0.001 else None
