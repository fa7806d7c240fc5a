"""Keys: what tells states apart."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from parsolve.contract.group import Group, Rule

Graph = Literal["graded", "bipartite", "reversible", "any"]
"""What is known of the graph of a puzzle's states. graded: a state is reached by one number of moves only. reversible:
every move can be taken back, at the same cost. bipartite: reversible, and every way around has an even number of
moves."""


class KeysMixin:
    """What tells states apart: for the transposition table, for breadth-first search and, with the way back, for
    levels of any size."""

    key: ClassVar[Callable[..., Any] | None] = None
    """`key(tables, here) -> uint64`, or a tuple of up to 13 uint64, always as many; optional: exact, and deciding, with
    the room left, everything below."""

    unkey: ClassVar[Callable[..., Any] | None] = None
    """`unkey(tables, key, row)`, optional: the way back from a key, uint64 or a tuple of several. Write the state into
    `row`: the puzzle's own fields, a `move` from where every move is open, and a `bound` if the rules go by the one
    before. From a key of one word breadth-first search then takes 4 bytes a state, or 8, on all cores; the engine
    `sharing` needs it."""

    dead_key: ClassVar[Callable[..., Any] | None] = None
    """`dead_key(tables, here) -> uint64`, or a tuple as of `key`, with `key`; optional: what decides whether a state
    has a solution at all, at whatever cost. States with the same one are solved or not alike, and their children have
    the same ones. A search for any solution remembers by it what has none. It tells less than `key`, such as not the
    piece moved last, or gives the least image by a symmetry."""

    graph: ClassVar[Graph] = "any"
    """Which earlier layers breadth-first search must look for duplicates in. `parsolve check` tests it."""


KEYS = Group(
    "keys",
    KeysMixin,
    {
        "key": Rule(("tables", "here"), "a whole number (uint64)", "end it with 'return' and the key"),
        "unkey": Rule(("tables", "key", "row")),
        "dead_key": Rule(("tables", "here"), "a whole number (uint64)", "end it with 'return' and the key"),
    },
    (("unkey", "key", "the key of a state"), ("dead_key", "key", "the key of a state")),
)
