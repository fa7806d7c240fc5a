"""What takes long, for tests of who waits for it: importable by workers."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parsolve import Puzzle, parameter


class Tables(NamedTuple):
    turns: int


@dataclass(frozen=True)
class SlowTree(Puzzle):
    """A tree of three children at the root, with two children each; every leaf is a solution: 6, and 10 nodes."""

    turns: int = parameter(0, "turns of a loop in each inner node: some 400 million a second")
    state = np.dtype([("depth", "u1"), ("waste", "u8"), ("move", "u1")])
    children = 3

    def root(self):
        return {}

    def tables(self):
        return Tables(self.turns)

    def steps(self, limit):
        return 2

    @staticmethod
    def expand(tables, here, limit, rows, top):
        waste = np.uint64(here.waste) + np.uint64(here.move) + np.uint64(1)
        for _ in range(tables.turns):
            waste ^= waste << np.uint64(13)
            waste ^= waste >> np.uint64(7)
            waste ^= waste << np.uint64(17)
        for move in range((3 - here.depth) * (here.depth < 2)):
            row = rows[top]
            row.depth = here.depth + 1
            row.waste = waste
            row.move = move
            top += 1
        return top

    @staticmethod
    def solved(tables, here):
        return here.depth == 2


@dataclass(frozen=True)
class SlowRoot(SlowTree):
    """One inner node of that tree: 2 solutions, and 3 nodes."""

    def root(self):
        return {"depth": 1}
