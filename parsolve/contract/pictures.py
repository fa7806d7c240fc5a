"""Pictures: text and drawings of a state."""

from collections.abc import Mapping, Sequence
from typing import Any

from parsolve.contract.group import Group
from parsolve.shapes import Shape, text_shapes

State = Mapping[str, Any]
"""A state by the names of its fields; an array field is a list."""


class PicturesMixin:
    """Drawings of states, and symmetric solutions."""

    def show_state(self, state: State) -> str:
        """Return a state as text on one line; by default its own fields."""
        return " ".join(f"{name}={value}" for name, value in state.items() if name not in ("cost", "bound", "move"))

    def render(self, state: State, moves: Sequence[int]) -> str:
        """Return a state as text for a terminal, on one line or several; by default on one.

        Args:
            state: its fields.
            moves: the moves that led there; empty if unknown.
        """
        return self.show_state(state)

    def picture(self, state: State, moves: Sequence[int]) -> Sequence[Shape]:
        """Return a state as shapes, for all drawings: SVG, the HTML report and its player; by default the text of
        `render`.

        Args:
            state, moves: see `render`.
        """
        return text_shapes(self.render(state, moves))

    def images_of(self, moves: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the images of a solution by the symmetries of the puzzle, itself included; by default itself alone.
        The HTML report groups them."""
        return (moves,)


PICTURES = Group("pictures", PicturesMixin)
