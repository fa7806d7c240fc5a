"""Keys: they identify states."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from parsolve.contract.group import Group, Rule

Graph = Literal["graded", "bipartite", "reversible", "any"]
"""The declared graph of a puzzle's states. graded: a state is reached by one number of moves only. reversible: every
move can be taken back, at the same cost. bipartite: reversible, and every cycle has an even number of moves."""


class KeysMixin:
    """Keys of states: for the transposition table, for breadth-first search and, with the way back, for levels of any
    size."""

    key: Callable[..., Any] | None = None
    """`key(tables, here) -> uint64`, or a tuple of up to 13 uint64, always the same number; optional: exact; key and
    room left determine everything below the state."""

    unkey: Callable[..., Any] | None = None
    """`unkey(tables, key, row)`, optional: the way back from a key, uint64 or a tuple of several. Write the state into
    `row`: the puzzle's own fields, a `move` after which every move is open, and a `bound` if the rules compute it from
    the previous one. From a key of one word breadth-first search then takes 4 bytes a state, or 8, on all cores; the
    engine `sharing` needs it."""

    graph: ClassVar[Graph] = "any"
    """In which earlier layers breadth-first search must look for duplicates. `parsolve check` tests it."""


KEYS = Group(
    "keys",
    KeysMixin,
    {
        "key": Rule(("tables", "here"), "a uint64, or a tuple of at most 13", "end it with 'return' and the key"),
        "unkey": Rule(("tables", "key", "row")),
    },
    (("unkey", "key", "the key of a state"),),
)
