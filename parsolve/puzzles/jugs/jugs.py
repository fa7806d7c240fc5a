"""Water jugs: measure an amount by filling, emptying and pouring."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import EngineName, Puzzle, Shape, State, Text, parameter
from parsolve.puzzle.parameters import whole_numbers

PLENTY = 1 << 62
"""The amount in the outside world, and its free room."""

BAR = 40
"""The width of the longest drawn jug."""

TALLEST = 4.0
"""The height of the largest jug in a picture."""


class Tables(NamedTuple):
    """The lookups of the rules. A place is a jug or, last, the outside: every move pours from a place into another."""

    source: np.ndarray[Any, Any]  # uint8[moves]: the place poured from
    sink: np.ndarray[Any, Any]  # uint8[moves]: the place poured into
    change: np.ndarray[Any, Any]  # uint64[moves]: the change of `amounts` by one unit poured, modulo 2**64
    shift: np.ndarray[Any, Any]  # uint64[places]: the position of a place's amount in `amounts`
    mask: np.ndarray[Any, Any]  # uint64[places]: the bits of an amount; none for the outside
    always: np.ndarray[Any, Any]  # uint64[places]: a constant further amount: the outside has plenty
    capacity: np.ndarray[Any, Any]  # uint64[places]
    target: np.uint64  # the amount to measure


@dataclass(frozen=True)
class Jugs(Puzzle):
    """Measure an amount of water in any jug by filling, emptying and pouring. A solution prints as its states.

    A move fills a jug, empties it, or pours it into another until one of them is empty or full.
    """

    capacities: Text = parameter("8 5", "what the jugs hold, 2 to 6 numbers; all are empty at the start")
    target: int = parameter(4, "the amount to be measured in one of the jugs")

    # `amounts` holds for each jug as many bits as its capacity needs, the first jug lowest.
    state = np.dtype([("amounts", "u8"), ("cost", "u4"), ("move", "u1")])

    default_engine: ClassVar[EngineName] = "breadth"

    def __post_init__(self) -> None:
        sizes = self.sizes
        if not 2 <= len(sizes) <= 6:
            raise BadInput(f"jugs: capacities are 2 to 6 numbers, not {len(sizes)}")
        if min(sizes) < 1:
            raise BadInput(f"jugs: a capacity must be at least 1, not {min(sizes)}")
        if sum(size.bit_length() for size in sizes) > 62:
            raise BadInput(f"jugs: the capacities {self.capacities} are too large: a state must fit 62 bits")
        if not 0 <= self.target <= max(sizes):
            raise BadInput(f"jugs: target {self.target} is not between 0 and {max(sizes)}, the largest capacity")

    def unsolvable(self) -> str:
        unit = math.gcd(*self.sizes)
        return (
            f"all amounts are multiples of {unit}, and the target {self.target} is none" if self.target % unit else ""
        )

    @cached_property
    def sizes(self) -> list[int]:
        """The capacities of the jugs."""
        return whole_numbers(self.capacities, "jugs: capacities")

    @cached_property
    def pours(self) -> list[tuple[int, int]]:
        """The moves as (from, into): fill each jug, empty each jug, pour each into every other one."""
        jugs = range(len(self.sizes))
        outside = len(self.sizes)
        fill = [(outside, jug) for jug in jugs]
        empty = [(jug, outside) for jug in jugs]
        return fill + empty + [(a, b) for a in jugs for b in jugs if a != b]

    @property
    def children(self) -> int:
        return len(self.pours)

    def root(self) -> dict[str, Any]:
        return {"amounts": 0}

    def tables(self) -> Tables:
        bits = [size.bit_length() for size in self.sizes]
        shift = [sum(bits[:jug]) for jug in range(len(bits))]
        unit = [1 << place for place in shift] + [0]
        return Tables(
            np.array([a for a, _ in self.pours], np.uint8),
            np.array([b for _, b in self.pours], np.uint8),
            np.array([(unit[b] - unit[a]) % (1 << 64) for a, b in self.pours], np.uint64),
            np.array([*shift, 0], np.uint64),
            np.array([(1 << width) - 1 for width in bits] + [0], np.uint64),
            np.array([0] * len(bits) + [PLENTY], np.uint64),
            np.array([*self.sizes, 2 * PLENTY], np.uint64),
            np.uint64(self.target),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        fits = here.cost + 1 <= limit
        for move in range(tables.change.size):
            source, sink = tables.source[move], tables.sink[move]
            poured = min(held(tables, here, source), tables.capacity[sink] - held(tables, here, sink))
            if poured > 0:
                row = rows[top]
                row.amounts = here.amounts + poured * tables.change[move]
                row.cost = here.cost + 1
                row.move = move
                top += fits
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        for jug in range(tables.shift.size - 1):  # noqa: SIM110 (a generator does not compile)
            if held(tables, here, jug) == tables.target:
                return True
        return False

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.amounts

    def amounts_of(self, state: State) -> list[int]:
        """Return the amounts in the jugs in a state."""
        amounts, held = state["amounts"], []
        for size in self.sizes:
            held.append(amounts % (1 << size.bit_length()))
            amounts >>= size.bit_length()
        return held

    def show(self, solution: Any) -> str:
        return " ".join(map(self.show_state, solution.states))

    def show_state(self, state: State) -> str:
        return f"({','.join(map(str, self.amounts_of(state)))})"

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(map(self.bar, self.amounts_of(state), self.sizes))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        unit = TALLEST / max(self.sizes)
        shapes = []
        for jug, (amount, size) in enumerate(zip(self.amounts_of(state), self.sizes, strict=True)):
            x, height = 1.6 * jug, unit * size
            shapes.append(Shape("box", x, -height / 2, "board", 1.2, height + 0.1))
            shapes.append(Shape("box", x, 0.5, "label", 1.2, 0.6, f"{amount} of {size}"))
            if amount:
                water = unit * amount
                shapes.append(Shape("box", x, -water / 2, "water", 1.1, water, name=f"water in jug {1 + jug}"))
        return shapes

    def bar(self, amount: int, size: int) -> str:
        """Return a jug lying on its side, in proportion to the others, with its amount."""
        scale = min(1.0, BAR / max(self.sizes))
        length, full = math.ceil(size * scale), math.ceil(amount * scale)
        return f"[{'█' * full}{'·' * (length - full)}] {amount}"


def held(tables: Any, here: Any, place: Any) -> Any:
    """Return the amount in a place: uint64."""
    return ((here.amounts >> tables.shift[place]) & tables.mask[place]) + tables.always[place]
