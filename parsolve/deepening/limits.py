"""The limits that a search by iterative deepening goes through."""

import itertools
import math

from parsolve.errors import BadInput, BadPuzzle
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.cuts import limit_after
from parsolve.search.engine import Run


class Limits:
    """The limits of a search, by what is known so far.

    Args:
        run: what is asked for, and the result that is filled.
    """

    def __init__(self, run: Run) -> None:
        self._problem, self._request, self._result = run.problem, run.request, run.result
        self._last = math.inf if run.last_limit is None else run.last_limit

    @property
    def dearest(self) -> float:
        """The greatest cost of solutions that are searched for: infinite before the first solution."""
        return (self._result.cost or 0) + (self._request.slack or 0) if self._result.found_so_far else math.inf

    def first(self, resumed: Checkpoint | None) -> int | None:
        """Return the limit to begin with: for any solution the last one up to what was asked for, and otherwise that of
        an earlier run, or the puzzle's first.

        Raises:
            GuardStop: it is beyond the limit that was asked for.
            BadPuzzle, BadInput: an earlier run has found solutions that this one would not find.
        """
        least, asked = resumed.limit if resumed else 0, self._request.limit
        if self._request.want == "any" and asked is not None:
            asked = min(asked, self._problem.costs.most)
            least = max(itertools.takewhile(lambda limit: limit <= asked, self._problem.limits()), default=0)
        limit = self._wanted(next(self._problem.limits(least), None))
        if resumed and resumed.weight and limit != resumed.limit:
            name = self._problem.name
            if self._request.want == "any":
                known = f"{name}: a solution up to the limit {resumed.limit} is known"
                raise BadInput(f"{known}: give that limit, or another journal")
            known = f"{name}: solutions of cost {resumed.limit} are known"
            raise BadPuzzle(f"{known}, and the bound or the limits now say that there are none")
        return limit

    def after(self, limit: int, cut: int) -> int | None:
        """Return the limit that follows, see `limit_after`; None if no solutions that are searched for are left.

        Raises:
            GuardStop: it is beyond the limit that was asked for.
        """
        if limit >= self.dearest or self._result.is_cut:
            return None
        return self._wanted(limit_after(self._problem, limit, cut))

    def _wanted(self, limit: int | None) -> int | None:
        """Return a limit if solutions of that cost are searched for, otherwise None; or raise a GuardStop."""
        asked = self._request.limit
        if limit is None or limit > min(self._last, self.dearest):
            return None
        if asked is not None and limit > asked:
            raise self._request.limit_reached(bool(self._result.found_so_far))
        return limit
