"""The limits that a search by iterative deepening goes through."""

import itertools
import math
from collections.abc import Iterator

from parsolve.errors import BadInput, BadPuzzle, GuardStop
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import Run


class Limits:
    """The limits of a search, by what is known so far.

    Args:
        run: what is asked for, and the result that is filled.
        last: see `Deepening`.

    Attributes:
        cut: see `Outcome.cut`, of the last limit that was searched.
    """

    def __init__(self, run: Run, last: int | None) -> None:
        self._result, self._asked = run.result, run.request.limit
        self._last = math.inf if last is None else last
        self._any = run.result.want == "any"
        self.cut = 0

    @property
    def dearest(self) -> float:
        """The greatest cost of solutions that are searched for: infinite before the first solution."""
        result = self._result
        return (result.cost or 0) + (result.slack or 0) if result.found_so_far else math.inf

    def each(self, resumed: Checkpoint | None) -> Iterator[int]:
        """Yield the limits, from that of an earlier run on.

        Raises:
            GuardStop: there is no solution up to the limit that was asked for.
            BadPuzzle, BadInput: an earlier run has found solutions that this one would not find.
        """
        self.cut = resumed.limit if resumed and not self._any else 0
        for limit in self._every():
            if resumed and limit != resumed.limit and resumed.found:
                raise self._contradicted(resumed)
            resumed = None
            if limit > self._last or limit > self.dearest:
                return
            if self._asked is not None and limit > self._asked:
                raise self._beyond(self._asked)
            self._result.problem.refuse_overflow(limit)
            yield limit

    def _every(self) -> Iterator[int]:
        """Yield the puzzle's first limit, and then the next one that reaches what the last one has cut off; for any
        solution the last one up to what was asked for, and the next."""
        limits, asked = self._result.problem.limits, self._asked
        if self._any and asked is not None:
            within = [*itertools.takewhile(lambda limit: limit <= asked, limits())]
            yield from [*within[-1:], *itertools.islice(limits(asked + 1), 1)]
            return
        limit = next(limits(self.cut), None)
        while limit is not None:
            yield limit
            limit = next(limits(max(limit + 1, self.cut)), None)

    def _beyond(self, asked: int) -> GuardStop:
        whose = f" of part {self._result.part}" if self._result.part else ""
        none = f"no solution{whose} costs {asked} or less"
        known = f"solutions that cost more than {asked} are not searched for"
        return GuardStop(f"{known if self._result.found_so_far else none}: the limit that was asked for")

    def _contradicted(self, resumed: Checkpoint) -> BadInput | BadPuzzle:
        """Return the error of an earlier run's iteration that found solutions, and is left out now."""
        if self._any:
            return BadInput(f"a solution up to the limit {resumed.limit} is known: give that limit, or another journal")
        return BadPuzzle(
            f"{self._result.problem.name}: solutions of cost {resumed.limit} are known, and the bound or the limits now"
            " say that there are none"
        )
