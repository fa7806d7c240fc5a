"""How far an iteration is: the share of its tree that is finished.

Plain shares, where each row of a block counts the same, predict iterative deepening badly: they showed 0.5 at
a tenth of the work. The node counts of the iteration before, by prefix, weigh the rows right.
"""

import heapq
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsolve.search.branch import Branch
from parsolve.search.result import Iteration

LONGEST = 16
"""Moves of a prefix that are told apart."""

MOST = 20_000
"""Prefixes that are told apart in all: memory must not grow with the search."""


@dataclass(slots=True)
class Prefix:
    """Nodes searched below a prefix of moves, and below each longer prefix that is told apart.

    Attributes:
        nodes: all of them.
        known: those below longer prefixes.
        below: the longer prefixes, by their next move.
        size: of the root alone: how many prefixes there are in all.
    """

    nodes: int = 0
    known: int = 0
    below: "dict[int, Prefix]" = field(default_factory=dict)
    size: int = 1

    def add(self, path: Sequence[int], nodes: int) -> None:
        """Count nodes searched below `path`."""
        here = self
        here.nodes += nodes
        for move in path[:LONGEST]:
            there = here.below.get(move)
            if there is None:
                if self.size >= MOST:
                    return
                self.size += 1
                there = here.below[move] = Prefix()
            here.known += nodes
            here = there
            here.nodes += nodes

    def parts(self, most: int) -> "tuple[tuple[tuple[int, ...], int], ...]":
        """Return the nodes by prefixes, about `most` of them: the greatest ones are divided first."""
        parts: list[tuple[tuple[int, ...], int]] = []
        heap: list[tuple[int, tuple[int, ...], Prefix]] = [(-self.nodes, (), self)]
        while heap:
            if len(parts) + len(heap) >= most:
                return (*parts, *((path, here.nodes) for _, path, here in heap))
            _, path, here = heapq.heappop(heap)
            if here.nodes > here.known:
                parts.append((path, here.nodes - here.known))
            for move, below in here.below.items():
                heapq.heappush(heap, (-below.nodes, (*path, move), below))
        return tuple(parts)

    def share(self, branch: Branch) -> float:
        """Return the share of the whole tree that a branch holds, judged by these counts."""
        path, pending, sizes = branch.path, branch.pending, branch.sizes
        if pending[0]:
            return 1.0
        here: Prefix | None = self
        share, total, last = 1.0, 0.0, len(path)
        for level in range(1, len(pending)):
            moves, size = pending[level], sizes[level]
            if here is None:  # of what the iteration before did not have, each row counts the same
                total += share * len(moves) / size
                share /= size
                continue
            # The nodes below this block are known, but not by row: they are divided evenly. One is added, because
            # rows that are new in this iteration have nodes too.
            each = 1 + (here.nodes - here.known) / size
            part = share / (here.known + each * size)
            below = here.below
            for move in moves:
                total += part * (each + below[move].nodes if move in below else each)
            if level < last:
                here = below.get(path[level])
                share = part * (each if here is None else each + here.nodes)
        return total


def prefix_of(branch: Branch, rest: Branch | None) -> tuple[int, ...]:
    """Return a path, without the root and no longer than is told apart, below which everything was searched that a
    slice did between `branch` and what it left of it."""
    if rest is not None:
        here, there = branch.order[:LONGEST], rest.order[:LONGEST]
        alike = 0
        for one, other in zip(here, there, strict=False):
            if one != other:
                break
            alike += 1
        return here[:alike]
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
        before: the iterations before it.
        since: when it began, by `time.monotonic`.
    """

    limit: int
    share: float = 0.0
    nodes: int = 0
    found: int = 0
    before: Sequence[Iteration] = ()
    since: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long the iteration has been running."""
        return time.monotonic() - self.since

    @property
    def growth(self) -> float | None:
        """How many times more nodes the last limit took than the one before it; None where there were not two."""
        return self.before[-1].nodes / self.before[-2].nodes if len(self.before) > 1 else None

    @property
    def expected(self) -> float | None:
        """Seconds that the iteration will take, by those before it; None where there were not two."""
        return None if self.growth is None else self.before[-1].seconds * self.growth

    @property
    def whole(self) -> float | None:
        """Nodes that the whole iteration will visit; None as long as nothing tells.

        By the growth of the limits at first, which is right within a few percent where the share done is yet wild (see
        `scripts/bench_estimate.py`), and by the share the more, the more is done.
        """
        by_share = self.nodes / self.share if self.share > 0.001 else None
        if self.growth is None or not self.nodes:
            return by_share
        by_growth = self.before[-1].nodes * self.growth
        trust = max(self.share, min(1.0, self.nodes / by_growth))
        return by_growth * math.pow((by_share or by_growth) / by_growth, trust)

    @property
    def left(self) -> float | None:
        """Seconds that the iteration still needs; None as long as nothing tells."""
        return None if self.whole is None else self.seconds * max(0.0, self.whole / self.nodes - 1)

    @property
    def left_at_most(self) -> float | None:
        """The same plus the next limit, in case this one has no solution; None if it has one, or if that is unknown."""
        if self.left is None or self.whole is None or self.growth is None or self.found:
            return None
        return self.left + self.seconds * self.whole / self.nodes * self.growth
