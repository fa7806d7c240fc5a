"""How one search goes, on stderr and in the log: its limits, its progress, its result."""

import os
import time

from parsolve.cli.terminal.log import log_event
from parsolve.cli.terminal.messages import Messages
from parsolve.parameters import values_of
from parsolve.problem.problem import Problem
from parsolve.search.result import Iteration, Result
from parsolve.text import plural

EVERY, PAUSE = 100, 1.0
"""Limits that are all shown; of further ones without solutions, one every some seconds."""


class Screen(Messages):
    """Prints how one search goes, on stderr: its limits, a progress bar, its result. Logs the same as events.

    Args:
        name: of the puzzle or the job.
        problem: what is searched.
        quiet: print nothing but errors and warnings.

    Attributes:
        hint: a remark on the number of solutions.
        on_stop: what to do to resume a search that was stopped.
    """

    hint = on_stop = ""

    def __init__(self, name: str, problem: Problem, quiet: bool = False) -> None:
        super().__init__(name, quiet)
        self.puzzle, self.want = problem.given, problem.want or "all"
        self.result = Result(problem, self.want, 0)
        self._limits, self._limit_shown = 0, 0.0

    def search_started(self, result: Result) -> None:
        super().search_started(result)
        about = {"puzzle": type(self.puzzle).__name__, "parameters": values_of(self.puzzle), "want": self.want}
        log_event("start", name=self.name, **about, workers=result.workers, process=os.getpid())

    def iteration_finished(self, iteration: Iteration) -> None:
        self.close_bar()
        log_event("limit", name=self.name, **iteration.to_dict())
        if not self.result.problem.has_cost:  # the one limit; the last line has the same figures
            return
        self._limits += 1
        now = time.monotonic()
        if self._limits > EVERY and now < self._limit_shown + PAUSE and not iteration.solutions:
            return
        self._limit_shown = now
        at_least = "at least " if self.result.is_cut else ""
        self.write(
            f"limit {iteration.limit}: {at_least}{plural(iteration.solutions, 'solution')},"
            f" {plural(iteration.nodes, 'node')}, {iteration.seconds:.3f} s"
        )

    def search_resumed(self, share: float) -> None:
        log_event("resume", name=self.name, share=share)
        self.write(f"resuming an earlier run: {share:.1%} of this limit is done")

    def finished(self) -> None:
        """Report the result of a finished search."""
        result = self.result
        self._end(result.status)
        hint = self.hint and f"; {self.hint}"
        part = f"part {result.part}: " if result.part else ""
        if result.status == "none":
            self.write(f"no solution: {result.message}" if result.message else f"{part}no solution{hint}")
        elif result.status == "more":
            self.write(f"more than {plural(result.at_most or 0, 'solution')}{self._effort()}{hint}")
        elif result.count is None:
            which = "the first solution" if result.want == "first" else "a solution"
            self.write(f"{which}{self._effort()}")
        else:
            self.write(f"{part}{plural(result.count, 'solution')}{self._effort()}{hint}")

    def stopped(self, why: str = "interrupted") -> None:
        """Report what is known so far, after a signal or a guard has ended the search."""
        result = self.result
        self._end("stopped", message=why)
        known = (
            f"{plural(result.found_so_far, 'solution')} found so far"
            if result.found_so_far
            else "no solution found yet"
        )
        limit = f", limits up to {result.iterations[-1].limit} finished" if result.iterations else ""
        self.write(f"stopped before the end: {known}{limit}{self.on_stop and f'; {self.on_stop}'}", always=True)

    def failed(self, why: str) -> None:
        """Log that the search has failed; the caller prints why."""
        self._end("failed", message=why)

    def _end(self, status: str, **more: str) -> None:
        self.close_bar()
        result = self.result
        known = {name: getattr(result, name) for name in ("cost", "count", "found_so_far", "nodes", "seconds")}
        log_event("end", name=self.name, status=status, **known, **more)

    def _effort(self) -> str:
        result = self.result
        cost = "" if result.cost is None else f" of cost {result.cost}"
        cost += f" to {result.cost + result.slack}" if result.cost is not None and result.slack else ""
        cost += "" if result.is_cheapest else ", which may not be the cheapest"
        return f"{cost}: {plural(result.nodes, 'node')}, {result.seconds:.3f} s, {plural(result.workers, 'worker')}"
