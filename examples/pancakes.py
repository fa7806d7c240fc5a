"""Pancakes: turn over the top of a pile until it is in order.

parsolve solve examples/pancakes.py:Pancakes --order "3 1 4 2"
parsolve explore examples/pancakes.py:Pancakes --order "1 2 3 4 5 6 7"       up to 8 moves: the pancake number of 7
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve import BadInput, Puzzle, Shape, State, parameter

MOST = 12


class Tables(NamedTuple):
    """What the rules look up."""

    pancakes: int


@dataclass(frozen=True)
class Pancakes(Puzzle):
    """Turn over the top of a pile of pancakes, until they are in order. A solution prints how many are turned."""

    order: str = parameter("3 1 4 2 5", "the pancakes from the top down, each by its size, 1 to n")
    state = np.dtype([("pile", "u1", (MOST,)), ("cost", "u1"), ("bound", "u1"), ("move", "u1")])
    children = MOST - 1
    graph = "reversible"

    def __post_init__(self) -> None:
        if sorted(self.sizes) != [*range(1, len(self.sizes) + 1)] or not 2 <= len(self.sizes) <= MOST:
            raise BadInput(f"order is each of 1 to n once, n at most {MOST}, not {self.order!r}")

    @cached_property
    def sizes(self) -> list[int]:
        return [int(word) for word in self.order.split()]

    def root(self) -> dict[str, Any]:
        plate = [*self.sizes, len(self.sizes) + 1]
        gaps = sum(abs(above - below) > 1 for above, below in itertools.pairwise(plate))
        return {"pile": [*self.sizes, *[0] * (MOST - len(self.sizes))], "bound": gaps}

    def tables(self) -> Tables:
        return Tables(len(self.sizes))

    @staticmethod
    def expand(tables: Tables, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for turned in range(2, tables.pancakes + 1):
            row = rows[top]
            for place in range(MOST):
                row.pile[place] = here.pile[turned - 1 - place if place < turned else place]
            # A move changes one pair of neighbours, so that each pair that is not of neighbouring sizes needs a move.
            below = tables.pancakes + 1 if turned == tables.pancakes else here.pile[turned]
            gap = apart(here.pile[0], below) - apart(here.pile[turned - 1], below)
            row.cost, row.bound, row.move = here.cost + 1, here.bound + gap, turned
            top += row.cost + row.bound <= limit and turned != here.move
        return top

    @staticmethod
    def solved(tables: Tables, here: Any) -> Any:
        return here.bound == 0

    @staticmethod
    def key(tables: Tables, here: Any) -> Any:
        number = np.uint64(0)
        for place in range(MOST):
            number = number << np.uint64(4) | np.uint64(here.pile[place])
        return number

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(("=" * size).center(len(self.sizes)).rstrip() for size in state["pile"] if size)

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        pile = [size for size in state["pile"] if size]
        return [
            Shape("box", 0, row, "piece", 0.6 + 0.4 * size, 0.9, str(size), f"pancake {size}")
            for row, size in enumerate(pile)
        ]


def apart(above: Any, below: Any) -> Any:
    """Return 1 if two sizes do not follow each other, else 0."""
    return 0 if above == below + 1 or below == above + 1 else 1
