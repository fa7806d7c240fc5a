"""What a puzzle's solutions may cost: its limits and steps, and costs that do not fit their field."""

import contextlib
import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle, CostFalls
from parsolve.problem.data import Array, digest_of
from parsolve.problem.hooks import call, call_method, returned, whole_number
from parsolve.puzzle.core import Puzzle
from parsolve.text import shown

NO_LIMIT = 1 << 34
"""A limit that cuts nothing: cost and bound have at most 32 bits. It is not greater, so that rules can shift it."""

NEAR = 128
"""The first limits of nearby roots differ by less than this."""

COMPARED = 256
"""Number of limits in a search's identity."""

MOST_STEPS = (1 << 16) - 1
"""The most moves of a solution that a search allows."""

_END = object()


def first_limit(root: Array) -> int:
    """Return the least limit within which a root, record[1], may have solutions."""
    return int(root["cost"][0]) + int(root["bound"][0])


class Costs:
    """What the solutions of a puzzle may cost.

    Args:
        puzzle: the puzzle.
        field: dtype of the cost in a row.
        differ: whether solutions differ in cost; otherwise the only limit is 0.

    Attributes:
        most: the greatest cost: the field's greatest value, one more, marks costs that do not fit; 0 if they are equal.
        has_steps: whether the puzzle says how many moves there are within a limit.
    """

    def __init__(self, puzzle: Puzzle, field: np.dtype[Any], differ: bool) -> None:
        self._puzzle, self._name, self._field, self._differ = puzzle, type(puzzle).__name__, field, differ
        self.most = int(np.iinfo(field).max) - 1 if differ else 0
        self._own_limits = type(puzzle).limits is not Puzzle.limits
        self.has_steps = type(puzzle).steps is not Puzzle.steps
        self._digests: dict[tuple[int, ...], str] = {}

    def limits(self, first: int) -> Iterator[int]:
        """Yield the limits to try, from a first one on."""
        if not self._differ:
            yield from range(first, 1)
            return
        if not self._own_limits:
            yield from itertools.count(first)
        limits = call(self._puzzle, "limits", self._puzzle.limits)
        if not isinstance(limits, Iterable):
            raise BadPuzzle(f"{self._name}: 'limits' must return whole numbers, not {returned(limits)}")
        if isinstance(limits, range) and limits.step > 0:  # of billions, perhaps
            limits = limits[bisect_left(limits, first) :]
        every = call(self._puzzle, "limits", lambda: iter(limits))
        before = -1
        while (limit := call(self._puzzle, "limits", lambda: next(every, _END))) is not _END:
            if not isinstance(limit, int | np.integer) or limit <= before:
                after = f" after {before}" if before >= 0 else ""
                raise BadPuzzle(f"{self._name}: 'limits' must give rising whole numbers, not {shown(limit)}{after}")
            before = int(limit)
            if before >= first:
                yield before

    def limits_near(self, root: Array) -> Iterator[int]:
        """Yield limits that nearby roots share: those of a root, record[1], and perhaps some before."""
        first = first_limit(root)
        return self.limits(0 if self._own_limits else first - first % NEAR)

    def steps(self, limit: int) -> int:
        """Return the greatest number of moves within a limit, at least 0.

        If the puzzle does not say it, it is a guess of at most `MOST_STEPS`: where costs are in small units, a solution
        has far fewer moves, and more where some moves cost nothing.
        """
        if not self.has_steps:
            return max(0, min(limit, MOST_STEPS))
        steps = whole_number(self._puzzle, "'steps'", call_method(self._puzzle, "steps", limit))
        if steps > MOST_STEPS:
            raise BadPuzzle(f"{self._name}: 'steps' must return a whole number below 65536, not {shown(steps)}")
        return max(0, steps)

    def digest(self, limits: Iterable[int]) -> str:
        """Return a digest of the first limits, each with its steps, as far as the puzzle gives them: the search may end
        before."""
        first: list[int] = []
        with contextlib.suppress(BadPuzzle):
            first.extend(itertools.islice(limits, COMPARED))
        key = tuple(first)
        if key not in self._digests:
            found: list[tuple[int, int]] = []
            with contextlib.suppress(BadPuzzle):
                found.extend((limit, self.steps(limit)) for limit in first)
            self._digests[key] = digest_of(found)
        return self._digests[key]

    def refuse_overflow(self, cost: int, otherwise: str = "") -> None:
        """Raise BadPuzzle if a search has reached a cost that does not fit its field; `otherwise`: other possible
        causes."""
        if cost > self.most:
            field = f"the field 'cost' ({self._field})"
            text = f"the search has reached costs above {self.most}, each of which overflows {field}"
            raise BadPuzzle(f"{self._name}: {text}{otherwise}: {self._wider}")

    def falling(self) -> CostFalls:
        """Return the error of a move that lowers the cost."""
        text = f"a move leads to less cost, or to one that overflows the field 'cost' ({self._field})"
        return CostFalls(f"{self._name}: {text}: let no cost fall, and {self._wider} (parsolve check finds the state)")

    @property
    def _wider(self) -> str:
        wider = {1: "uint16", 2: "uint32"}.get(self._field.itemsize)
        return f"give 'cost' a wider dtype, such as {wider}" if wider else "measure costs in larger units"
