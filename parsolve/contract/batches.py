"""Batches: what many puzzles of one class share."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from parsolve.contract.group import Group
from parsolve.parameters import values_of


class Roots(NamedTuple):
    """The roots of puzzles with one `batch_key`, read from texts.

    Attributes:
        states: record[n]: the roots.
        read: bool[n]: which of them were read. The others are constructed, which also says what is wrong with them.
        limits: the different limits that occur, each a sequence, such as a range.
        which: uint8[n]: which of these is each one's.
    """

    states: Any
    read: Any
    limits: Sequence[Sequence[int]]
    which: Any


class BatchesMixin:
    """What puzzles of one class share, and their roots, read at once."""

    def batch_key(self) -> Hashable:
        """Return what all but `root` and `limits` depends on. Puzzles of one class with equal keys share their tables
        in a batch; by default those with the same parameters."""
        return tuple(values_of(self).values())

    root_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that `roots` reads."""

    def roots(self, texts: Mapping[str, Sequence[str]], state: Any, *distances: Any) -> Roots | None:
        """Return the roots of many puzzles with this one's `batch_key` at once, which saves constructing them; None,
        the default, to construct each.

        Args:
            texts: n values of each of the `root_parameters`, as a file has them. The other parameters are this one's.
            state: dtype of the rows: `state` and perhaps fields that are 0.
            distances: see `root`.
        """
        return None


BATCHES = Group("batches", BatchesMixin)
