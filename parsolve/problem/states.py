"""A puzzle's states as rows, the limits of its searches, and costs that do not fit their field."""

import contextlib
import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.problem.data import Array, digest_of
from parsolve.problem.hooks import call, call_method, text_from, whole_number
from parsolve.problem.verify import fields_written, verified_children, verified_state
from parsolve.puzzle.core import Puzzle
from parsolve.text import field_kind, place_of, shown

NO_LIMIT = 1 << 34
"""A limit that cuts nothing: cost and bound have at most 32 bits. It is not greater, so that rules can shift it."""

NEAR = 128
"""The first limits of nearby roots differ by less than this."""

COMPARED = 256
"""Number of limits in a search's identity."""

MOST_STEPS = (1 << 16) - 1
"""The most moves of a solution that a search allows."""

_END = object()


class States:
    """The states of a puzzle, and what its solutions may cost.

    Args:
        puzzle: the puzzle; its class is verified.

    Attributes:
        puzzle: the puzzle.
        state: dtype of a row: the puzzle's fields in their order, aligned, and `cost` and `bound` if it lacks them.
        declared: dtype from the puzzle.
        children: the greatest number of children.
        own_fields: the fields besides cost, bound and move.
        has_cost: whether solutions differ in cost; otherwise the only limit is 0, and costs are not shown.
        has_bound: whether states have a lower bound; otherwise it is always 0.

    Raises:
        BadPuzzle: the puzzle breaks the contract.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.declared: Any = verified_state(puzzle)
        self.children = verified_children(puzzle)
        names: tuple[str, ...] = self.declared.names or ()
        added = tuple(name for name in ("cost", "bound") if name not in names)
        for name in added:
            if name in fields_written(type(puzzle)):
                raise BadPuzzle(f"{self.name}: 'state' lacks the field {name!r}, which 'expand' writes")
        fields = [*((name, self.declared[name]) for name in names), *((name, np.dtype("u1")) for name in added)]
        self.state: np.dtype[Any] = np.dtype(fields, align=True)
        self.own_fields = tuple(name for name in names if name not in ("cost", "bound", "move"))
        self.has_cost, self.has_bound = "cost" in names, "bound" in names
        self._limit_digests: dict[tuple[int, ...], str] = {}

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

    @cached_property
    def root(self) -> Array:
        """The first state: record[1]."""
        raise NotImplementedError

    def limits(self, least: int = 0) -> Iterator[int]:
        """Yield the limits to try: the puzzle's, from the root's cost + bound on, and from a least one on."""
        return self._limits_from(max(least, self._first_limit))

    def limits_near(self) -> Iterator[int]:
        """Yield limits that problems with nearby roots share: this problem's, and perhaps some before."""
        own = type(self.puzzle).limits is not Puzzle.limits
        return self._limits_from(0 if own else self._first_limit - self._first_limit % NEAR)

    @property
    def _first_limit(self) -> int:
        return int(self.root["cost"][0]) + int(self.root["bound"][0])

    def _limits_from(self, first: int) -> Iterator[int]:
        if not self.has_cost:
            yield from range(first, 1)
            return
        if type(self.puzzle).limits is Puzzle.limits:
            yield from itertools.count(first)
        limits = call(self.puzzle, "limits", self.puzzle.limits)
        if isinstance(limits, range):  # of billions, perhaps
            limits = limits[bisect_left(limits, first) :]
        every = call(self.puzzle, "limits", lambda: iter(limits))
        before = -1
        while (limit := call(self.puzzle, "limits", lambda: next(every, _END))) is not _END:
            if not isinstance(limit, int | np.integer) or limit <= before:
                raise BadPuzzle(
                    f"{self.name}: 'limits' must give rising whole numbers, not {shown(limit)} after {before}"
                )
            before = int(limit)
            if before >= first:
                yield before

    def steps(self, limit: int) -> int:
        """Return the greatest number of moves within a limit, at least 0.

        If the puzzle does not say it, it is a guess of at most `MOST_STEPS`: where costs are in small units, a solution
        has far fewer moves, and more where some moves cost nothing.
        """
        if not self.says_steps:
            return max(0, min(limit, MOST_STEPS))
        steps = whole_number(self.puzzle, "'steps'", call_method(self.puzzle, "steps", limit))
        if steps > MOST_STEPS:
            raise BadPuzzle(f"{self.name}: 'steps' must return a whole number below 65536, not {shown(steps)}")
        return max(0, steps)

    @property
    def says_steps(self) -> bool:
        """Whether the puzzle says how many moves there are within a limit."""
        return type(self.puzzle).steps is not Puzzle.steps

    def digest_of_limits(self, limits: Iterable[int]) -> str:
        """Return a digest of the first limits, each with its steps, as far as the puzzle gives them: the search may end
        before."""
        first: list[int] = []
        with contextlib.suppress(BadPuzzle):
            first.extend(itertools.islice(limits, COMPARED))
        key = tuple(first)
        if key not in self._limit_digests:
            found: list[tuple[int, int]] = []
            with contextlib.suppress(BadPuzzle):
                found.extend((limit, self.steps(limit)) for limit in first)
            self._limit_digests[key] = digest_of(found)
        return self._limit_digests[key]

    @cached_property
    def most_cost(self) -> int:
        """The greatest cost: the field's greatest value, one more, marks costs that do not fit; 0 if solutions do not
        differ in cost."""
        return int(np.iinfo(self.state["cost"]).max) - 1 if self.has_cost else 0

    def refuse_overflow(self, cost: int, otherwise: str = "") -> None:
        """Raise BadPuzzle if a search has reached a cost that does not fit its field; `otherwise`: other possible
        causes."""
        if cost > self.most_cost:
            field = f"the field 'cost' ({self.state['cost']})"
            text = f"the search has reached costs above {self.most_cost}, each of which overflows {field}"
            raise BadPuzzle(f"{self.name}: {text}{otherwise}: {self._wider}")

    def cost_falls(self) -> BadPuzzle:
        """Return the error of a move that lowers the cost."""
        text = f"a move leads to less cost, or to one that overflows the field 'cost' ({self.state['cost']})"
        return BadPuzzle(f"{self.name}: {text}: let no cost fall, and {self._wider} (parsolve check finds the state)")

    @property
    def _wider(self) -> str:
        wider = {1: "uint16", 2: "uint32"}.get(self.state["cost"].itemsize)
        return f"give 'cost' a wider dtype, such as {wider}" if wider else "measure costs in larger units"


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
