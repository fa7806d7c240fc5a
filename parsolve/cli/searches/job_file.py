"""The searches of `parsolve run`, one after the other, and what is shown of them."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from parsolve.batch.jobs import FileJob
from parsolve.batch.many import Done, search_each
from parsolve.batch.run import record_failure, search
from parsolve.cli.process.signals import Stops
from parsolve.cli.searches.many import Searches
from parsolve.cli.terminal.bar import BatchBar
from parsolve.cli.terminal.screen import Screen
from parsolve.errors import JournalGone, ParsolveError
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job
from parsolve.journal.store import write_patiently
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.system.activity import current as activity

if TYPE_CHECKING:
    from distributed import Client

CODES = {0: 0, 1: 0, 3: 3}
"""Exit codes of a job by those of its search: one without a solution is done. All others are failures."""


class Jobs(Searches):
    """The searches of a job file, and what is printed of them.

    Args:
        listed: the jobs of the file.
        jobs: by name, as the journal has them.
        journal: keeps them.
        options: of the command.
        stops: whether a signal has come.
    """

    def __init__(
        self,
        listed: Sequence[FileJob],
        jobs: Mapping[str, Job],
        journal: Journal,
        options: argparse.Namespace,
        stops: Stops,
    ) -> None:
        self._todo = [each for each in listed if each.puzzle is None or jobs[each.name].state != "done"]
        super().__init__("run", options.quiet, stops, "job", len(listed), len(listed) - len(self._todo))
        self._jobs, self._journal, self._max_memory = jobs, journal, options.max_memory
        self._places = {each.name: f"{number} of {len(listed)}" for number, each in enumerate(listed, 1)}
        self._screen: JobScreen | None = None

    def search(self, client: "Client | None") -> int:
        """Search the jobs that are not done, and return the highest exit code."""
        searched = search_each(self._announced(), lambda job: self._search(job, client), ends_all=(JournalGone,))
        code = self.report((replace(each, exit_code=CODES.get(each.exit_code, 4)) for each in searched), self._show)
        write_patiently(self._journal.commit, Watch(self, self._stops.check))
        if self.ended:
            self.summarize()
        return code

    def _announced(self) -> Iterator[FileJob]:
        """Yield the jobs that are to be searched; messages name them."""
        for each in self._todo:
            activity.job = each.name
            yield each
            activity.job = ""

    def _search(self, wanted: FileJob, client: "Client | None") -> Result:
        self._screen = None
        if wanted.puzzle is None:
            record_failure(self._journal, wanted)
            raise _Failed(wanted.error, wanted.exit_code)
        request = replace(wanted.request, max_memory=self._max_memory)
        self._stops.guard(request)
        problem = Problem(wanted.puzzle, request.want)
        self._screen = JobScreen(self.bar, wanted.name, problem, self._quiet)
        self._screen.write(f"{wanted.name} ({self._places[wanted.name]}):")
        self._stops.on_stop = self._screen.interrupted
        watch = Watch(self._screen, self._stops.check, request.max_memory, on_solution=lambda _: None)
        return search(self._journal, self._jobs[wanted.name], problem, request, watch, client, wait=True)

    def _show(self, done: Done[FileJob]) -> None:
        name, screen = done.item.name, self._screen
        if screen is None:
            if name not in self._stops.fatal_jobs:  # else the supervisor has printed it
                self.write(f"{name}: {done.error}", always=True)
            self.add("failed")
            return
        result, job = screen.result, self._jobs[name]
        status = result.status if not done.error else "stopped" if done.exit_code == 3 else "failed"
        # What it took beyond its earlier runs.
        self.add(status, max(0, result.nodes - job.nodes), max(0.0, result.seconds - job.seconds))
        if not done.error:
            screen.finished()
            return
        (screen.stopped if status == "stopped" else screen.failed)(done.error)
        screen.write(f"{name}: {done.error}", always=True)


class _Failed(ParsolveError):
    """A puzzle's own code has failed when its job was read."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class JobScreen(Screen):
    """The screen of one job of a batch, which keeps the time on the batch's bar running."""

    def __init__(self, batch_bar: BatchBar, *about: Any) -> None:
        super().__init__(*about)
        self._batch_bar = batch_bar

    def progress_made(self, progress: Progress) -> None:
        super().progress_made(progress)
        self._batch_bar.update(0)

    def interrupted(self) -> None:
        """Report what is known so far, after a signal has ended the batch."""
        self.stopped()
        self.write("the same command resumes from here", always=True)
        self._batch_bar.close()
