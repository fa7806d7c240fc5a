"""How much of an iteration's tree a branch holds, by the nodes of the iteration before.

Plain shares, where each row of a block counts the same, predict iterative deepening badly: they showed 0.5 at
a tenth of the work. The node counts of the iteration before, by prefix, weigh the rows right.
"""

import heapq
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from parsolve.search.branch import Branch

LONGEST = 16
"""Maximum number of moves in a prefix."""

MOST_PREFIXES = 20_000
"""Maximum number of prefixes in all: memory must not grow with the search."""


@dataclass(slots=True)
class Prefix:
    """Nodes searched below a prefix of moves, and below each longer prefix that is kept.

    Attributes:
        nodes: all of them.
        known: the nodes below longer prefixes.
        below: the longer prefixes, by their next move.
        size: number of prefixes in all, at the root alone.
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
                if self.size >= MOST_PREFIXES:
                    return
                self.size += 1
                there = here.below[move] = Prefix()
            here.known += nodes
            here = there
            here.nodes += nodes

    def parts(self, most: int) -> "tuple[tuple[tuple[int, ...], int], ...]":
        """Return the nodes by prefix, about `most` prefixes: those with the most nodes are divided first."""
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
        """Return the share of the whole tree that a branch holds, estimated from these counts."""
        path, pending, sizes = branch.path, branch.pending, branch.sizes
        if pending[0]:
            return 1.0
        here: Prefix | None = self
        share, total, last = 1.0, 0.0, len(path)
        for level in range(1, len(pending)):
            moves, size = pending[level], sizes[level]
            if here is None:  # if the iteration before did not reach this place, each row counts the same
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


def weight_within(branches: Sequence[Branch]) -> Callable[[Branch], float]:
    """Return a function that gives the share of the branches' total that a part of them holds."""
    share = Prefix().share
    whole = sum(map(share, branches)) or 1.0
    return lambda branch: share(branch) / whole


def prefix_of(branch: Branch, rest: Branch | None) -> tuple[int, ...]:
    """Return a path, without the root and no longer than a prefix, that contains all that a slice searched between
    `branch` and its `rest`."""
    if rest is not None:
        moves = zip(branch.order[:LONGEST], rest.order, strict=False)
        return tuple(here for here, there in itertools.takewhile(lambda both: both[0] == both[1], moves))
    top = next(level for level, moves in enumerate(branch.pending) if moves)
    alone = branch.rows == 1
    return (branch.path[:top] + (branch.pending[top] if alone else ()))[1:]
