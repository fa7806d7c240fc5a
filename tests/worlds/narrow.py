"""Random graphs whose costs are too large for their field, or nearly so.

A cost that is all that its field holds stands for those that do not fit. So the answer must be right where a cheapest
solution costs less; else it must be refused, in a line that says that costs overflow.
"""

import itertools
import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from worlds.graphs import Data, Edges, Numbered, Walk, WayBack, lower_bounds
from worlds.plain import Instance, cheapest, tree_size
from worlds.walks import LARGEST, Make, Plain, of_class

walk = Walk.expand


def weights_for(random_: random.Random, most: int, is_free: bool) -> list[int]:
    """Return what each move costs in place of 0 to 6, for a field that holds `most`."""
    choices = [1, 2, 3, most // 8, most // 3, most // 2, most // 2 + 1]
    choices += [most - 3, most - 1, most, most + 1, most + 2, most + 9]
    some = random_.sample(choices if most < 1 << 8 else choices[3:], 2)
    return [0, *(random_.choice(some) for _ in range(6))] if is_free else [random_.choice(some) for _ in range(7)]


@dataclass(frozen=True)
class Narrow(WayBack):
    """Walk on a graph at costs for a field of 1 byte."""

    width: ClassVar[str] = "u1"

    @property
    def state(self) -> Any:  # type: ignore[override]
        return np.dtype([("place", "u4"), ("cost", self.width), ("bound", self.width), ("move", "u2")])

    @property
    def largest(self) -> int:
        """What the field holds."""
        return int(np.iinfo(self.width).max)

    @cached_property
    def data(self) -> Data:
        """The graph."""
        data = super().data
        random_ = random.Random(~self.number)
        weights = weights_for(random_, self.largest, any(cost == 0 for each in data.edges for _, cost in each))
        edges: Edges = [[(to, weights[cost]) for to, cost in each] for each in data.edges]
        true = lower_bounds(edges, data.solved)
        bounds = [random_.choice((0, least, least)) for least in true]
        return data._replace(edges=edges, bounds=bounds if any(data.bounds) else [0] * len(edges), limits=None)

    def root(self) -> dict[str, Any]:
        root = super().root()
        return {**root, "bound": min(root["bound"], self.largest)}

    def limits(self) -> Iterable[int]:
        if self.width == "u1":
            return itertools.count()
        costs, sums = {cost for each in self.data.edges for _, cost in each}, {0}
        while more := {a + b for a in sums for b in costs if a <= self.largest} - sums:
            sums |= more
        return sorted(sums)


@dataclass(frozen=True)
class Narrow2(Narrow):
    """The same for 2 bytes."""

    width: ClassVar[str] = "u2"


@dataclass(frozen=True)
class Narrow4(Narrow):
    """The same for 4 bytes."""

    width: ClassVar[str] = "u4"


@dataclass(frozen=True)
class NarrowKeyless(Narrow):
    """The same without a key."""

    key: ClassVar[Any] = None
    unkey: ClassVar[Any] = None


@dataclass(frozen=True)
class NarrowNumbered(Narrow):
    """The same with numbers of the states."""

    size = Numbered.size
    index = staticmethod(Numbered.index)
    unindex = staticmethod(Numbered.unindex)


def made(puzzle: Narrow) -> Instance | None:
    """Return an instance; None where a search would take too long."""
    plain = Plain(puzzle)
    data, is_keyed = plain.data, type(puzzle).key is not None
    answer = cheapest(data.root, plain.moves, plain.solved)
    engines: list[Any] = ["deepening", "breadth", "both"] if is_keyed else ["deepening"]
    last = puzzle.largest - 1 if answer.cost is None else min(answer.cost, puzzle.largest - 1)
    if tree_size(data.root, plain.moves, plain.solved, last) > LARGEST:
        engines.remove("deepening")
    if "deepening" not in engines:
        engines = [each for each in engines if each == "breadth"]
    if not engines:
        return None
    return Instance(
        puzzle,
        answer,
        read=lambda solution: tuple(solution.moves),
        is_ordered=True,
        engines=engines,
        wants=["all", "all", "count", "count", "first"],
        counted_by=["sharing"] if is_keyed and data.kind == "graded" else [],
        spaces=plain.spaces() if is_keyed else {},
        overflows_at=puzzle.largest,
    )


FAMILIES: dict[str, tuple[Make, float]] = {
    f"graphs {cls.__name__}": (of_class(cls, made), share)
    for cls, share in (
        *((Narrow, 6.0), (Narrow2, 2.0), (Narrow4, 2.0)),
        *((NarrowKeyless, 4.0), (NarrowNumbered, 4.0)),
    )
}
"""What makes random instances of each class, and its share."""
