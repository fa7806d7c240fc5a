"""Branch: a part of an iteration's tree that is still to be searched, as a small resumable value."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

Path = tuple[int, ...]
"""The moves of a solution, or of the path to a branch."""


@dataclass(frozen=True)
class Branch:
    """The stack of a search as moves: all that another process needs to resume it.

    Level 0 is the root alone; level d + 1 holds the children of the current row of level d. A branch is a
    contiguous part of the tree in depth-first order. One without rows does not exist.

    Attributes:
        path: the move of the current row of each level but the last (the root's own first).
        pending: the moves of the rows still to be searched, level by level; never empty for the last level.
        sizes: the number of rows in the block of each level, which gives the share of each row.
    """

    path: tuple[int, ...]
    pending: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @staticmethod
    def whole(root_move: int) -> "Branch":
        """The whole tree, nothing searched."""
        return Branch((), ((root_move,),), (1,))

    @property
    def order(self) -> tuple[int, ...]:
        """The path of the first row in depth-first order, without the root: the sort key of branches and solutions."""
        return (*self.path, self.pending[-1][0])[1:]

    @property
    def rows(self) -> int:
        """The number of pending rows."""
        return sum(map(len, self.pending))

    def split(self) -> "list[Branch]":
        """Branches that together are this one: each row of the shallowest level by itself, then the deeper rows. In
        depth-first order; this branch alone if it has a single row."""
        top = next(level for level, moves in enumerate(self.pending) if moves)
        above = ((),) * top
        singles = [Branch(self.path[:top], (*above, (move,)), self.sizes[: top + 1]) for move in self.pending[top]]
        if top == len(self.pending) - 1:
            return singles
        deeper = Branch(self.path, (*above, (), *self.pending[top + 1 :]), self.sizes)
        return [deeper, *singles]


def join(branches: Iterable[Branch]) -> list[Branch]:
    """Return branches with the same rows, joined in one pass in depth-first order.

    A branch may hold any rows beside its path and after it, whether or not the rows between them are open elsewhere.
    """
    joined: list[Branch] = []
    for branch in sorted(branches, key=lambda branch: branch.order):
        last = joined[-1] if joined else None
        top = len(branch.path)
        if last is None or len(last.path) < top or last.path[:top] != branch.path:
            joined.append(branch)
            continue
        pairs = itertools.zip_longest(last.pending, branch.pending, fillvalue=())
        joined[-1] = Branch(last.path, tuple(tuple(sorted(one + other)) for one, other in pairs), last.sizes)
    return joined
