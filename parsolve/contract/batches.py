"""Batches: data shared by many puzzles of one class."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from parsolve.contract.group import Group
from parsolve.parameters import values_of


class Roots(NamedTuple):
    """The roots of puzzles with one `batch_key`, read from texts.

    Attributes:
        states: record[n]: the roots.
        read: bool[n]: which roots were read. The other puzzles are constructed, which also reports their errors.
        limits: the different limits that occur, each a sequence, such as a range.
        which: uint8[n]: the index of each root's limits in `limits`.
    """

    states: Any
    read: Any
    limits: Sequence[Sequence[int]]
    which: Any


class BatchesMixin:
    """What puzzles of one class share, and reading many roots at once."""

    def batch_key(self) -> Hashable:
        """Return a value that determines everything except `root` and `limits`. Puzzles of one class with equal keys
        share their tables in a batch; by default only puzzles with the same parameters do."""
        return tuple(values_of(self).values())

    @staticmethod
    def table_lines(lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of a table, one for each line of a file whose puzzles may have several lines: all but one of
        them become empty. By default the file is a table.

        Args:
            lines: with their ends; no more of them are read than necessary.

        Raises:
            BadInput: they have no puzzles; the message shows the possible forms.
        """
        return iter(lines)

    root_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that `roots` reads."""

    def roots(self, texts: Mapping[str, Sequence[str]], state: Any, *distances: Any) -> Roots | None:
        """Return the roots of many puzzles with this one's `batch_key` at once, which saves constructing them; None,
        the default, to construct each.

        Args:
            texts: n values of each of the `root_parameters`, as text from a file. The other parameters are this
                puzzle's.
            state: dtype of the rows: `state` and perhaps fields that are 0.
            distances: see `root`.
        """
        return None


BATCHES = Group("batches", BatchesMixin)
