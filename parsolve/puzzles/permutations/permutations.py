"""All permutations of n things: the plainest search there is, for measuring."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.puzzle.core import Puzzle, Shape, State, parameter

MOST = 13
"""Maximum number of things."""

ONE, FOUR, FOUR_BITS = np.uint64(1), np.uint64(4), np.uint64(15)

LEFT = np.uint64(4 * MOST)
"""The lowest bit of a key's number of things left."""


class Tables(NamedTuple):
    """The lookups of the rules."""

    bits: np.int64  # 1: the things left are a mask; 0: a list


@dataclass(frozen=True)
class Permutations(Puzzle):
    """All orders of n things. A solution prints as their numbers, from 1.

    lists: the next thing is taken out of the list of those left. bits: those left are a mask.
    """

    n: int = parameter(9, f"how many things, up to {MOST}", least=0, most=MOST)
    method: Literal["lists", "bits"] = parameter("bits", "how to keep the things left; both find the same")

    # `things`: those left, as a list of four bits each, the next one lowest, or as a mask. `left`: their number.
    state = np.dtype([("things", "u8"), ("left", "u1"), ("move", "u1")])

    graph = "graded"

    @property
    def children(self) -> int:
        return max(1, self.n)

    def root(self) -> dict[str, Any]:
        everything = range(self.n)
        things = sum(1 << thing if self.method == "bits" else thing << 4 * thing for thing in everything)
        return {"things": things, "left": self.n}

    def tables(self) -> Tables:
        return Tables(np.int64(self.method == "bits"))

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if tables.bits:
            return expand_mask(here, rows, top)
        return expand_list(here, rows, top)

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.left == 0

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.things | np.uint64(here.left) << LEFT

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.things = key & ((ONE << LEFT) - ONE)
        row.left = key >> LEFT
        row.move = 0

    def steps(self, limit: int) -> int:
        return self.n

    def show(self, solution: Any) -> str:
        return self.render({}, solution.moves)

    def render(self, state: State, moves: Sequence[int]) -> str:
        return " ".join(str(move + 1) for move in moves)

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        places = [Shape("box", place, 0, "cell", 0.94, 0.94) for place in range(max(1, self.n))]
        things = ((place, move + 1) for place, move in enumerate(moves))
        return places + [Shape("box", x, 0, "piece", 0.8, 0.8, str(thing), f"thing {thing}") for x, thing in things]

    def overview(self) -> str:
        return f"{self.n} things have {math.factorial(self.n):,} orders"


def expand_mask(here: Any, rows: Any, top: Any) -> Any:
    """`expand` with a mask: each bit in turn is cleared."""
    rest = here.things
    while rest:
        thing = rest & ~(rest - ONE)
        rest ^= thing
        row = rows[top]
        row.things = here.things ^ thing
        row.left = here.left - 1
        row.move = trailing_zeros(thing)
        top += 1
    return top


def expand_list(here: Any, rows: Any, top: Any) -> Any:
    """`expand` with a list: each thing in turn is taken out, and the following ones move up."""
    for place in range(here.left):
        shift = np.uint64(place) * FOUR
        before = here.things & ((ONE << shift) - ONE)
        from_here = here.things >> shift
        row = rows[top]
        row.things = before | (from_here >> FOUR) << shift
        row.left = here.left - 1
        row.move = from_here & FOUR_BITS
        top += 1
    return top
