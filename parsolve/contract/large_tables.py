"""Large tables: two rules instead of `expand`, so that other rows are expanded while the memory answers."""

from collections.abc import Callable
from typing import Any

from parsolve.contract.group import Group, Rule


class LargeTablesMixin:
    """`expand` in two steps, for puzzles with lookups in tables larger than the processor's caches."""

    propose: Callable[..., Any] | None = None
    """`propose(tables, here, limit, rows, top) -> top`: like `expand`, but without reading a table that is larger than
    the processor's caches: write down the place, and begin to load it by `parsolve.compiler.atomics.prefetch(array,
    place)`. Children that cannot meet the limit may be left out, but need not be."""

    admit: Callable[..., Any] | None = None
    """`admit(tables, row, limit) -> bool`: finish a child that `propose` has written, and return whether it can meet
    `limit`. Afterwards every field is written, and depends only on the child's state and the path."""


LARGE_TABLES = Group(
    "large tables",
    LargeTablesMixin,
    {
        "propose": Rule(("tables", "here", "limit", "rows", "top"), "top, a whole number", "end it with 'return top'"),
        "admit": Rule(
            ("tables", "row", "limit"),
            "True or False",
            "write 'return' before what says whether a child can meet the limit",
        ),
    },
    (
        ("propose", "admit", "which of the children can meet the limit"),
        ("admit", "propose", "the children that it chooses from"),
    ),
)
