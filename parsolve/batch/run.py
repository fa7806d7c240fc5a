"""One job, searched with a journal: started, resumed, or replayed from the journal where it is done."""

import contextlib
import json
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.batch.jobs import JobRequest, Settings
from parsolve.engines import solve, supplied
from parsolve.errors import BadInput, GuardStop, JournalGone, OutOfMemory
from parsolve.executors.adapter import Adapter
from parsolve.executors.pool.start import StartMethod
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.journal.store import JournalStore
from parsolve.parameters import bounding, values_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct
from parsolve.puzzle import Puzzle, Want
from parsolve.search.result import Result
from parsolve.search.watch import Listener

if TYPE_CHECKING:
    from distributed import Client


def get_or_create_job(
    journal: Journal,
    name: str,
    source: str,
    puzzle: Puzzle,
    want: Want,
    notes: dict[str, str],
    listener: Listener | None = None,
    check: Callable[[], None] = lambda: None,
    max_memory: int | None = None,
) -> Job:
    """Return a puzzle's job in a journal, new or as it stands; it may be resumed with another bound.

    Args:
        journal, name, source, want, notes: see `Journal.get_or_create`.
        puzzle: what is searched.
        listener, check, max_memory: for the tables of a job that was begun: what it searched is compared with what it
            would search now.

    Raises:
        BadInput: the journal has another job of that name.
        OtherData: the puzzle's data has changed since the job was started.
    """
    rules = Problem(puzzle, want).rules
    if source.endswith(".py") or ".py:" in source:
        source = str(Path(source).absolute())
    values, free = values_of(puzzle), bounding(type(puzzle))
    job = journal.get_or_create(name, source, values, want, rules, notes, free)
    if job.data:  # with the parameters that it had
        searched = Problem(construct(type(puzzle), job.parameters), want)
        supplied(searched, listener or Listener(), check, max_memory)
        journal.require_same_data(job, searched.identity.data)
    if job.state != "done" and job.parameters != json.loads(json.dumps(values)):
        job = journal.turn_to(job, values)
    return job


def record_failure(journal: Journal, request: JobRequest) -> None:
    """Record in a journal that a job's puzzle has failed; one that has searched something already stays as it is."""
    job = journal.job(request.name)
    if job is None or not (job.nodes or job.state == "done"):
        job = journal.get_or_create(request.name, request.source, {}, request.settings.want, "", request.notes)
    if job.state != "done":
        journal.stop(job, "stopped" if request.exit_code == GuardStop.exit_code else "failed", request.error)


def search(
    journal: Journal,
    job: Job,
    puzzle: Puzzle,
    settings: Settings,
    on_solution: Callable[[tuple[int, ...]], None],
    listener: Listener,
    check: Callable[[], None] = lambda: None,
    max_memory: int | None = None,
    start_method: StartMethod | None = None,
    executor: "Executor | Adapter | Client | None" = None,
    make_store: Callable[[Journal, Job, Listener, Callable[[], None]], JournalStore] = JournalStore,
) -> Result:
    """Search a job from where it stands to its end, and return its result.

    Whatever stops it, the journal says how far it came, and the next call resumes it.

    Args:
        journal: where checkpoints and solutions are written every few seconds.
        job: as `get_or_create_job` returned it.
        puzzle, settings: what is searched, and how.
        on_solution: called with each solution in depth-first order, from the first on, in each run.
        listener, check, max_memory, start_method, executor: see `solve`.
        make_store: makes the store of this search, for intervals other than the usual ones.
    """
    if job.state == "done":
        return replay_stored(journal, job, puzzle, on_solution, listener)
    store = make_store(journal, job, listener, check)
    try:
        result = solve(
            puzzle,
            want=settings.want,
            engine=settings.engine,
            workers=settings.workers,
            table=settings.table,
            limit=settings.limit,
            max_memory=max_memory,
            start_method=start_method,
            executor=executor,
            on_solution=on_solution,
            listener=listener,
            check=check,
            store=store,
        )
    except BaseException as error:
        stopped = not isinstance(error, Exception) or isinstance(error, GuardStop | OutOfMemory | BrokenPipeError)
        with contextlib.suppress(BadInput, JournalGone):  # the last checkpoint holds all the same
            journal.stop(job, "stopped" if stopped else "failed", str(error) or "interrupted")
        raise
    store.finish(result)
    return result


def replay_stored(
    journal: Journal, job: Job, puzzle: Puzzle, on_solution: Callable[[tuple[int, ...]], None], listener: Listener
) -> Result:
    """Return the result of a job that is done, without a search, and call `on_solution` with its solutions again."""
    result = Result(Problem(puzzle, job.want), job.want, job.workers)
    listener.search_started(result)
    for path in journal.solutions(job):
        on_solution(path)
        if result.is_single:
            break
    result.status = job.status  # type: ignore[assignment]
    result.cost, result.count, result.found_so_far = job.cost, job.count, job.found
    result.iterations, result.samples = journal.iterations(job), [*job.samples]
    result.nodes, result.seconds = job.nodes, job.seconds
    return result


def require_owner(journal: Journal, name: str) -> None:
    """Check that a journal holds a job, or nothing yet, for the commands that search a single one.

    Raises:
        BadInput: it holds other jobs only.
    """
    names = [job.name for job in journal.jobs()]
    if names and name not in names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise BadInput(f"the journal {journal.path} is of {names[0]}{more}, not of {name}: name another journal")
