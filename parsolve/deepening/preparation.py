"""Preparation: what a search needs before its first limit, and again when it continues with another bound."""

import time
from dataclasses import replace

from parsolve.deepening.better import BetterBounds
from parsolve.deepening.slices import Setup, adopt, searcher_for
from parsolve.deepening.transposition import TableMemory
from parsolve.problem.problem import Problem
from parsolve.problem.registry import Spec
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import Run


class Preparation:
    """A search that this thread can begin.

    Args:
        run: the search.
        memory: the transposition table's, an attribute too.
        is_given: whether the workers are those of the user's executor.

    Attributes:
        resumed: where an earlier run has stopped; None for a new search.
        problem: the run's, with the best bound so far.
        searcher: this thread's searcher of it.

    Raises:
        BadPuzzle, OutOfMemory: see `parsolve.solve`.
    """

    def __init__(self, run: Run, memory: TableMemory, is_given: bool) -> None:
        self._run, self.memory = run, memory
        self._better = BetterBounds(run.load, run.watch.listener)
        before, self.resumed = time.perf_counter(), run.store.resume(Checkpoint)
        self._has_branches = self.resumed is not None or run.request.part is not None or is_given
        self._prepare(run.problem, run.request.tuning.lasting)
        if self.resumed:
            self.improve_bound(max(self.resumed.nodes, *(each.nodes for each in self.resumed.iterations), 0))
        run.prepared(time.perf_counter() - before)

    def _prepare(self, problem: Problem, lasting: float = 0.0) -> None:
        """Prepare this thread for a problem, which it searches from now on; see `Searcher.warm_up`."""
        request = self._run.request
        lasting = 0.0 if self._has_branches else lasting
        searcher = searcher_for(problem, self._run.watch.max_memory)
        searcher.warm_up(self.memory.table, lasting)
        searcher.pace = replace(searcher.pace, fixed=request.budget, first=request.tuning.first_budget)
        if self._has_branches or (self._run.workers > 1 and not lasting):
            # Once here: a short search ends before its workers have compiled, and then nothing would be cached.
            searcher.warm_up_restoring()
        self.searcher, self.problem = searcher, problem
        adopt(searcher, self.setup.spec)

    @property
    def setup(self) -> Setup:
        """What workers need for slices, with the present table."""
        # Without a spec the search never leaves this thread, and this one is only a handle.
        spec = self.problem.spec or Spec(f"{self.problem.name}@{id(self.problem)}", {})
        return Setup(spec, self.problem.identity, self.memory.table, self.problem.supplier)

    def improve_bound(self, nodes: int) -> None:
        """Take the best bound that pays after an iteration of `nodes`, if there is one."""
        run, why = self._run, f"an iteration took {nodes:,} nodes"
        # The entries of a transposition table belong to this problem's keys, and a part's branches to its tree.
        if not self.memory.table.size and not run.request.part:
            self._better.take(self.problem, nodes, why, lambda better: self._prepare(run.supply(better)))
