"""What the commands about a journal share: its jobs, their puzzle and its solutions."""

import fnmatch
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import nearest

if TYPE_CHECKING:
    from parsolve.batch.jobs import Draft
    from parsolve.journal.reader import JournalReader
    from parsolve.journal.records import Job
    from parsolve.problem.problem import Problem
    from parsolve.problem.replay import Solution

Each = TypeVar("Each", bound="Job | Draft")


def opened(path: str) -> "JournalReader":
    """Return a journal, to be read."""
    from parsolve.journal.reader import JournalReader

    return JournalReader(path)


def matching(
    path: Path | str, jobs: Sequence[Each], names: Sequence[str], patterns: Sequence[str] | None = None
) -> list[Each]:
    """Return the jobs that are named, or whose names match a pattern; all jobs if neither is given. Without patterns,
    whatever in `names` is no job's name is one.

    Raises:
        BadInput: a name or a pattern is that of no job.
    """
    known = [job.name for job in jobs]
    if patterns is None:
        names, patterns = [each for each in names if each in known], [each for each in names if each not in known]
    chosen: set[str] = set() if names or patterns else {*known}
    named = [(each, [each] if each in known else []) for each in names]
    for word, found in [*named, *((each, fnmatch.filter(known, each)) for each in patterns)]:
        if not found:
            raise BadInput(f"{path} has no job {word!r}{nearest(word, known)}")
        chosen.update(found)
    return [job for job in jobs if job.name in chosen]


def is_installed(source: str) -> bool:
    """Return whether a puzzle's code is parsolve's or an installed package's, which this user has chosen to have: a
    journal may name it."""
    from parsolve.problem.registry import instances_of, load_class, split_source
    from parsolve.puzzle.catalogue import families

    family, instance = split_source(source)
    return family in families() and (not instance or instance in instances_of(load_class(family)))


def solutions_of(journal: "JournalReader", job: "Job", named: str | None, stops: Stops) -> "Iterator[Solution]":
    """Return the solutions of a job so far, in depth-first order; see `problem_of`.

    Raises:
        BadInput: it only counts, or its puzzle is not the one that was named.
    """
    from parsolve.problem.replay import Solution

    if job.want == "count":
        raise BadInput(f"the job {job.name} only counts: it has no list of solutions")
    journal.verify(job)
    problem = problem_of(job, named, stops)

    def listed() -> "Iterator[Solution]":
        for path in journal.solutions(job):
            stops.check()
            yield Solution(path, problem)

    return listed()


def problem_of(job: "Job", named: str | None, stops: Stops) -> "Problem":
    """Return what a job searches: a built-in puzzle, an installed one, or the one that the command line names.

    Raises:
        BadInput: it is neither, or another one, or its rules or data have changed since.
    """
    from parsolve.cli.terminal.reporter import Reporter
    from parsolve.problem.problem import Problem
    from parsolve.problem.registry import make
    from parsolve.search.watch import Watch
    from parsolve.tables.databases import Databases

    if named is None and not is_installed(job.source):
        raise BadInput(
            f"the job {job.name} is of {job.source}, and looking at a journal runs no code that only the journal names:"
            f" add --puzzle {job.source}"
        )
    supplier = Databases(Watch(Reporter(job.name), stops.check))  # where solutions are shown, perhaps no state is
    problem = Problem(make(named or job.source, job.parameters), job.want, supplier=supplier)
    if named is not None and not job.has_rules_of(problem):
        raise BadInput(f"{named} is not the puzzle of the job {job.name}, or has been edited since")
    if named is not None and not job.has_data_of(problem):
        raise BadInput(f"the data that {named} reads has changed since the job {job.name} was started: restore it")
    return problem
