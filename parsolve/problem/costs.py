"""The limits of a puzzle's searches, the moves that a limit allows, and costs that do not fit their field."""

import contextlib
import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.problem.hooks import call, call_method, whole_number
from parsolve.problem.states import Array, States
from parsolve.puzzle import Puzzle
from parsolve.text import shown

NEAR = 128
"""The first limits of nearby roots differ by less than this."""

COMPARED = 64
"""Number of limits in a search's identity."""

MOST_STEPS = (1 << 16) - 1
"""The most moves of a solution that a search allows."""

_END = object()


class Costs(States):
    """The states of a puzzle, and what its solutions may cost; see `States`."""

    @cached_property
    def root(self) -> Array:
        """The first state: record[1]."""
        raise NotImplementedError

    def limits(self) -> Iterator[int]:
        """Yield the limits to try: the puzzle's, from the root's cost + bound on."""
        return self._limits_from(self._first_limit)

    def limits_near(self) -> Iterator[int]:
        """Yield limits that problems with nearby roots share: this problem's, and perhaps some before."""
        own = type(self.puzzle).limits is not Puzzle.limits
        return self._limits_from(0 if own else self._first_limit - self._first_limit % NEAR)

    @property
    def _first_limit(self) -> int:
        return int(self.root["cost"][0]) + int(self.root["bound"][0])

    def _limits_from(self, first: int) -> Iterator[int]:
        if not self.has_cost:
            yield 0
            return
        if type(self.puzzle).limits is Puzzle.limits:
            yield from itertools.count(first)
        every = call(self.puzzle, "limits", lambda: iter(self.puzzle.limits()))
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
        """Return the greatest number of moves within a limit, at least 0; at most `MOST_STEPS` if the puzzle does not
        say: where costs are in small units, a solution has far fewer moves."""
        if type(self.puzzle).steps is Puzzle.steps:
            return max(0, min(limit, MOST_STEPS))
        steps = whole_number(self.puzzle, "'steps'", call_method(self.puzzle, "steps", limit))
        if steps > MOST_STEPS:
            raise BadPuzzle(f"{self.name}: 'steps' must return a whole number below 65536, not {shown(steps)}")
        return max(0, steps)

    def first_limits(self) -> Iterator[tuple[int, int]]:
        """Yield the first limits, each with its steps, as far as the puzzle gives them: the search may end before."""
        with contextlib.suppress(BadPuzzle):
            for limit in itertools.islice(self.limits(), COMPARED):
                yield limit, self.steps(limit)

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
