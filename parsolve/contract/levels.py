"""Levels: an order in which all ways to a state are known before it is expanded."""

from collections.abc import Callable
from typing import Any

from parsolve.contract.group import Group, Rule


class LevelsMixin:
    """A level that every move raises, for the engine `sharing`."""

    level: Callable[..., Any] | None = None
    """`level(tables, here) -> int`, optional, with `key`: a whole number that every move raises, the same for all
    states with one key. The engine `sharing` takes states in this order, so all ways to a state are known before it is
    expanded. A graded graph needs no level: there it is the number of moves."""


LEVELS = Group(
    "levels",
    LevelsMixin,
    {"level": Rule(("tables", "here"), "a whole number", "end it with 'return' and the level")},
    (("level", "key", "the key of a state"),),
)
