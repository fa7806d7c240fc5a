"""Breadth-first search over keys with the cost of each state above its key, for graded graphs."""

from parsolve.breadth.keys import BY_ARRAY, Keys, Layer
from parsolve.breadth.threads import Threads
from parsolve.kernel.breadth import merge_least
from parsolve.kernel.chains import Chains
from parsolve.problem.problem import Problem


class Entries(Keys):
    """A breadth-first search over entries: keys, with the cost of each state above; see `kernel.chains`.

    Args:
        problem: what is searched: its graph is graded.
        threads: that share it.
    """

    def __init__(self, problem: Problem, threads: Threads) -> None:
        super().__init__(problem, threads, BY_ARRAY)
        self._expand_buckets, self._mark_keys = self._kernel.expand_entries, self._kernel.mark_entries
        self._merge_buckets = merge_least

    @property
    def _unsuited(self) -> str:
        return f"{self.problem.name}: its keys leave no room for costs, or costs are above 254"

    def _merge(self, children: Chains, older: tuple[int, ...] | None) -> Layer:
        return super()._merge(children, ())  # no state is reached by two numbers of moves
