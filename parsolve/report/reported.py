"""One search in a report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parsolve.problem.hooks import text_from
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import SINGLE
from parsolve.puzzle.parameters import values_of
from parsolve.search.result import Iteration, Result
from parsolve.system.hardware import machine
from parsolve.text import plural

if TYPE_CHECKING:
    from parsolve.journal.reader import JournalReader
    from parsolve.journal.records import Job


@dataclass(frozen=True)
class ReportedSearch:
    """One search in a report.

    Attributes:
        searched: its result, or its job in a journal.
        status: how it has ended.
        name, puzzle, parameters, notes: what was searched.
        found, iterations: see `search.result.Result`.
        machine: the processor and versions; empty if unknown.
        when: when it was searched, as text; empty if unknown.
        about: what the puzzle asks for; empty if unknown.
        solutions: the solutions to draw; read once.
        why_none: why none are drawn.
        rest: where those are that are not drawn.
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
    when: str = ""
    about: str = ""
    solutions: Iterable[Solution] | None = None
    why_none: str = ""
    rest: str = ""
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

    @property
    def costs(self) -> str:
        """What its solutions cost, such as `31` or `31 to 33`; empty if that is unknown."""
        cost, slack = self.searched.cost, self.searched.slack
        return "" if cost is None else f"{cost:,} to {cost + slack:,}" if slack else f"{cost:,}"

    def counted(self, noun: str = "", of: str = "") -> str:
        """Return how many solutions there are, as far as is known; with a noun, and `of` after it, in words."""
        found = plural(self.found, noun) + of if noun else f"{self.found:,}"
        if self.status == "solved" and self.searched.want in SINGLE:
            found = f"{'the first' if self.searched.want == 'first' else 'a'} solution{of}"
        elif self.status == "more":
            found = f"at least {found}"
        elif self.status == "none":
            found = f"no {noun}" if noun else "0"
        elif self.status != "solved":
            found = f"{found} so far"
        if self.searched.part:
            found = f"{found} in part {self.searched.part}"
        return f"{found}, up to {self.up_to}" if self.up_to and self.found else found


def reported_result(name: str, result: Result, paths: Sequence[tuple[int, ...]], rest: str) -> ReportedSearch:
    """Return the result of a search as an entry, with its first (or chosen) solutions, and where the others are."""
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
        rest="the others were left out" if result.request.chooses else rest,
        chosen=result.request.chooses,
        up_to=text_from(result.problem.given, "up_to"),
    )


def reported_job(journal: "JournalReader", job: "Job", puzzle: str, **known: Any) -> ReportedSearch:
    """Return a job of a journal as an entry; `known` is what its puzzle's code tells, where that may run."""
    return ReportedSearch(
        searched=job,
        status=job.standing,
        name=job.name,
        puzzle=puzzle,
        parameters=job.parameters,
        found=job.found,
        iterations=[*journal.iterations(job)],
        notes=job.notes,
        machine=job.machine,
        when=f"{job.began} to {job.ended}" if job.ended else f"from {job.began}" if job.began else "",
        rest="the rest is in the journal: parsolve show JOURNAL JOB --solutions",
        **known,
    )
