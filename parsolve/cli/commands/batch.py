"""The searches of `parsolve run`, one after the other, and what is shown of them."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsolve.cli.process.guards import Guards
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.tally import Tally
from parsolve.cli.terminal.bar import Bar, BatchBar
from parsolve.cli.terminal.screen import Screen
from parsolve.errors import GuardStop, JournalGone, OutOfMemory, ParsolveError
from parsolve.system.activity import current as activity
from parsolve.text import one_line

if TYPE_CHECKING:
    from distributed import Client

    from parsolve.batch.jobs import JobRequest
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Job
    from parsolve.search.progress import Progress


def search_all(
    requests: "Sequence[JobRequest]",
    jobs: "Mapping[str, Job]",
    journal: "Journal",
    options: argparse.Namespace,
    stops: Stops,
    client: "Client | None",
) -> int:
    """Search the jobs that are not done and return the highest exit code of all."""
    from parsolve.batch.run import record_failure

    todo = [request for request in requests if request.puzzle is None or jobs[request.name].state != "done"]
    codes = [0]
    visible = not options.quiet and sys.stderr.isatty()
    with BatchBar(len(requests), len(requests) - len(todo), "jobs", visible) as bar:
        tally = Tally("job")
        batch = Batch(journal, options.max_memory, options.quiet, stops, bar, tally, client)
        stops.on_stop = lambda: None
        for number, request in enumerate(requests, 1):
            if request.error:
                record_failure(journal, request)
                if request.name not in stops.fatal_jobs:  # else the supervisor has printed it
                    Bar.write(one_line(f"{request.name}: {request.error}"), file=sys.stderr)
                codes.append(request.exit_code)
                tally.add("failed")
            elif request in todo:
                activity.job = request.name
                codes.append(batch.search(request, jobs[request.name], f"{number} of {len(requests)}"))
                activity.job = ""
    if tally.done and not options.quiet:
        print(f"{tally.searches}: {tally.effort}", file=sys.stderr)
    return max(codes)


@dataclass(frozen=True)
class Batch:
    """What the searches of a batch share."""

    journal: "Journal"
    max_memory: int | None
    quiet: bool
    stops: Stops
    bar: BatchBar
    tally: Tally
    client: "Client | None"

    def search(self, request: "JobRequest", job: "Job", place: str) -> int:
        """Search one job, print how it goes, and return its exit code.

        Args:
            request, job: what is searched, and where the journal has it.
            place: of the job in the batch, such as `3 of 10`.

        Raises:
            Stopped: a signal has come; the output is complete before.
            JournalGone: the journal's file was deleted, moved or replaced.
        """
        from parsolve.batch.run import search

        assert request.puzzle is not None
        guards = Guards(self.stops, request.settings.timeout, self.max_memory)
        screen = JobScreen(self.bar, request.name, request.puzzle, request.settings.want, self.quiet)
        screen.write(f"{request.name} ({place}):")
        self.stops.on_stop = screen.interrupted
        try:
            search(
                self.journal,
                job,
                request.puzzle,
                request.settings,
                lambda _: None,
                screen,
                guards.check,
                self.max_memory,
                executor=self.client,
            )
        except Stopped:
            self.stops.finish()
            raise
        except (GuardStop, OutOfMemory) as error:
            self._count("stopped", screen, job)
            screen.stopped(str(error))
            screen.write(f"{request.name}: {error}", always=True)
            return 3
        except JournalGone:
            raise
        except Exception as error:
            self._count("failed", screen, job)
            screen.failed(str(error))
            kind = "" if isinstance(error, ParsolveError) else f"internal failure: {type(error).__name__}: "
            screen.write(f"{request.name}: {kind}{error}", always=True)
            return 4
        self._count(screen.result.status, screen, job)
        screen.finished()
        self.bar.update()
        return 0

    def _count(self, status: str, screen: "JobScreen", job: "Job") -> None:
        """Count a job, with what it took beyond its earlier runs."""
        result = screen.result
        self.tally.add(status, max(0, result.nodes - job.nodes), max(0.0, result.seconds - job.seconds))


class JobScreen(Screen):
    """The screen of one job of a batch, which keeps the time on the batch's bar running."""

    def __init__(self, batch_bar: BatchBar, *about: Any) -> None:
        super().__init__(*about)
        self._batch_bar = batch_bar

    def progress_made(self, progress: "Progress") -> None:
        super().progress_made(progress)
        self._batch_bar.update(0)

    def interrupted(self) -> None:
        """Report what is known so far, after a signal has ended the batch."""
        self.stopped()
        self.write("the same command resumes from here", always=True)
        self._batch_bar.close()
