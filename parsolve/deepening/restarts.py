"""Restarts: searches of the whole tree in other orders of children, each given up after some nodes.

In one order, a search may be stuck for ever below a child without a solution; in another, it avoids that child. The
best
length of a try is unknown, and Luby's lengths are within a logarithmic factor of it for any puzzle.
(M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms, Information Processing Letters 47
(1993) 173–180.)
"""

from collections import deque
from dataclasses import dataclass, replace

from parsolve.search.branch import Branch


@dataclass(frozen=True)
class Restart:
    """An unfinished search in one order of children.

    Attributes:
        seed: seed of the order.
        left: the nodes that it may still visit.
        branch: the part that is still to be searched.
    """

    seed: int
    left: int
    branch: Branch


class Restarts:
    """The restarts of an iteration: the unfinished ones, and an endless supply of new ones.

    Args:
        whole: the whole tree.
        unit: nodes of the shortest restarts.
        seed: seed of the first restart.

    Attributes:
        nodes: visited in all restarts, with the budgets of the running ones.
    """

    def __init__(self, whole: Branch, unit: int, seed: int = 1) -> None:
        self.nodes = 0
        self._whole, self._unit, self._first = whole, unit, seed
        self._begun = 0
        self._waiting: deque[Restart] = deque()

    def take(self) -> Restart:
        """Return the next restart."""
        if self._waiting:
            return self._waiting.popleft()
        self._begun += 1
        return Restart(self._first + self._begun - 1, self._unit * luby(self._begun), self._whole)

    def put_back(self, restart: Restart, nodes: int, rest: Branch) -> None:
        """Put back a restart that has visited more nodes and left a branch, or give it up if it may visit no more."""
        if restart.left > nodes:
            self._waiting.append(replace(restart, left=restart.left - nodes, branch=rest))


def luby(number: int) -> int:
    """Return a number of Luby's sequence, counted from 1: 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, ..."""
    while number & (number + 1):
        number -= (1 << number.bit_length() - 1) - 1
    return (number + 1) // 2
