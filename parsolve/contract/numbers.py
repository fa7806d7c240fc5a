"""Numbers: states that are numbered take 3 bits each."""

from collections.abc import Callable
from typing import Any

from parsolve.contract.group import Group, Rule, either


class NumbersMixin:
    """The number of each state, for search in 3 bits a state."""

    @either
    def size(self) -> Any:
        """The number of values of `index`: a class variable or a property; None without `index`."""
        return None

    index: Callable[..., Any] | None = None
    """`index(tables, here) -> uint64`, optional: the number of a state, below `size`, exact like a key. A puzzle
    without `key` uses it as its key. With `unindex` breadth-first search takes 3 bits a state."""

    unindex: Callable[..., Any] | None = None
    """`unindex(tables, number, row)`: write the state of that number into `row`, as `unkey` does. Numbers without a
    state may give anything."""


NUMBERS = Group(
    "numbers",
    NumbersMixin,
    {
        "index": Rule(
            ("tables", "here"), "a whole number (uint64)", "end it with 'return' and the number of the state"
        ),
        "unindex": Rule(("tables", "number", "row")),
    },
    (
        ("index", "unindex", "the way back from a number to a state"),
        ("index", "size", "how many numbers there are"),
        ("unindex", "index", "the number of a state"),
        ("size", "index", "the number of a state"),
    ),
)
