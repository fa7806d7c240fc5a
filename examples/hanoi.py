"""Towers of Hanoi, with three pegs or more.

parsolve solve examples/hanoi.py:Hanoi --disks 3
parsolve count examples/hanoi.py:Hanoi --disks 8 --pegs 4           how many ways are there to take the fewest moves?
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve import Puzzle, Shape, State, parameter


class Tables(NamedTuple):
    """What the rules look up."""

    disks: int
    pegs: int


@dataclass(frozen=True)
class Hanoi(Puzzle):
    """Move a tower of disks from the first peg to the last, one disk at a time, never onto a smaller one. A solution
    prints the pegs that each disk leaves and reaches."""

    disks: int = parameter(4, "disks of the tower", least=1, most=16)
    pegs: int = parameter(3, "pegs", least=3, most=8)
    graph = "reversible"
    default_engine = "breadth"  # the states are few, and many ways lead to each

    @property
    def state(self) -> Any:
        return np.dtype([("peg", "u1", (self.disks,)), ("cost", "u2"), ("move", "u1")])  # the smallest disk first

    @property
    def children(self) -> int:
        return self.pegs * (self.pegs - 1)

    def root(self) -> dict[str, Any]:
        return {}

    def tables(self) -> Tables:
        return Tables(self.disks, self.pegs)

    @staticmethod
    def expand(tables: Tables, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for start in range(tables.pegs):
            disk = top_of(tables, here, start)
            for end in range(tables.pegs):
                if disk < top_of(tables, here, end) and here.cost + 1 <= limit:
                    row = rows[top]
                    for each in range(tables.disks):
                        row.peg[each] = here.peg[each]
                    row.peg[disk] = end
                    row.cost, row.move = here.cost + 1, start * tables.pegs + end
                    top += 1
        return top

    @staticmethod
    def solved(tables: Tables, here: Any) -> Any:
        elsewhere = 0
        for disk in range(tables.disks):
            elsewhere += here.peg[disk] != tables.pegs - 1
        return elsewhere == 0

    @staticmethod
    def key(tables: Tables, here: Any) -> Any:
        number = np.uint64(0)
        for disk in range(tables.disks):
            number = number << np.uint64(3) | np.uint64(here.peg[disk])
        return number

    def show(self, solution: Any) -> str:
        return " ".join(f"{1 + move // self.pegs}-{1 + move % self.pegs}" for move in solution.moves)

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        wide, floor = self.disks + 1.0, self.disks
        shapes = [Shape("box", peg * wide, floor / 2, "shade", 0.2, floor) for peg in range(self.pegs)]
        height = [0] * self.pegs
        for disk in reversed(range(self.disks)):
            peg = state["peg"][disk]
            height[peg] += 1
            place = peg * wide, floor - height[peg] + 0.5
            shapes.append(Shape("box", *place, "piece", disk + 1, 0.9, str(disk + 1), f"disk {disk + 1}"))
        return shapes


def top_of(tables: Tables, here: Any, peg: Any) -> Any:
    """Return the smallest disk on a peg, or the number of disks if it is empty."""
    for disk in range(tables.disks):
        if here.peg[disk] == peg:
            return disk
    return tables.disks
