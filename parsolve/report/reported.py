"""One search in a report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parsolve.problem.hooks import text_from
from parsolve.problem.replay import Solution
from parsolve.puzzle.parameters import values_of
from parsolve.search.result import Iteration, Result
from parsolve.system.hardware import machine
from parsolve.text import plural

if TYPE_CHECKING:
    from parsolve.journal.records import Job


@dataclass
class ReportedSearch:
    """One search in a report.

    Attributes:
        searched: its result, or its job in a journal.
        status: how it has ended.
        name, puzzle, parameters, notes: what was searched.
        found, iterations: see `search.result.Result`.
        machine: the processor and versions; empty if unknown.
        began, ended: as text; empty if unknown.
        about: what the puzzle asks for; empty if unknown.
        solutions: the solutions to draw; read once.
        about_solutions: why none are drawn, or where the others are.
        chosen: whether the drawn solutions are a selection, instead of the first.
        up_to: the symmetries whose images count once; see `Puzzle.up_to`.
    """

    searched: "Result | Job"
    status: str
    name: str
    puzzle: str
    parameters: Mapping[str, Any]
    found: int
    iterations: Sequence[Iteration]
    notes: Mapping[str, Any] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    began: str = ""
    ended: str = ""
    about: str = ""
    solutions: Iterable[Solution] | None = None
    about_solutions: str = ""
    chosen: bool = False
    up_to: str = ""

    @property
    def rate(self) -> float:
        """Nodes a second."""
        return self.searched.nodes / self.searched.seconds if self.searched.seconds else 0.0

    @property
    def result(self) -> str:
        """Its result in words."""
        more = f"more than {plural(self.searched.at_most or 0, 'solution')}"
        result = {"none": "no solution", "more": more}.get(self.status, self.status)
        return f"{result}: {self.searched.message}" if self.searched.message else result

    def counted(self, found: str) -> str:
        """Return a text with the number of solutions, and whether it is final."""
        so_far = found if self.searched.count is not None else f"{found} so far"
        found = f"at least {found}" if self.status == "more" else so_far
        return f"{found}, up to {self.up_to}" if self.up_to else found


def reported_result(name: str, result: Result, paths: Sequence[tuple[int, ...]], rest: str) -> ReportedSearch:
    """Return the result of a search as an entry, with its first solutions as moves, and where the others are."""
    return ReportedSearch(
        searched=result,
        status=result.status,
        name=name,
        puzzle=type(result.problem.given).__name__,
        parameters=values_of(result.problem.given),
        found=result.at_least,
        iterations=result.iterations,
        machine=machine(),
        solutions=[Solution(path, result.problem) for path in paths] or None,
        about_solutions=rest if paths else "",
        up_to=text_from(result.problem.given, "up_to"),
    )
