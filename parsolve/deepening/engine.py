"""Iterative deepening as an engine: its executor and its transposition table, then limit after limit."""

import contextlib
from collections.abc import Iterator

from parsolve.deepening.iterations import Iterations
from parsolve.deepening.preparation import Preparation
from parsolve.deepening.transposition import TableMemory
from parsolve.deepening.workers import workers_of
from parsolve.errors import BadInput, BadPuzzle
from parsolve.executors.adapter import adapted
from parsolve.problem.problem import Problem
from parsolve.search.engine import Engine, Forecast, Run
from parsolve.search.request import Request
from parsolve.system.resources import free_memory


class Deepening(Engine):
    """Iterative deepening on any number of workers."""

    does = frozenset({"any", "limit", "slack", "transposition", "part"})

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse a transposition table for states without a key, and with slack: what may follow a state depends on the
        move that led there if rules forbid taking it back."""
        searched = self.problem(problem, request)
        if request.transposition and not searched.key_rule:
            raise BadInput(f"{problem.name} gives no key, which the transposition table needs")
        if request.transposition and request.slack:
            raise BadInput("the transposition table is for the cheapest solutions alone: leave it out, or slack")
        if request.transposition and request.part:
            raise BadInput("a part is searched without the transposition table: nodes would differ from run to run")

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem itself; or, for a count with a transposition table, the puzzle that sharing counts if only
        that one has a key."""
        if not request.transposition or request.want != "count" or problem.key_rule:
            return problem
        try:
            shared = problem.for_sharing
        except BadPuzzle:
            raise
        except BadInput:
            return problem
        return shared if shared.key_rule and shared.multiplicity == 1 else problem

    def resumes(self, problem: Problem, request: Request) -> bool:
        """Return whether it searches the problem itself: it cannot resume branches of another problem."""
        return self.problem(problem, request) is problem

    def estimate(self, run: Run, seconds: float, most: int) -> Iterator[Forecast]:
        """Yield the estimate of each limit, and what all take."""
        from parsolve.deepening.estimate import estimates

        return estimates(run, seconds, most)

    def search(self, run: Run) -> None:
        """Fill the run's result."""
        problem, request, tuning = run.problem, run.request, run.request.tuning
        size = problem.default_transposition if request.transposition is None else request.transposition
        if request.slack or request.part:
            size = 0
        elif request.transposition is None and size > 1 << 20:  # to ask how much is free takes 25 ms
            size = min(size, free_memory() // 2)
        # The workers of the user's executor may be on other machines.
        shared = run.workers > 1 and run.executor is None
        lease = tuning.lease if request.lease is None else request.lease
        with (
            adapted(run.executor, lease, tuning.machine_silence) as adapter,
            contextlib.closing(TableMemory(max(0, size), shared)) as memory,
        ):
            if request.part and adapter is not None and adapter.machines is not None:
                raise BadInput("a part is searched on one machine: leave out the cluster, or the part")
            ready = Preparation(run, memory, adapter is not None)
            before = ready.resumed.seconds if ready.resumed else 0.0
            having = workers_of(adapter, run.workers, ready.setup, request, run.watch.listener)
            with having as workers, run.searching(before) as stopwatch:
                Iterations(run, ready, workers, stopwatch).run()
