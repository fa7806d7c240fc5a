"""Tally: what each unit of a part has given."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tally:
    """The units of a part within one limit; a unit is a branch that the part begins with.

    Attributes:
        limit: the limit.
        above: nodes above all units, which the first part counts.
        cut: whether the limit has cut anything, in the units or above them.
        parts: the number of each unit's part; units are in depth-first order.
        nodes: the nodes of each.
        weights: the weight of the solved states of each.
    """

    limit: int
    above: int
    cut: bool
    parts: Sequence[int]
    nodes: Sequence[int]
    weights: Sequence[int]
