"""A part of a limit's tree: its first branches, and what each of them gives."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from parsolve.deepening.outcome import Outcome
from parsolve.deepening.units import Unit, Units
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.part import Part, Tally


@dataclass(frozen=True)
class Beginning:
    """What a search of a limit begins with instead of the root.

    Attributes:
        limit: the limit.
        units: in depth-first order.
        above: nodes above the units that count here.
        cut: whether the limit has cut anything above the units.
        is_last: whether nothing is left to expand, so that no further limit has more if none was cut.
    """

    limit: int
    units: Sequence[Unit]
    above: int
    cut: bool
    is_last: bool

    @property
    def branches(self) -> list[Branch]:
        """The branches of the units."""
        return [unit.branch for unit in self.units]

    @cached_property
    def parts(self) -> list[int]:
        """The part of each unit."""
        return [unit.part for unit in self.units]


Begin = Callable[[Problem, int], Beginning]
"""Returns what the search of a problem begins with within a limit."""


def begin_part(part: Part, problem: Problem, limit: int) -> Beginning:
    """Return what the search of a part begins with: its units; the first part counts the nodes above all units."""
    units = Units(problem, limit, part.of)
    above = units.above if 1 in part else 0
    return Beginning(limit, units.of_parts(part.first, part.last), above, units.cut, units.is_exhausted)


class Tallies:
    """Counts the nodes and solutions of each unit while they are searched.

    Args:
        beginning: the units.
        earlier: what an earlier run has counted of them.

    Raises:
        BadInput: the earlier run had other units.
    """

    def __init__(self, beginning: Beginning, earlier: Tally | None = None) -> None:
        if earlier is not None and (earlier.limit, [*earlier.parts]) != (beginning.limit, beginning.parts):
            raise BadInput("the journal has the tally of other branches than those of its part: use another journal")
        self._beginning = beginning
        self._orders = [branch.order for branch in beginning.branches]
        self._nodes = [*earlier.nodes] if earlier else [0] * len(self._orders)
        self._weights = [*earlier.weights] if earlier else [0] * len(self._orders)

    def add(self, branches: Iterable[Branch], outcome: Outcome) -> None:
        """Count the outcome of a task's branches; those that it has not begun are ignored."""
        for branch, (nodes, weight) in zip(branches, outcome.each, strict=False):
            # The moves of a unit begin the moves of all of its branches, and of no other unit's.
            place = bisect_right(self._orders, branch.order) - 1
            self._nodes[place] += nodes
            self._weights[place] += weight

    def tally(self, cut: bool) -> Tally:
        """Return what has been counted so far.

        Args:
            cut: whether the limit has cut anything so far.
        """
        beginning = self._beginning
        return Tally(beginning.limit, beginning.above, cut, beginning.parts, [*self._nodes], [*self._weights])
