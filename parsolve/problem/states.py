"""A puzzle's states as rows: their dtype, and the way from fields to rows and back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.problem.hooks import call_method, text_from
from parsolve.problem.verify import fields_written, verified_children, verified_state
from parsolve.puzzle import Puzzle
from parsolve.text import field_kind, place_of, shown

Array = np.ndarray[Any, Any]


class States:
    """The states of a puzzle.

    Args:
        puzzle: the puzzle; its class is verified.

    Attributes:
        puzzle: the puzzle.
        state: dtype of a row: the puzzle's fields in their order, aligned, and `cost` and `bound` if it lacks them.
        declared: dtype from the puzzle.
        children: the greatest number of children.
        own_fields: the fields besides cost, bound and move.
        added_fields: the fields `cost` and `bound` if the puzzle lacks them; always 0.
        has_cost: whether solutions differ in cost; otherwise the only limit is 0, and costs are not shown.

    Raises:
        BadPuzzle: the puzzle breaks the contract.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.declared: Any = verified_state(puzzle)
        self.children = verified_children(puzzle)
        names: tuple[str, ...] = self.declared.names or ()
        self.added_fields = tuple(name for name in ("cost", "bound") if name not in names)
        for name in self.added_fields:
            if name in fields_written(type(puzzle)):
                rule = "expand" if type(puzzle).propose is None else "propose"
                raise BadPuzzle(f"{self.name}: 'state' lacks the field {name!r}, which {rule!r} writes")
        added = [(name, np.dtype("u1")) for name in self.added_fields]
        self.state: np.dtype[Any] = np.dtype([*((name, self.declared[name]) for name in names), *added], align=True)
        self.own_fields = tuple(name for name in names if name not in ("cost", "bound", "move"))
        self.has_cost = "cost" in names

    @property
    def name(self) -> str:
        """The name of the puzzle's class, for messages."""
        return type(self.puzzle).__name__

    def goals(self) -> Array:
        """Return the solved states from the puzzle: record[n]."""
        goals = call_method(self.puzzle, "goals")
        if not isinstance(goals, list | tuple) or not all(isinstance(goal, Mapping) for goal in goals):
            raise BadPuzzle(f"{self.name}: 'goals' must return a list of dicts of fields, not {shown(goals)}")
        return self.rows("goal", goals)

    def rows(self, what: str, states: Sequence[Any]) -> Array:
        """Return states as rows: record[n].

        Args:
            what: names them in messages.
            states: by their fields; missing ones are 0.
        """
        rows = np.zeros(len(states), self.state)
        place = place_of(getattr(type(self.puzzle), "goals" if what == "goal" else what, None))
        for row, fields in zip(rows, states, strict=True):
            if not isinstance(fields, Mapping):
                raise BadPuzzle(f"{self.name}: {what!r}{place} must return a dict of fields, not {returned(fields)}")
            for field, value in fields.items():
                if field not in self.declared.names:
                    text = f"which is not a field of 'state'; its fields are {', '.join(self.declared.names)}"
                    raise BadPuzzle(f"{self.name}: the {what}{place} names {field!r}, {text}")
                try:
                    row[field] = _fitting(value, self.state[field])
                except Exception:
                    text = f"{shown(value)} does not fit the field, {field_kind(self.state[field])}"
                    raise BadPuzzle(f"{self.name}: the {what}'s {field!r}{place} = {text}") from None
        return rows

    def show_state(self, row: Any) -> str:
        """Return a row as text, on one line."""
        return text_from(self.puzzle, "show_state", self.state_of(row))

    def state_of(self, row: Any) -> dict[str, Any]:
        """Return a row by its fields; an array field is a list."""
        return {name: row[name].tolist() for name in self.state.names or ()}


def returned(value: Any) -> str:
    """Return what a method has returned, for messages."""
    return "None: is a 'return' missing?" if value is None else shown(value)


def _fitting(value: Any, field: np.dtype[Any]) -> Any:
    """Return a value for a field; raise a ValueError if it does not fit."""
    given = np.array(value, object)
    if given.shape not in ((), field.shape):
        raise ValueError
    most = np.iinfo(field.base).max
    if not all(number == int(number) and 0 <= number <= most for number in given.flat):
        raise ValueError  # numpy would round it, or reduce it modulo
    return value
