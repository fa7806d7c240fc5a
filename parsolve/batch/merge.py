"""Merge: the answer of a search from the journals of its parts."""

import bisect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from pathlib import Path as FilePath
from typing import NamedTuple

from parsolve.errors import BadInput
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import Job
from parsolve.journal.solutions import BEFORE_ALL, CHUNK, Listed
from parsolve.problem.problem import Problem
from parsolve.search.branch import Path
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.cuts import NOTHING, least_cut, limit_after
from parsolve.search.part import Part
from parsolve.search.result import Iteration


@dataclass(frozen=True, slots=True)
class PartJob:
    """A journal's job of some parts. There may be many: of a job it holds only what is needed.

    Attributes:
        path: the journal's path.
        name, state, standing: the job's.
        part: the parts.
        share: how much of its running limit is finished, 0 to 1; 0 if that is unknown.
        finished: its finished limits, ascending.
    """

    path: FilePath
    name: str
    state: str
    standing: str
    part: Part
    share: float
    finished: Sequence[Iteration]

    def at(self, limit: int) -> Iteration | None:
        """Return what it has found within a limit; if it has jumped over it, the nodes of the limit before, which would
        be visited again; None if it has not come so far."""
        number = bisect.bisect(self.finished, (limit + 1,))
        before = self.finished[number - 1] if number else None
        if before is None or before.limit == limit:
            return before
        return None if NOTHING < before.cut <= limit else Iteration(limit, before.nodes, 0, 0.0, cut=before.cut)


class Missing(NamedTuple):
    """Parts without which there is no answer, and the journal that has begun them; None if there is none."""

    part: Part
    job: PartJob | None


@dataclass(frozen=True)
class Merged:
    """What the journals say together.

    Attributes:
        status: `solved`, `none`, or `stopped` if parts are missing, or if there is no solution up to the last limit.
        limit: the last limit that the answer needs.
        iterations: the limits that the answer needs, as far as all parts have finished them.
        cost, count: those of the search, if it is solved.
        missing: the parts that are missing.
    """

    status: str
    limit: int
    iterations: list[Iteration]
    cost: int | None = None
    count: int | None = None
    missing: Sequence[Missing] = ()

    @property
    def nodes(self) -> int:
        """The nodes of all limits."""
        return sum(each.nodes for each in self.iterations)

    @property
    def by_cost(self) -> dict[int, int]:
        """The number of solutions by cost."""
        return {each.limit: each.solutions for each in self.iterations if each.solutions}


class Merging:
    """Takes one journal after another.

    Attributes:
        jobs: the jobs of parts.
        job: the first that has begun, or else the first: the others differ in their part alone.
    """

    job: Job

    def __init__(self) -> None:
        self.jobs: list[PartJob] = []
        self._of_part: dict[int, PartJob] = {}

    @property
    def limits(self) -> set[int]:
        """The limits that any part has finished."""
        return {each.limit for job in self.jobs for each in job.finished}

    @property
    def seconds(self) -> float:
        """Seconds of all searches."""
        return sum(each.seconds for job in self.jobs for each in job.finished)

    @property
    def journals(self) -> int:
        """The number of journals."""
        return len({job.path for job in self.jobs})

    @property
    def of(self) -> int:
        """How many parts the tree has."""
        return self.jobs[0].part.of

    def add(self, path: FilePath, name: str | None = None) -> None:
        """Add a journal.

        Args:
            path: its path.
            name: the name of the job; None for all of its jobs that are of parts.

        Raises:
            BadInput: it is not a journal of the same search, or has a part that another one has; the message names the
                file.
        """
        with JournalReader(path) as journal, journal.snapshot():
            before, last = len(self.jobs), None
            for job in journal.each_job():
                if name in (None, job.name):
                    last = job
                    if job.part:
                        self._add(journal, job)
            if last is None:
                raise BadInput(f"{path} has no job {name!r}" if name else f"{path} has no jobs yet")
            if len(self.jobs) == before:
                raise BadInput(
                    f"{path}: the job {last.name} is of the whole tree, not of a part (--part): merge adds parts"
                )

    def _add(self, journal: JournalReader, job: Job) -> None:
        part = Part.of_text(job.part)
        if self.jobs:
            self._require_same(journal.path, job, part)
        if not self.jobs or (job.rules and not self.job.rules):
            self.job = job
        finished = journal.iterations(job)
        begun = journal.checkpoint(job)
        if isinstance(begun, Checkpoint) and not begun.branches:  # stopped between two limits
            finished.append(Iteration(begun.limit, begun.nodes, 0, begun.iteration_seconds, begun.weight, begun.cut))
        share = begun.share if isinstance(begun, Checkpoint) and begun.branches else 0.0
        added = PartJob(journal.path, job.name, job.state, job.standing, part=part, share=share, finished=finished)
        for number in range(part.first, part.last + 1):
            if number in self._of_part:
                twice = f"part {number}/{part.of} is in {self._of_part[number].path} and in {added.path}"
                raise BadInput(f"{twice}: leave out one")
            self._of_part[number] = added
        if job.want == "all":
            journal.verify(job)
        self.jobs.append(added)

    def _require_same(self, path: FilePath, job: Job, part: Part) -> None:
        """Check that a job belongs to the search of the others."""
        here, there = _search_of(job, part), _search_of(self.job, self.jobs[0].part)
        if job.rules and self.job.rules:
            here |= {"rules": job.rules, "data": job.data}
            there |= {"rules": self.job.rules, "data": self.job.data}
        for name in {**there, **here}:
            if here.get(name) != there.get(name):
                how = f"{name} {here.get(name)}, not {there.get(name)} as {self.jobs[0].path}"
                if name in ("rules", "data"):
                    how = f"other {name} of the puzzle than {self.jobs[0].path}"
                raise BadInput(f"{path} has {how}: it is of another search")

    def merged(self, problem: Problem) -> Merged:
        """Return what the journals say together.

        Args:
            problem: the problem of their job.
        """
        there = self.limits
        first = min((each.limit for job in self.jobs for each in job.finished if each.weight), default=None)
        last = max(there, default=0) if first is None else first + self.job.slack
        iterations: list[Iteration] = []
        limit: int | None = next(problem.limits(), None) if there else last
        while limit is not None and (limit <= last or not iterations):
            given = [each for job in self.jobs if (each := job.at(limit))]
            if len(given) < len(self.jobs) or len(self._of_part) < self.of:
                return Merged("stopped", last, iterations, missing=self._missing({limit, *({last} & there)}))
            nodes, weight = sum(each.nodes for each in given), sum(each.weight for each in given)
            seconds = sum(each.seconds for each in given)
            iterations.append(Iteration(limit, nodes, problem.total(weight), seconds))
            limit = limit_after(problem, limit, least_cut(*(each.cut for each in given)))
        last = iterations[-1].limit
        if first is None:
            return Merged("stopped" if limit else "none", last, iterations, count=None if limit else 0)
        count = sum(each.solutions for each in iterations)
        return Merged("solved", last, iterations, cost=first if problem.has_cost else None, count=count)

    def _missing(self, limits: set[int]) -> list[Missing]:
        """Return the parts that have not finished all limits that are needed."""
        missing: list[Missing] = []
        next_ = 1
        for job in sorted(self.jobs, key=lambda job: job.part):
            if job.part.first > next_:
                missing.append(Missing(Part(self.of, next_, job.part.first - 1), None))
            if not all(map(job.at, limits)):
                missing.append(Missing(job.part, job))
            next_ = job.part.last + 1
        return missing if next_ > self.of else [*missing, Missing(Part(self.of, next_, self.of), None)]

    def solutions(self, limit: int) -> Iterator[Path]:
        """Yield the solutions of all parts up to a limit, by limit and in depth-first order."""
        for _, path in merge(*(_found(job, (limit + 1, ())) for job in self.jobs)):
            yield path


def _found(part_job: PartJob, before: Listed) -> Iterator[Listed]:
    """Yield the solutions of a journal, which is open only while some are read: there may be many journals."""
    last = BEFORE_ALL
    while True:
        with JournalReader(part_job.path) as journal:
            job = journal.job(part_job.name)
            chunk = [] if job is None else list(itertools.islice(journal.limits_and_paths(job, last, before), CHUNK))
        yield from chunk
        if len(chunk) < CHUNK:
            return
        last = chunk[-1]


def _search_of(job: Job, part: Part) -> dict[str, object]:
    """Return what all parts of a search have in common."""
    own = {"puzzle": job.source.rpartition(":")[2], "parts": part.of, "want": job.want, "slack": job.slack}
    return {**job.parameters, **own}
