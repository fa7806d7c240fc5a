"""Recheck: a share of the tasks is searched by two workers, whose outcomes must be the same.

Processors err: in a large fleet a few in a thousand. What a slice finds, and where it ends, follows from its branches
and its budget alone, so its outcomes are compared in full.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parsolve.deepening.frontier import Task
from parsolve.deepening.outcome import Outcome, solutions_of
from parsolve.deepening.slices import Assignment, run_named_slice, run_slice
from parsolve.errors import Disagreement
from parsolve.executors.pool.pool import ProcessPool


@dataclass(frozen=True)
class Recheck:
    """Lets two workers of a pool search a share of the tasks.

    Attributes:
        share: the share of the tasks, 0 to 1.
        pool: the processes.
    """

    share: float
    pool: ProcessPool

    def chooses(self, assignment: Assignment, task: Task) -> bool:
        """Return whether two workers search a task: by a hash of the limit and of where the task begins."""
        text = f"{assignment.limit} {task.items[0].order}"
        digest = hashlib.sha256(text.encode()).digest()
        return int.from_bytes(digest[:8]) < self.share * (1 << 64)

    def call_of(self, assignment: Assignment, task: Task) -> tuple[Callable[..., Outcome], tuple[Any, ...]]:
        """Return the call of a task; the outcome of one that two workers search names its worker."""
        function = run_named_slice if self.chooses(assignment, task) else run_slice
        return function, (assignment, task.branches, task.budget)

    def require_same(self, assignment: Assignment, task: Task, one: Outcome, other: Outcome) -> None:
        """Compare the outcomes of a task by two workers.

        Raises:
            Disagreement: they differ; the message has both.
        """
        if _compared(one) != _compared(other):
            raise Disagreement(
                f"two workers disagree: the branches from {task.items[0].named()} on, within the limit"
                f" {assignment.limit} and {task.budget:,} nodes, have {_said(one)}, and {_said(other)}; a processor or"
                " a memory errs, and neither counts"
            )


def _compared(outcome: Outcome) -> tuple[Any, ...]:
    """Return all of an outcome that follows from its task."""
    return outcome.nodes, outcome.found, solutions_of(outcome), outcome.cut, outcome.rest, outcome.each, outcome.counts


def _said(outcome: Outcome) -> str:
    """Return an outcome and its worker in words; the digest shows other differences than the numbers."""
    digest = hashlib.sha256(repr(_compared(outcome)).encode()).hexdigest()[:8]
    return f"{outcome.found:,} solutions by {outcome.nodes:,} nodes (digest {digest}) by {outcome.worker}"
