"""Both ends: the solved states, and moves that are taken back."""

from collections.abc import Callable
from typing import Any

from parsolve.contract.group import Group, Rule


class BothEndsMixin:
    """The solved states and the ways back from them, for searches from the root and the goals at once."""

    def goals(self) -> list[dict[str, Any]]:
        """Return all solved states, by their fields as in `root`; none by default. For puzzles whose moves are
        reversible, with `taken_back`, or with `reverse`; then all goals must be at one distance from the root, the
        first of `limits`. `parsolve explore` measures distances from the goals if moves are reversible."""
        return []

    def taken_back(self) -> Any:
        """Return the puzzle with the same states, fields and keys whose moves are these taken back: then breadth-first
        search begins at both ends, the root and `goals`. None by default.

        If the root leads to a state, and a move from it to another, then a move taken back leads from the other to the
        state, or to one with its key. If a state leads to a goal, and a move taken back from it to another, then a move
        leads from the other to the state, or to one with its key. All cost 1. How many there are may differ, and which
        states are solved there is not asked.
        """
        return None

    reverse: Callable[..., Any] | None = None
    """`reverse(tables, here, row)`, optional, with `unkey` and `goals`: write into `row` the image of a state under a
    map that turns all moves around: wherever a move leads from a to b, one leads from the image of b to that of a, and
    the image of an image is the state itself. Holes for pegs in peg solitaire is one. With it the states between root
    and goals are searched for from both ends."""


BOTH_ENDS = Group(
    "both ends",
    BothEndsMixin,
    {"reverse": Rule(("tables", "here", "row"))},
    (
        ("reverse", "unkey", "the way back from a key to a state"),
        ("taken_back", "unkey", "the way back from a key to a state"),
        ("taken_back", "goals", "the states to begin with"),
    ),
)
