"""Driver: one iteration, with a clock.

    frontier ─▶ task ─▶ this process, or a worker (`remote`) ─▶ outcome ─▶ frontier, solutions

The driver adds what the frontier must not know: how long slices take, who keeps the solutions, and what is done
between two outcomes. An outcome counts once it has arrived here.
"""

import math
import time
from collections.abc import Callable

from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.outcome import Outcome, solutions_of
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.slices import Assignment, search_slice
from parsolve.search.branch import Path
from parsolve.search.progress import Progress


class Driver:
    """Searches one iteration.

    Args:
        assignment: the task of each slice; it may be replaced between two outcomes.
        frontier: the open branches.
        progress: kept up to date.
        found: called with the solutions of an outcome, in depth-first order.
        send_out: called after each outcome with the position of the first open branch; None if nothing is open.
        between: called with the driver after each outcome, and every `Tuning.poll` seconds while none arrives: checks
            the stop conditions, reports the progress, saves. Any exception it raises ends the search.
        count: returns the number of solutions that solved states of a weight stand for.
        until: the end of a machine's task, by `time.monotonic`: nothing is handed out after it. It may be replaced too.
    """

    def __init__(
        self,
        assignment: Assignment,
        frontier: Frontier,
        progress: Progress,
        *,
        found: Callable[[list[Path]], None],
        send_out: Callable[[Path | None], None] = lambda earliest: None,
        between: "Callable[[Driver], None]" = lambda driver: None,
        count: Callable[[int], int] = int,
        until: float = math.inf,
    ) -> None:
        self.assignment, self.frontier, self.progress = assignment, frontier, progress
        self.between, self.until = between, until
        self._found, self._send_out, self._count = found, send_out, count
        self._weight = frontier.weight
        self._tuning = frontier.tuning

    def run_here(self, searcher: Searcher, seconds: float) -> None:
        """Search in this thread until the iteration is done or `seconds` have passed, at least one slice."""
        until = time.monotonic() + seconds
        while not self.frontier.done:
            young = max(self._tuning.patch, self.progress.seconds)
            most = min(until - time.monotonic(), young, self._tuning.slice_seconds / 2)
            # The branches that a part begins with may be small.
            task = self.frontier.take_first(max(0.001, most), self._tuning.bundle)
            assert task is not None
            self.finish(task, search_slice(searcher, self.assignment, task.branches, task.budget))
            self.between(self)
            if time.monotonic() >= until:
                return

    @property
    def seconds_of_slices(self) -> tuple[float, float]:
        """The length of the next slice while there is plenty of work, and while there is not."""
        tuning, left = self._tuning, self._left
        short = min(tuning.short_slice, max(tuning.shortest_slice, left / 4))
        short = max(short, tuning.coordination * self.frontier.running)
        # Tasks are short while an iteration is young; those of a machine's own processes end with its task.
        young = self.progress.seconds * tuning.slice_part if math.isinf(self.until) else math.inf
        return max(min(tuning.slice_seconds, young, left / 4), short), short

    @property
    def over(self) -> bool:
        """Whether its time is over, so that nothing more is handed out; at least one slice has run by then."""
        return time.monotonic() >= self.until and self.frontier.nodes > 0

    @property
    def _left(self) -> float:
        """Seconds left, as far as is known: infinite at first."""
        left = math.inf if self.progress.left is None else self.progress.left
        return max(0.0, min(left, self.until - time.monotonic()))

    def finish(self, task: Task, outcome: Outcome) -> list[Task]:
        """Take the outcome of a task; return the tasks that are no longer needed."""
        if len(outcome.paths):
            self._found(solutions_of(outcome.paths))
        dropped = self.frontier.finish(task, outcome)
        progress, frontier = self.progress, self.frontier
        progress.nodes, progress.share = frontier.nodes, frontier.share
        if frontier.weight != self._weight:
            self._weight, progress.found = frontier.weight, self._count(frontier.weight)
        self._send_out(frontier.earliest)
        return dropped
