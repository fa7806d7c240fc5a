"""Abstractions: smaller puzzles whose tables bound this one."""

from collections.abc import Callable, Sequence
from typing import Any

from parsolve.contract.group import Group, Rule, either


class AbstractionsMixin:
    """Smaller puzzles whose distances are lower bounds for this one, and the members for their tables."""

    def abstractions(self) -> Sequence[Any]:
        """Return smaller puzzles that estimate how far this one is from being solved; none by default.

        If one gives `index`, `unindex`, `size` and `goals`, its table is uint8[entries]: the distance of each state
        from the nearest goal, 255 if there is no way. If one without an index gives `key` and `unkey`, its graph is
        graded and its moves cost 1, its table is uint64[any]: the keys, ascending, of all states on paths from its root
        to a solved state. A table is built once and kept. `root` and `tables` are called with the tables, in this
        order.
        """
        return ()

    @either
    def entries(self) -> Any:
        """Of an abstraction: the number of entries of its table of distances, a class variable or a property; by
        default `size`."""
        return None

    entry: Callable[..., Any] | None = None
    """`entry(tables, number) -> uint64`, optional, of an abstraction: the place of a state in the table of distances,
    below `entries`. If several states share a place, the least distance counts; by default `number`."""


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
