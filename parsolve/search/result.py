"""What a search comes to."""

from dataclasses import dataclass, field
from typing import Literal

from parsolve.problem import Problem
from parsolve.puzzle import Want
from parsolve.replay import Solution


@dataclass(frozen=True)
class Iteration:
    """What one limit came to: nodes are states visited, the root included; seconds are those of the search."""

    limit: int
    nodes: int
    solutions: int
    seconds: float


@dataclass
class Result:
    """What a search has come to; filled while it runs.

    Attributes:
        problem: what was searched.
        want: what was asked for.
        status: `solved`; `none`: searched to the end without a solution; `stopped`: not finished.
        cost: of the cheapest solutions; None if none is known, or where the puzzle has no cost.
        count: how many there are, exactly; None if that is not known.
        found_so_far: how many have been found.
        paths: the solutions as moves, in depth-first order, if they were to be kept.
        iterations: the limits that were finished.
        nodes: states visited, the root included in each iteration.
        seconds: of the search alone, kernels and tables ready.
        setup_seconds: of getting ready.
        workers: how many searched at most.
    """

    problem: Problem
    want: Want
    workers: int
    status: Literal["solved", "none", "stopped"] = "stopped"
    cost: int | None = None
    count: int | None = None
    found_so_far: int = 0
    paths: list[tuple[int, ...]] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0
    setup_seconds: float = 0.0

    @property
    def solutions(self) -> list[Solution]:
        """The solutions, if they were to be kept: their moves, their states and their text."""
        return [Solution(path, self.problem) for path in self.paths]
