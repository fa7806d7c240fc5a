"""The search of a file's jobs with a journal: small ones together, large ones each by itself."""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from parsolve.batch.bulk import BulkSearch, Done, Root
from parsolve.batch.items import Items
from parsolve.batch.jobs import FailedJob, FileJob, ListedJob
from parsolve.batch.journaled import record_failure, search
from parsolve.errors import JournalGone
from parsolve.journal.jobstore import JobStore, write_patiently
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.problem.problem import Problem
from parsolve.puzzle.parameters import values_of
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import AnyExecutor
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.system.activity import current as activity
from parsolve.system.resources import default_workers

TOGETHER = "jobs that are searched together"
"""The name for the jobs that ran together, if a puzzle's code ends the process: then each runs by itself."""

PATIENCE = 60.0
"""Seconds that a call for several jobs, of less than a tenth of a second, may take before the process is ended so."""


class JobSearch(Items[ListedJob]):
    """Searches the jobs of a file that are not done, and keeps in a journal how each ends.

    `jobs` are those of the journal, by name. `watch` is that of all searches; `begin` returns that of a job, given the
    result that is filled and the seconds that a call has taken for it. None are searched together if they are to be
    `apart`, or if there is an executor.
    """

    ends_all, proves = (JournalGone,), True

    def __init__(
        self,
        listed: Sequence[ListedJob],
        journal: Journal,
        jobs: Mapping[str, Job],
        watch: Watch,
        begin: Callable[[ListedJob, Result, float], Watch],
        executor: AnyExecutor = None,
        apart: bool = False,
    ) -> None:
        todo = [each for each in listed if each.name not in jobs or jobs[each.name].state != "done"]
        self._journal, self._jobs, self._watch, self._begin = journal, jobs, watch, begin
        self._executor, self._apart = executor, apart or executor is not None
        most = max((each.request.workers or default_workers() for each in todo), default=None)
        self._bulk = BulkSearch(self, todo, replace(watch, check=self._check), most, len(todo))
        self._ended = -1
        self._by_itself: ListedJob | None = None  # the last that was searched so

    def search_all(self) -> Iterator[Done[ListedJob]]:
        """Search the jobs, and yield how each has ended, in their order."""
        for done in self._bulk.search():
            item = done.item
            if done.root is not None and done.result is not None:
                self._keep(item, done.result, done.root)
            elif done.failure is not None and isinstance(item, FileJob) and item is not self._by_itself:
                failed = partial(self._journal.stop, self._jobs[item.name], done.failure.state, str(done.failure))
                write_patiently(failed, self._watch)
            yield done
        write_patiently(self._journal.commit, self._watch)

    def _keep(self, item: ListedJob, result: Result, root: Root) -> None:
        """Keep the result of a job that was searched together with others."""
        store = JobStore(self._journal, self._jobs[item.name], self._watch, item.request.tuning, wait=True)
        identity = root.group.job_identity(root.roots, root.number, lambda: self.problem(item))
        store.begin(result.problem, result, identity)
        store.add(result.iterations[-1].limit, result.paths)
        store.finish(result.problem, result)
        listener = self._begin(item, result, 0.0).listener
        listener.search_started(result)
        for iteration in result.iterations:
            listener.iteration_finished(iteration)

    def _check(self) -> None:
        """Look whether to stop them all, name no job, and write what waits."""
        self._watch.check()
        self._name_job("")
        if self._journal.is_due:
            write_patiently(self._journal.commit, self._watch)

    def _name_job(self, name: str) -> None:
        """Name the job that a crash would be blamed on, unless threads search others."""
        activity.job = TOGETHER if self._bulk.is_running else name
        if not activity.job:
            activity.allow(None)
        elif activity.job == TOGETHER and (self._ended != self._bulk.ended or math.isinf(activity.deadline)):
            self._ended = self._bulk.ended
            activity.allow(PATIENCE, f"{TOGETHER} take longer than {PATIENCE:g} s")

    # What a bulk search asks.

    def kind(self, item: ListedJob) -> Hashable:
        if self._apart or isinstance(item, FailedJob) or self._jobs[item.name].data:  # it has begun
            return None
        puzzle, names = item.puzzle, item.puzzle.root_parameters
        others = (value for name, value in values_of(puzzle).items() if name not in names) if names else ()
        return type(puzzle), item.request, tuple(others)

    def texts(self, item: ListedJob) -> dict[str, str]:
        if isinstance(item, FailedJob):
            return {}
        return {name: str(getattr(item.puzzle, name)) for name in item.puzzle.root_parameters}

    def request(self, item: ListedJob) -> Request:
        return replace(item.request, max_memory=self._watch.max_memory)

    def problem(self, item: ListedJob) -> Problem:
        if isinstance(item, FailedJob):
            record_failure(self._journal, item)
            raise item.failure
        self._name_job(item.name)
        return Problem(item.puzzle, item.request.want)

    def search(self, item: ListedJob, problem: Problem, begun: Checkpoint | None) -> Result:
        self._name_job(item.name)
        self._by_itself, request = item, self.request(item)
        watch = self._begin(item, Result(problem, request), begun.seconds if begun else 0.0)
        store = JobStore(self._journal, self._jobs[item.name], watch, request.tuning, wait=True, begun=begun)
        return search(store, problem, request, self._executor)
