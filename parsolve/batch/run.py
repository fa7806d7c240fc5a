"""One job, searched with a journal: started, resumed, or replayed from the journal where it is done."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.batch.jobs import FileJob
from parsolve.engines import run
from parsolve.errors import BadInput, GuardStop, JournalGone, OtherJob, OutOfMemory
from parsolve.executors.adapter import Adapter
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job, Wanted
from parsolve.journal.store import JournalStore
from parsolve.parameters import bounding, values_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct
from parsolve.puzzle import Puzzle
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.tables.databases import supply, supply_later

if TYPE_CHECKING:
    from distributed import Client


DEFAULTS = Request()


def get_or_create_job(
    journal: Journal,
    name: str,
    source: str,
    problem: Problem,
    notes: dict[str, str],
    watch: Watch = UNWATCHED,
    request: Request = DEFAULTS,
) -> Job:
    """Return a puzzle's job in a journal, new or as it stands; it may be resumed with another bound.

    Args:
        journal, name, source, notes: see `records.Wanted`.
        problem: what is searched.
        watch: for the pattern databases of a job that was begun: what it searched is compared with what it would search
            now.
        request: how; what the answer depends on is part of the job.

    Raises:
        BadInput: the journal has another job of that name.
        OtherJob: the puzzle's rules or its data have changed since the job was started.
    """
    assert problem.want is not None
    if request.chooses:
        raise BadInput("a journal keeps all solutions: leave out skip, take and sample, or the journal")
    request = replace(request, want=problem.want)
    (job,) = journal.get_or_create([_wanted(name, source, problem.given, request, notes)])
    return _as_now(journal, job, problem, watch)


def get_or_create_jobs(journal: Journal, listed: Sequence[FileJob], watch_of: Callable[[str], Watch]) -> dict[str, Job]:
    """Return the jobs of a file in a journal by name, new or as they stand; what is new is created in one transaction.

    Of the jobs of a class that have begun, the first, second, fourth, eighth and so on are compared with what they
    would search now. Each other one is compared when it is searched.

    Args:
        journal: where they are.
        listed: the jobs of the file; one whose puzzle's code fails is left out.
        watch_of: returns what watches while a job's pattern databases are built, by its name.

    Raises:
        BadInput, OtherJob: see `get_or_create_job`.
    """
    sound = [(each, each.puzzle) for each in listed if each.puzzle is not None]
    wanted = [_wanted(each.name, each.source, puzzle, each.request, each.notes) for each, puzzle in sound]
    jobs, begun = {}, Counter[type]()
    for (each, puzzle), job in zip(sound, journal.get_or_create(wanted), strict=True):
        number = begun[type(puzzle)] = begun[type(puzzle)] + bool(job.data)
        is_same = job.parameters == json.loads(json.dumps(values_of(puzzle)))
        if not is_same or (job.data and number & (number - 1) == 0):
            job = _as_now(journal, job, Problem(puzzle, each.request.want), watch_of(each.name))
        jobs[each.name] = job
    return jobs


def _wanted(name: str, source: str, puzzle: Puzzle, request: Request, notes: dict[str, str]) -> Wanted:
    if source.endswith(".py") or ".py:" in source:
        source = str(Path(source).absolute())
    free = bounding(type(puzzle))
    return Wanted(name, source, values_of(puzzle), request.want, notes, free, request.at_most, request.slack or 0)


def _as_now(journal: Journal, job: Job, problem: Problem, watch: Watch) -> Job:
    """Compare what a job has searched with what it would search now, and return it with the bound that is asked for."""
    cls, values = type(problem.given), values_of(problem.given)
    is_same = job.parameters == json.loads(json.dumps(values))
    if job.data:  # with the parameters that it had
        searched = problem if is_same else Problem(construct(cls, job.parameters), problem.want)
        supply(searched, watch)
        supply(searched.searched_by(job.engine), watch)
        journal.require_same_problem(job, searched)
    if job.state != "done" and not is_same:
        job = journal.turn_to(job, values)
    return job


def record_failure(journal: Journal, failed: FileJob) -> None:
    """Record in a journal that a job's puzzle has failed; one that has searched something already stays as it is, and
    what stands for several jobs is no job of the journal."""
    if failed.is_several:
        return
    job = journal.job(failed.name)
    if job is None or not (job.nodes or job.state == "done"):
        (job,) = journal.get_or_create([Wanted(failed.name, failed.source, {}, failed.request.want, failed.notes)])
    if job.state != "done":
        journal.stop(job, "stopped" if failed.exit_code == GuardStop.exit_code else "failed", failed.error)


def search(
    journal: Journal,
    job: Job,
    problem: Problem,
    request: Request,
    watch: Watch,
    executor: "Executor | Adapter | Client | None" = None,
    make_store: Callable[..., JournalStore] = JournalStore,
    wait: bool = False,
    begun: Checkpoint | None = None,
) -> Result:
    """Search a job from where it stands to its end, and return its result.

    Whatever stops it, the journal says how far it came, and the next call resumes it.

    Args:
        journal: where checkpoints and solutions are written every few seconds.
        job: as `get_or_create_job` returned it.
        problem, request, executor: see `engines.run`.
        watch: gets each solution from the first on, in each run.
        make_store: makes the store of this search, for intervals other than the usual ones.
        wait: whether the result of a short job may wait to be written with those of others: the caller sees to it.
        begun: where the search stands, if that is not in the journal.
    """
    if job.state == "done":
        return replay_stored(journal, job, problem, watch)
    store = make_store(journal, job, watch, brief=request.tuning.commit_seconds, wait=wait, begun=begun)
    try:
        result = run(problem, request, replace(watch, check=store.check), store=store, executor=executor)
        store.finish(result)
    except OtherJob:
        raise  # nothing was searched: the job stays as it is
    except BaseException as error:
        stopped = not isinstance(error, Exception) or isinstance(error, GuardStop | OutOfMemory | BrokenPipeError)
        state, later = ("stopped", 0.0) if stopped else ("failed", request.tuning.commit_seconds * wait)
        with contextlib.suppress(BadInput, JournalGone):  # the last checkpoint is still there
            journal.stop(job, state, str(error) or "interrupted", later)
        raise
    return result


def replay_stored(journal: Journal, job: Job, problem: Problem, watch: Watch) -> Result:
    """Return the result of a job that is done, without a search; the watch gets its solutions again."""
    problem = supply_later(problem, watch)  # states along its solutions may be shown
    result = Result(problem, job.want, job.workers, at_most=job.at_most, slack=job.slack or None)
    watch.listener.search_started(result)
    emit = watch.on_solution or result.paths.append
    for path in journal.solutions(job):
        emit(path)
    result.status = job.status  # type: ignore[assignment]
    result.cost, result.count, result.found_so_far = job.cost, job.count, job.found
    result.iterations, result.samples = journal.iterations(job), [*job.samples]
    result.nodes, result.seconds, result.engine = job.nodes, job.seconds, job.engine  # type: ignore[assignment]
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
