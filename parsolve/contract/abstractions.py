"""Abstractions: smaller puzzles whose tables bound this one."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from parsolve.contract.group import Group, Rule


class AbstractionsMixin:
    """Smaller puzzles that tell how far this one is from being solved, and what they give for their tables."""

    def abstractions(self) -> Sequence[Any]:
        """Return smaller puzzles that tell how far this one is from being solved; none by default.

        The table of one that gives `index`, `unindex`, `size` and `goals` is uint8[entries]: the distance of each state
        from the nearest goal, 255 where there is no way. The table of one without an index that gives `key` and
        `unkey`, whose graph is graded and whose moves cost 1, is uint64[any]: the keys, ascending, of all states on
        paths from its root to a solved one. A table is built once and kept. `root` and `tables` are called with the
        tables, in this order.
        """
        return ()

    @property
    def entries(self) -> Any:
        """Of an abstraction: how many entries its table of distances has, a class variable or a property; by default
        `size`."""
        return None

    entry: ClassVar[Callable[..., Any] | None] = None
    """`entry(tables, number) -> uint64`, optional, of an abstraction: the place of a state in the table of distances,
    below `entries`. Where several states share one, the least distance counts; by default `number`."""


ABSTRACTIONS = Group(
    "abstractions",
    AbstractionsMixin,
    {
        "entry": Rule(
            ("tables", "number"),
            "a whole number (uint64)",
            "end it with 'return' and the place of the state's distance",
        )
    },
    (
        ("entry", "index", "the number of a state"),
        ("entries", "entry", "the place of a number in the table"),
    ),
)
