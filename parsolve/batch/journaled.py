"""Jobs of a journal: created or found, searched and resumed, or replayed if they are done."""

import contextlib
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from parsolve.batch.jobs import FailedJob, FileJob, ListedJob
from parsolve.errors import BadInput, GuardStop, JournalGone, OtherJob, OutOfMemory, ParsolveError
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import Job, Wanted, own_name, require_name
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct
from parsolve.puzzle.parameters import bounding, values_of
from parsolve.search.choice import engine_for
from parsolve.search.engine import AnyExecutor, Run
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.run import run
from parsolve.search.watch import Listeners, Watch
from parsolve.tables.databases import Databases


def refuse_edited(journal: Journal, listed: Sequence[ListedJob]) -> list[ListedJob]:
    """Return the jobs of a file; those that a journal has begun or finished otherwise have failed."""
    sound = [each for each in listed if isinstance(each, FileJob)]
    differences = journal.differences([*map(_wanted, sound)])
    others: dict[str, ParsolveError] = {name: BadInput(how) for name, how in differences.items()}
    asked = [each for each in sound if each.request.limit is not None or each.request.engine == "both"]
    done = {job.name: job for job in (journal.jobs() if asked else ()) if job.state == "done"}
    for each in asked:
        if each.name in done and (why := _unanswered(journal, done[each.name], each.request)):
            others.setdefault(each.name, why)
    if sound and sum(isinstance(why, BadInput) for why in others.values()) == len(sound):
        raise others[sound[0].name]  # it is another file that was searched there
    return [each.failed(others[each.name]) if each.name in others else each for each in listed]


def get_or_create_jobs(journal: Journal, sound: Sequence[FileJob], watch_of: Callable[[str], Watch]) -> dict[str, Job]:
    """Return the jobs of a file in a journal by name, new or as stored; new jobs are created in one transaction.

    Of the begun jobs of a class, the first, second, fourth, eighth and so on are compared with their present problems.
    All others are compared when they are searched.

    Args:
        journal: the journal.
        sound: the jobs of the file that can be searched.
        watch_of: returns, by a job's name, the watch for building its pattern databases.

    Raises:
        BadInput: the journal has another job of a name.
        OtherJob: the rules or the data of a puzzle have changed since its job was started.
    """
    jobs, checked = {}, Counter[type]()
    for each, job in zip(sound, journal.get_or_create([*map(_wanted, sound)]), strict=True):
        puzzle = each.puzzle
        is_same = job.parameters == json.loads(json.dumps(values_of(puzzle)))
        number = checked[type(puzzle)] = checked[type(puzzle)] + bool(job.data)
        if job.data and (not is_same or number & (number - 1) == 0):
            earlier, supplier = construct(type(puzzle), job.parameters), Databases(watch_of(each.name))
            journal.require_same_problem(job, Problem(earlier, each.request.want, supplier=supplier))
        if job.state != "done" and not is_same:
            job = journal.turn_to(job, values_of(puzzle))
        jobs[each.name] = job
    return jobs


def _wanted(job: FileJob) -> Wanted:
    source, request, puzzle = job.source, job.request, job.puzzle
    if source.endswith(".py") or ".py:" in source:
        source = str(Path(source).absolute())
    # The branches of a part follow from the bound.
    free = () if request.part else bounding(type(puzzle))
    slack, part = request.slack or 0, str(request.part or "")
    return Wanted(job.name, source, values_of(puzzle), request.want, job.notes, free, request.at_most, slack, part)


def record_failure(journal: Journal, failed: FailedJob) -> None:
    """Record in a journal that a job's puzzle has failed; a job with some progress stays as it is."""
    job = journal.job(failed.name)
    if job is None or not job.is_begun:
        (job,) = journal.get_or_create([Wanted(failed.name, failed.source, {}, failed.request.want, failed.notes)])
    if job.state != "done":
        journal.stop(job, failed.failure.state, str(failed.failure))


def search(store: JobStore, problem: Problem, request: Request, executor: AnyExecutor = None) -> Result:
    """Search a job, as `get_or_create_jobs` returned it, to its end from its last checkpoint, and return its result.

    If it is stopped, the journal keeps its progress, and the next call resumes it. The store's watch receives all
    solutions, in each run.
    """
    journal, job, watch = store.journal, store.job, store.watch
    if job.state == "done":
        return replay_stored(journal, job, problem, request, watch)
    try:
        watch = replace(watch, check=store.check, listener=Listeners([watch.listener, store]))
        result = run(problem, request, watch, store=store, executor=executor)
        store.finish(problem, result)
    except OtherJob:
        raise  # nothing was searched: the job stays as it is
    except BaseException as error:
        stopped = not isinstance(error, Exception) or isinstance(error, GuardStop | OutOfMemory | BrokenPipeError)
        state, later = ("stopped", 0.0) if stopped else ("failed", store.wait)
        with contextlib.suppress(BadInput, JournalGone):  # the last checkpoint is still there
            why = "" if isinstance(error, BrokenPipeError) else str(error)
            journal.stop(job, state, why or "interrupted", later)
        raise
    return result


def replay_stored(journal: JournalReader, job: Job, problem: Problem, request: Request, watch: Watch) -> Result:
    """Return the result of a finished job, without a search; the watch receives its solutions again, and may end it.

    Raises:
        BadInput: the request is none for its engine, or the job does not answer it.
        GuardStop: a search would have ended at the limit that is asked for; what it would have found is given.
    """
    engine_for(problem, request)
    why, iterations = _unanswered(journal, job, request), journal.iterations(job)
    if isinstance(why, BadInput):
        raise why
    problem = Problem(problem.given, problem.want, supplier=Databases(watch))  # its states may be shown
    result = Result(problem, request, job.workers, job.engine, seconds=job.seconds)  # type: ignore[arg-type]
    replay = Run(problem, request, job.workers, watch, result)
    last = math.inf if why is None or request.limit is None else request.limit
    replay.take(each for each in iterations if each.limit <= last)
    if why is None:
        replay.record(job.nodes, job.found, job.cost)
    watch.listener.search_started(result)
    for limit, path in journal.limits_and_paths(job):
        watch.check()
        if limit > last:
            break
        replay.give_out(path)
    if why is not None:
        raise why
    replay.end("" if iterations else problem.unsolvable)
    return result


def _unanswered(journal: JournalReader, job: Job, request: Request) -> ParsolveError | None:
    """Return why a finished job is no answer to a request, whose engine and limit may be others than its search had."""
    limit, other = request.limit, "name another journal, or `parsolve forget` it"
    if request.engine == "both" != job.engine and journal.iterations(job):
        return BadInput(f"the job {job.name} was searched by {job.engine} alone, not both: {other}")
    if limit is None:
        return None
    if job.want == "any" and job.found:
        has = f"the job {job.name} has a solution of cost {job.cost}, and one of cost {limit} or less is wanted"
        return BadInput(f"{has}: {other}") if job.cost is not None and job.cost > limit else None
    is_beyond = any(each.limit > limit for each in journal.iterations(job))
    return request.limit_reached(job.cost is not None and job.cost <= limit) if is_beyond else None


def search_kept(
    path: Path,
    name: str | None,
    source: str,
    problem: Problem,
    request: Request,
    watch: Watch,
    executor: AnyExecutor = None,
) -> Result:
    """Search a single puzzle with a journal, where any other search of it goes on; see `search`. Without a name its job
    has that of the puzzle, and the journal may hold no others.

    Raises:
        BadInput: the name is empty, or has control characters; the journal holds other jobs only; or solutions are
            chosen.
        BadInput, OtherJob: see `get_or_create_jobs`.
    """
    if request.chooses:
        raise BadInput("a journal keeps all solutions: leave out skip, take and sample, or the journal")
    with Journal(path) as journal:
        if name is not None:
            require_name(name)
        else:
            name, names = own_name(source), [job.name for job in journal.jobs()]
            if names and name not in names:
                more = f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}, not {name}"
                raise BadInput(f"the journal {path} holds {more}: name another journal, or the job (--name)")
        job = get_or_create_jobs(journal, [FileJob(name, source, request, {}, problem.given)], lambda _: watch)[name]
        return search(JobStore(journal, job, watch, request.tuning), problem, request, executor)
