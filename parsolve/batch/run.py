"""One job, searched with a journal: begun, or gone on with, or told from it where it is done."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from parsolve.batch.jobs import JobRequest, Settings
from parsolve.errors import BadInput, GuardStop, JournalGone, OutOfMemory
from parsolve.executors.pool.start import StartMethod
from parsolve.journal.journal import Journal
from parsolve.journal.keeper import JournalKeeper
from parsolve.journal.records import Job
from parsolve.parameters import values_of
from parsolve.problem import Problem
from parsolve.puzzle import Puzzle, Want
from parsolve.search.listener import Listener
from parsolve.search.result import Result
from parsolve.search.solve import solve


def get_or_create_job(
    journal: Journal, name: str, source: str, puzzle: Puzzle, want: Want, notes: dict[str, str]
) -> Job:
    """A puzzle's job in a journal, new or as it stands.

    Raises:
        BadInput: the journal has another of that name.
    """
    fingerprint = Problem(puzzle, want).fingerprint
    if source.endswith(".py") or ".py:" in source:
        source = str(Path(source).absolute())
    return journal.add(name, source, values_of(puzzle), want, fingerprint, notes)


def record_failure(journal: Journal, request: JobRequest) -> None:
    """Keep in a journal that a job's puzzle has failed; one that is begun already stands as it is."""
    job = journal.job(request.name)
    if job is None or not (job.nodes or job.state == "done"):
        job = journal.add(request.name, request.source, {}, request.settings.want, "", request.notes)
    if job.state != "done":
        journal.stop(job, "stopped" if request.exit_code == GuardStop.exit_code else "failed", request.error)


def search(
    journal: Journal,
    job: Job,
    puzzle: Puzzle,
    settings: Settings,
    on_solution: Callable[[tuple[int, ...]], None],
    report: Listener,
    check: Callable[[], None] = lambda: None,
    max_memory: int | None = None,
    start_method: StartMethod | None = None,
) -> Result:
    """Search a job from where it stands, to its end unless something stops it; then it can be gone on with.

    Args:
        journal: keeps what is found and what is left every few seconds.
        job: as `entered` gave it.
        puzzle, settings: what is searched, and how.
        on_solution: called with each solution in depth-first order, from the first on, in each run.
        report, check, max_memory, start_method: see `solve`.
    """
    if job.state == "done":
        return told(journal, job, puzzle, on_solution, report)
    keeper = JournalKeeper(journal, job, report, check)
    keeper.begin()
    try:
        found = solve(
            puzzle,
            want=settings.want,
            engine=settings.engine,
            workers=settings.workers,
            table=settings.table,
            max_memory=max_memory,
            start_method=start_method,
            on_solution=on_solution,
            report=report,
            check=check,
            keeper=keeper,
        )
    except BaseException as error:
        stopped = not isinstance(error, Exception) or isinstance(error, GuardStop | OutOfMemory | BrokenPipeError)
        with contextlib.suppress(BadInput, JournalGone):  # it stands as it was last kept
            journal.stop(job, "stopped" if stopped else "failed", str(error) or "interrupted")
        raise
    keeper.finish(found)
    return found


def told(
    journal: Journal, job: Job, puzzle: Puzzle, on_solution: Callable[[tuple[int, ...]], None], report: Listener
) -> Result:
    """What a job that is done has come to, its solutions once more."""
    found = Result(Problem(puzzle, job.want), job.want, job.workers)
    report.attach(found)
    for path in journal.solutions(job):
        on_solution(path)
        if job.want == "first":
            break
    found.status = job.status  # type: ignore[assignment]
    found.cost, found.count, found.found_so_far = job.cost, job.count, job.found
    found.iterations = journal.iterations(job)
    found.nodes, found.seconds = job.nodes, job.seconds
    return found


def require_owner(journal: Journal, name: str) -> None:
    """See that a journal holds a job, or nothing yet, for the commands that search one.

    Raises:
        BadInput: it is one of others.
    """
    names = [job.name for job in journal.jobs()]
    if names and name not in names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise BadInput(f"the journal {journal.path} is of {names[0]}{more}, not of {name}")
