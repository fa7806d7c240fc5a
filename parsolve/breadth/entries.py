"""Breadth-first search over keys with the cost of each state above its key, for graded graphs."""

from parsolve.breadth.keys import BY_ARRAY, Keys, Layer
from parsolve.breadth.threads import Threads
from parsolve.kernel import chains as kernel_code
from parsolve.kernel.functions import cached
from parsolve.problem.problem import Problem

cached_merge_least = cached(kernel_code.merge_least)


class Entries(Keys):
    """A breadth-first search over entries: keys, with the cost of each state above; see `kernel.chains`.

    Args:
        problem: what is searched: its graph is graded.
        threads: that share it.
    """

    def __init__(self, problem: Problem, threads: Threads) -> None:
        super().__init__(problem, threads, BY_ARRAY)
        self._expand_buckets, self._mark_keys = self._kernel.expand_entries, self._kernel.mark_entries

    @property
    def _unsuited(self) -> str:
        return f"{self.problem.name}: its keys leave no room for costs, or costs are above 254"

    def _merge(self, children: Layer, older: tuple[int, ...] | None) -> Layer:
        return self._merged(cached_merge_least, children, (), None)
