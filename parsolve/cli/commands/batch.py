"""The searches of `parsolve run`, one after the other, and what is shown of them."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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

    from parsolve.batch.jobs import FileJob
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Job
    from parsolve.search.progress import Progress


def search_all(
    listed: "Sequence[FileJob]",
    jobs: "Mapping[str, Job]",
    journal: "Journal",
    options: argparse.Namespace,
    stops: Stops,
    client: "Client | None",
) -> int:
    """Search the jobs that are not done and return the highest exit code of all."""
    from parsolve.batch.run import record_failure

    todo = [each for each in listed if each.puzzle is None or jobs[each.name].state != "done"]
    codes = [0]
    visible = not options.quiet and sys.stderr.isatty()
    with BatchBar(len(listed), len(listed) - len(todo), "jobs", visible) as bar:
        tally = Tally("job")
        batch = Batch(journal, options, stops, bar, tally, client)
        stops.on_stop = lambda: None
        for number, each in enumerate(listed, 1):
            if each.error:
                record_failure(journal, each)
                if each.name not in stops.fatal_jobs:  # else the supervisor has printed it
                    Bar.write(one_line(f"{each.name}: {each.error}"), file=sys.stderr)
                codes.append(each.exit_code)
                tally.add("failed")
            elif each in todo:
                activity.job = each.name
                codes.append(batch.search(each, jobs[each.name], f"{number} of {len(listed)}"))
                activity.job = ""
    if tally.done and not options.quiet:
        print(f"{tally.searches}: {tally.effort}", file=sys.stderr)
    return max(codes)


@dataclass(frozen=True)
class Batch:
    """What the searches of a batch share."""

    journal: "Journal"
    options: argparse.Namespace
    stops: Stops
    bar: BatchBar
    tally: Tally
    client: "Client | None"

    def search(self, wanted: "FileJob", job: "Job", place: str) -> int:
        """Search one job, print how it goes, and return its exit code.

        Args:
            wanted, job: what is searched, and where the journal has it.
            place: of the job in the batch, such as `3 of 10`.

        Raises:
            Stopped: a signal has come; the output is complete before.
            JournalGone: the journal's file was deleted, moved or replaced.
        """
        from parsolve.batch.run import search
        from parsolve.problem.problem import Problem
        from parsolve.search.watch import Watch

        assert wanted.puzzle is not None
        request = replace(wanted.request, max_memory=self.options.max_memory)
        guards = Guards(self.stops, request)
        problem = Problem(wanted.puzzle, request.want)
        screen = JobScreen(self.bar, wanted.name, problem, self.options.quiet)
        watch = Watch(screen, guards.check, request.max_memory, on_solution=lambda _: None)
        screen.write(f"{wanted.name} ({place}):")
        self.stops.on_stop = screen.interrupted
        try:
            search(self.journal, job, problem, request, watch, self.client)
        except Stopped:
            self.stops.finish()
            raise
        except (GuardStop, OutOfMemory) as error:
            self._count("stopped", screen, job)
            screen.stopped(str(error))
            screen.write(f"{wanted.name}: {error}", always=True)
            return 3
        except JournalGone:
            raise
        except Exception as error:
            self._count("failed", screen, job)
            screen.failed(str(error))
            kind = "" if isinstance(error, ParsolveError) else f"internal failure: {type(error).__name__}: "
            screen.write(f"{wanted.name}: {kind}{error}", always=True)
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
