"""The searches of `parsolve run`, and what is shown of them."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from parsolve.batch.bulk import BulkSearch
from parsolve.batch.items import Done, Items
from parsolve.batch.jobs import FailedJob, FileJob, ListedJob
from parsolve.batch.journaled import record_failure, search
from parsolve.cli.process.signals import Stops
from parsolve.cli.process.supervisor import fatal_jobs
from parsolve.cli.searches.many import Searches
from parsolve.cli.terminal.reporter import SearchReporter
from parsolve.errors import JournalGone
from parsolve.journal.jobstore import JobStore, write_patiently
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.problem.problem import Identity, Problem
from parsolve.puzzle.parameters import values_of
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.system.activity import current as activity
from parsolve.system.resources import default_workers

if TYPE_CHECKING:
    from distributed import Client

TOGETHER = "jobs that are searched together"
"""The name for the jobs that ran together, if a puzzle's code ends the process: then each runs by itself."""

PATIENCE = 60.0
"""Seconds that a call for several jobs, of less than a tenth of a second, may take before the process is ended so."""


class Jobs(Items[ListedJob]):
    """The jobs of a file as a bulk search takes them, and what is printed of the present one. `jobs` are those of the
    journal, by name; with a client of a cluster each is searched by itself."""

    def __init__(
        self,
        listed: Sequence[ListedJob],
        jobs: Mapping[str, Job],
        journal: Journal,
        quiet: bool,
        max_memory: int | None,
        stops: Stops,
        client: "Client | None",
    ) -> None:
        self._todo = [each for each in listed if each.name not in jobs or jobs[each.name].state != "done"]
        self._batch = Searches("run", quiet, stops, "job", len(listed), len(listed) - len(self._todo))
        self._jobs, self._journal, self._max_memory = jobs, journal, max_memory
        self._places = {each.name: f"{number} of {len(listed)}" for number, each in enumerate(listed, 1)}
        self._screen: SearchReporter | None = None
        self._client, self._quiet, self._stops = client, quiet, stops
        watch = Watch(self._batch, self._check, max_memory)
        most = max((each.request.workers or default_workers() for each in self._todo), default=None)
        self._bulk = BulkSearch(self, self._todo, watch, most, len(self._todo), ends_all=(JournalGone,), proves=True)
        self._ended = -1

    def search_all(self) -> int:
        """Search the jobs that are not done, and return the highest exit code."""
        code = self._batch.run(self._bulk.search(), self._show)
        write_patiently(self._journal.commit, Watch(self._batch, self._stops.check))
        if self._batch.ended:
            self._stops.complete(self._batch.summarize)
        return code

    def _tend(self) -> None:
        """Keep the time of the bar running, and look whether to stop the present job."""
        self._batch.show_progress()
        self._stops.check()

    def _check(self) -> None:
        """Name no job, write what waits, and look whether to stop them all."""
        self._stops.check_time()
        self._batch.show_progress()
        self._name_job("")
        if self._journal.is_due:
            write_patiently(self._journal.commit, Watch(self._batch, self._stops.check_time))

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
        if isinstance(item, FailedJob) or self._jobs[item.name].data:  # it has begun
            return None
        if self._client is not None or TOGETHER in fatal_jobs:
            return None
        puzzle, names = item.puzzle, item.puzzle.root_parameters
        others = (value for name, value in values_of(puzzle).items() if name not in names) if names else ()
        return type(puzzle), item.request, tuple(others)

    def texts(self, item: ListedJob) -> dict[str, str]:
        if isinstance(item, FailedJob):
            return {}
        return {name: str(getattr(item.puzzle, name)) for name in item.puzzle.root_parameters}

    def request(self, item: ListedJob) -> Request:
        return replace(item.request, max_memory=self._max_memory)

    def problem(self, item: ListedJob) -> Problem:
        if isinstance(item, FailedJob):
            record_failure(self._journal, item)
            raise item.failure
        self._name_job(item.name)
        return Problem(item.puzzle, item.request.want)

    def found(self, item: ListedJob, result: Result, identity: Callable[[], Identity]) -> None:
        screen = self._begin(item, result)
        watch = Watch(self._batch, self._stops.check_time)
        store = JobStore(self._journal, self._jobs[item.name], watch, item.request.tuning, wait=True)
        store.begin(result.problem, result, lambda _: identity())
        store.add(result.iterations[-1].limit, result.paths)
        store.finish(result.problem, result)
        screen.search_started(result)
        for iteration in result.iterations:
            screen.iteration_finished(iteration)

    def search(self, item: ListedJob, problem: Problem, begun: Checkpoint | None) -> Result:
        self._name_job(item.name)
        request = self.request(item)
        self._stops.guard(request, begun.seconds if begun else 0.0)
        screen = self._begin(item, Result(problem, request))
        watch = Watch(screen, self._tend, request.max_memory, on_solution=lambda _: None)
        try:
            job, client = self._jobs[item.name], self._client
            return search(self._journal, job, problem, request, watch, client, wait=True, begun=begun)
        finally:
            self._stops.unguard()

    def _begin(self, item: ListedJob, result: Result) -> SearchReporter:
        self._screen = SearchReporter(item.name, self._quiet)
        self._screen.result = result
        self._screen.write(f"{item.name} ({self._places[item.name]}):")
        self._stops.on_stop = self._interrupted
        return self._screen

    def _interrupted(self) -> None:
        """Say what is known of the present job, if there is one, and how many are done, after a signal."""
        if self._screen is not None:
            self._screen.stopped()
        self._batch.stopped()
        self._batch.write("the same command resumes from here", always=True)

    def _show(self, done: Done[ListedJob]) -> int:
        """Say how a job has ended, and return its exit code: one without a solution is done."""
        code = 0 if done.failure is None else 3 if done.status == "stopped" else 4
        name, screen, self._screen = done.item.name, self._screen, None
        if screen is None:
            if name not in fatal_jobs:  # else the supervisor has printed it
                self._batch.write(f"{name}: {done.failure}", always=True)
            self._batch.add(done.status)
            if isinstance(done.item, FileJob):  # it has failed before its search
                failed = partial(self._journal.stop, self._jobs[name], "failed", str(done.failure))
                write_patiently(failed, Watch(self._batch, self._stops.check_time))
            return code
        result, before = screen.result, self._jobs[name]
        self._batch.add(done.status, max(0, result.nodes - before.nodes), max(0.0, result.seconds - before.seconds))
        if done.failure is None:
            screen.finished()
            return code
        tell = screen.stopped if done.status == "stopped" else screen.failed
        tell(str(done.failure))
        screen.write(f"{name}: {done.failure}", always=True)
        return code
