"""Merge: the answer of a search from the journals of its parts."""

import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from pathlib import Path as FilePath
from typing import NamedTuple

from parsolve.errors import BadInput
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.journal.solutions import BEFORE_ALL, CHUNK, Found
from parsolve.problem.problem import Problem
from parsolve.search.branch import Path
from parsolve.search.part import Part, Tally
from parsolve.search.result import Iteration


class Share(NamedTuple):
    """What a part has given within a limit.

    Attributes:
        nodes: its nodes, with those above all units if it is the first part.
        weight: the weight of its solved states.
        cut: whether the limit has cut anything in it, or in a part of the same journal.
        digest: of the numbers of its units.
    """

    nodes: int
    weight: int
    cut: bool
    digest: bytes


@dataclass(frozen=True, slots=True)
class Source:
    """A journal's job of some parts. There may be many: of a job it holds only what is needed.

    Attributes:
        path: the journal's path.
        name, state, standing: the job's.
        part: the parts.
        share: how much of its running limit is finished, 0 to 1; 0 if that is unknown.
        nodes: of all limits.
    """

    path: FilePath
    name: str
    state: str
    standing: str
    part: Part
    share: float
    nodes: int


@dataclass(frozen=True)
class Missing:
    """Parts without which there is no answer.

    Attributes:
        part: the parts.
        source: the journal that has begun them; None if there is none.
    """

    part: Part
    source: Source | None


@dataclass(frozen=True)
class Merged:
    """What the journals say together.

    Attributes:
        status: `solved`, `none`, or `stopped` if parts are missing, or if there is no solution up to the last limit.
        cost, count: those of the search, if it is solved.
        iterations: the limits that the answer needs, as far as all parts have finished them.
        limit: the last limit that the answer needs.
        missing: the parts that are missing.
    """

    status: str
    cost: int | None
    count: int | None
    iterations: list[Iteration]
    limit: int
    missing: list[Missing]

    @property
    def nodes(self) -> int:
        """The nodes of all limits."""
        return sum(each.nodes for each in self.iterations)

    @property
    def by_cost(self) -> dict[int, int]:
        """The number of solutions by cost."""
        return {each.limit: each.solutions for each in self.iterations if each.solutions}


@dataclass
class Merging:
    """Takes one journal after another.

    Attributes:
        sources: the jobs.
        shares: what each part has given, by limit and part.
        seconds: seconds of all searches, by limit.
    """

    sources: list[Source] = field(default_factory=list)
    shares: dict[int, dict[int, Share]] = field(default_factory=lambda: defaultdict(dict))
    seconds: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    _jobs: list[tuple[FilePath, Job]] = field(default_factory=list)
    """The first job, and the first that has begun, which tells the rules and the data."""

    @property
    def doubled(self) -> list[str]:
        """A line for each journal with parts that an earlier one has too; where both have finished, they agree."""
        there: dict[int, FilePath] = {}
        lines = []
        for source in self.sources:
            numbers = range(source.part.first, source.part.last + 1)
            if twice := [number for number in numbers if number in there]:
                lines.append(f"part {twice[0]}/{self.of} is in {there[twice[0]]} and in {source.path}, which agree")
            there |= dict.fromkeys(numbers, source.path)
        return lines

    @property
    def has_limits(self) -> bool:
        """Whether there are limits that a search could be stopped at: those of a puzzle with costs."""
        return any(limit > 0 for limit in self.shares)

    @property
    def job(self) -> Job:
        """The first job that has begun, or else the first: the others differ in their part alone."""
        return self._jobs[-1][1]

    @property
    def journals(self) -> int:
        """The number of journals."""
        return len({source.path for source in self.sources})

    @property
    def of(self) -> int:
        """How many parts the tree has."""
        return self.sources[0].part.of

    def add(self, path: FilePath, name: str | None = None) -> None:
        """Add a journal.

        Args:
            path: its path.
            name: the name of the job; None for all of its jobs that are of parts.

        Raises:
            BadInput: it is not a journal of the same search; the message names the file.
        """
        with Journal(path, reading=True) as journal, journal.snapshot():
            before, last = len(self.sources), None
            for job in journal.each_job():
                if name in (None, job.name):
                    last = job
                    if job.part:
                        self._add(journal, job)
            if last is None:
                raise BadInput(f"{path} has no job {name!r}")
            if len(self.sources) == before:
                raise BadInput(
                    f"{path}: the job {last.name} is of the whole tree, not of a part (--part): merge adds parts"
                )

    def _add(self, journal: Journal, job: Job) -> None:
        seconds = {each.limit: each.seconds for each in journal.iterations(job)}
        checkpoint = None if job.state == "done" else journal.checkpoint(job)
        if checkpoint is not None and not checkpoint.branches:  # stopped between two limits
            seconds[checkpoint.limit] = checkpoint.iteration_seconds
        share = checkpoint.share if checkpoint and checkpoint.branches else 0.0
        part = Part.of_text(job.part)
        self._require_same(journal.path, job, part)
        for limit, each in seconds.items():
            self.seconds[limit] += each
        source = Source(journal.path, job.name, job.state, job.standing, part, share, job.nodes)
        for tally in journal.tallies(job):
            if tally.limit in seconds:
                self._take(source, tally)
        if job.want == "all":
            journal.verify(job)
        self.sources.append(source)

    def _require_same(self, path: FilePath, job: Job, part: Part) -> None:
        """Check that a job belongs to the search of the others.

        Raises:
            BadInput: it does not.
        """
        if not self._jobs:
            self._jobs.append((path, job))
            return
        (first_path, first), (begun_path, begun) = self._jobs[0], self._jobs[-1]
        here, there = _search_of(job, part), _search_of(first, Part.of_text(first.part))
        if job.rules and begun.rules:
            here |= {"rules": job.rules, "data": job.data}
            there |= {"rules": begun.rules, "data": begun.data}
        for name in {**there, **here}:
            if here.get(name) != there.get(name):
                if name in ("rules", "data"):
                    how = f"other {name} of the puzzle than {begun_path}"
                else:
                    how = f"{name} {here.get(name)}, not {there.get(name)} as {first_path}"
                raise BadInput(f"{path} has {how}: it is of another search")
        if job.rules and not begun.rules:
            self._jobs.append((path, job))

    def _take(self, source: Source, tally: Tally) -> None:
        """Take the finished tally of a journal."""
        if outside := {*tally.parts} - {*range(source.part.first, source.part.last + 1)}:
            raise BadInput(f"{source.path}: there is a unit of part {min(outside)} in the journal of {source.part}")
        shares = self.shares[tally.limit]
        for part, (nodes, weights) in _by_part(tally, source.part).items():
            digest = hashlib.sha256(json.dumps((nodes, weights)).encode()).digest()[:16]
            above = tally.above if part == 1 else 0
            share = Share(sum(nodes) + above, sum(weights), tally.cut, digest)
            known = shares.setdefault(part, share)
            if known._replace(cut=share.cut) != share:
                raise BadInput(
                    f"{source.path}: part {part} gives {share.weight} by {share.nodes} nodes within the limit"
                    f" {tally.limit}, and {known.weight} by {known.nodes} in another journal"
                )

    def merged(self, problem: Problem) -> Merged:
        """Return what the journals say together.

        Args:
            problem: the problem of their job.
        """
        productive = [limit for limit, shares in self.shares.items() if any(each.weight for each in shares.values())]
        first = min(productive, default=None)
        last = max(self.shares, default=0) if first is None else first + self.job.slack
        limits = list(itertools.takewhile(lambda limit: limit <= last, problem.limits())) if self.shares else []
        iterations: list[Iteration] = []
        for limit in limits:
            shares = self.shares.get(limit, {})
            if len(shares) < self.of:
                break
            weight = sum(each.weight for each in shares.values())
            nodes = sum(each.nodes for each in shares.values())
            iterations.append(Iteration(limit, nodes, problem.total(weight), self.seconds[limit]))
            if not self.is_cut(limit, problem):
                limits = [each for each in limits if each <= limit]  # no further limit has more
                break
        limit = limits[-1] if limits else last
        is_whole = len(iterations) == len(limits) > 0
        missing = [] if is_whole else self._missing(limits)
        if not is_whole:
            return Merged("stopped", None, None, iterations, limit, missing)
        if first is None:
            status = "stopped" if self.is_cut(limit, problem) else "none"
            return Merged(status, None, 0 if status == "none" else None, iterations, limit, [])
        count = sum(each.solutions for each in iterations)
        return Merged("solved", first if problem.has_cost else None, count, iterations, limit, [])

    def is_cut(self, limit: int, problem: Problem) -> bool:
        """Return whether a further limit may have more: only then is it searched."""
        return problem.has_cost and any(each.cut for each in self.shares[limit].values())

    def _missing(self, limits: list[int]) -> list[Missing]:
        """Return the parts that have not finished all limits that are needed."""
        absent: Iterable[int] = range(1, self.of + 1)
        if limits:
            absent = [part for part in absent if not all(part in self.shares.get(limit, {}) for limit in limits)]
        by_part = {
            number: source for source in self.sources for number in range(source.part.first, source.part.last + 1)
        }
        missing: list[Missing] = []
        for number in absent:
            source, last = by_part.get(number), missing[-1] if missing else None
            if last is not None and last.source is source and last.part.last == number - 1:
                missing[-1] = Missing(Part(self.of, last.part.first, number), source)
            else:
                missing.append(Missing(Part(self.of, number, number), source))
        return [Missing(each.source.part, each.source) if each.source else each for each in missing]

    def solutions(self, limit: int) -> Iterator[Path]:
        """Yield the solutions of all parts up to a limit, by limit and in depth-first order."""
        before = (limit + 1, ())
        last = None
        for found in merge(*(_found(source, before) for source in self.sources)):
            if found != last:  # two journals may have the same part
                yield found[1]
            last = found


def _by_part(tally: Tally, part: Part) -> dict[int, tuple[Sequence[int], Sequence[int]]]:
    """Return the nodes and the weights of the units of each part."""
    if part.first == part.last:
        return {part.first: (tally.nodes, tally.weights)}
    found: dict[int, tuple[list[int], list[int]]] = {each: ([], []) for each in range(part.first, part.last + 1)}
    for each, nodes, weight in zip(tally.parts, tally.nodes, tally.weights, strict=True):
        found[each][0].append(nodes)
        found[each][1].append(weight)
    return {**found}


def _found(source: Source, before: Found) -> Iterator[Found]:
    """Yield the solutions of a journal, which is open only while some are read: there may be many journals."""
    last = BEFORE_ALL
    while True:
        with Journal(source.path, reading=True) as journal:
            job = journal.job(source.name)
            chunk = [] if job is None else list(itertools.islice(journal.found(job, last, before), CHUNK))
        yield from chunk
        if len(chunk) < CHUNK:
            return
        last = chunk[-1]


def _search_of(job: Job, part: Part) -> dict[str, object]:
    """Return what all parts of a search have in common."""
    own = {"puzzle": job.source.rpartition(":")[2], "parts": part.of, "want": job.want, "slack": job.slack}
    return {**job.parameters, **own}
