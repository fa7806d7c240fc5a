"""`parsolve run`: the jobs of a file, one after the other."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from parsolve.activity import current as activity
from parsolve.cli.guards import Guards, be_nice
from parsolve.cli.log import Log
from parsolve.cli.options import add_background
from parsolve.cli.parser import Parser
from parsolve.cli.screen import Screen
from parsolve.cli.signals import Stopped, Stops
from parsolve.errors import GuardStop, JournalGone, OutOfMemory, ParsolveError
from parsolve.text import one_line

if TYPE_CHECKING:
    from parsolve.batch.jobs import JobRequest
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Job
    from parsolve.search.progress import Progress

EPILOG = """\
a job file:
  [defaults]
  workers = 2
  [[job]]
  name = "queens"
  puzzle = "queens"
  n = [11, 12, 13, 14]          # a list makes one job each: queens-11 ...
  want = "count"
  [[job]]
  name = "korf"
  puzzle = "sliding"
  file = "korf100.csv"          # one job a row; `id` names it, parameters by column name
  rename = { tiles = "start" }
  goal = "blank-first"
  timeout = "2h"

Its keys: puzzle (a name, or FILE.py:CLASS), name, file, rename, want, workers, engine, table and timeout, as options of
`parsolve solve`, and the puzzle's parameters; [defaults] holds for all jobs.

Jobs that are done are skipped, those that were stopped go on where they stood. exit codes: 0 all jobs are done, 2 bad
input (nothing is run), 3 a guard has stopped one, 4 one has failed
"""


def run(words: Sequence[str], stops: Stops) -> int:
    """Run a job file with a journal."""
    about = "Search the jobs of a file one after the other, and keep their results in a journal."
    parser = Parser("parsolve run", about, epilog=EPILOG)
    parser.add_argument("jobs", type=Path, help="a TOML file")
    parser.add_argument("--journal", type=Path, required=True, metavar="FILE", help="made if it is not there")
    add_background(parser)
    parser.add_argument("--quiet", action="store_true", help="nothing on stderr but errors")
    options = parser.parse_args(words)

    from parsolve.batch.jobs import read  # numba
    from parsolve.batch.run import get_or_create_job, record_failure
    from parsolve.journal.journal import Journal

    requests = read(options.jobs, stops.earlier)
    be_nice(options.nice)
    log = Log(options.log)
    with Journal(options.journal) as journal:
        requests = [request.after(stops.earlier) for request in requests]
        jobs = {
            request.name: get_or_create_job(
                journal, request.name, request.source, request.puzzle, request.settings.want, request.notes
            )
            for request in requests
            if request.puzzle is not None
        }
        todo = [request for request in requests if request.puzzle is None or jobs[request.name].state != "done"]
        with bar_over(len(requests), len(requests) - len(todo), options.quiet) as bar:
            batch = Batch(journal, options.max_memory, options.quiet, stops, log, bar)
            stops.say = lambda: None
            codes = []
            for number, request in enumerate(requests, 1):
                if request.error:
                    record_failure(journal, request)
                    if request.name not in stops.earlier:  # else the supervisor has told it
                        tqdm.write(one_line(f"{request.name}: {request.error}"), file=sys.stderr)
                    codes.append(request.exit_code)
                elif request in todo:
                    activity.job = request.name
                    codes.append(batch.search(request, jobs[request.name], f"{number} of {len(requests)}"))
                    activity.job = ""
    from parsolve.cli.status import status

    status([str(options.journal)], stops)
    return max(codes, default=0)


@dataclass(frozen=True)
class Batch:
    """What the jobs of a batch have in common."""

    journal: "Journal"
    max_memory: int | None
    quiet: bool
    stops: Stops
    log: Log
    bar: "tqdm[Any]"

    def search(self, request: "JobRequest", job: "Job", place: str) -> int:
        """Search one job, tell of it, and return its exit code."""
        from parsolve.batch.run import search

        assert request.puzzle is not None
        guards = Guards(self.stops, request.settings.timeout, self.max_memory)
        screen = JobScreen(self.bar, request.name, request.puzzle, request.settings.want, self.quiet, self.log)
        screen.say(f"{request.name} ({place}):")
        self.stops.say = screen.stopped
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
            )
        except Stopped:
            self.stops.leave()  # while both bars stand
            screen.say("the same command goes on from here", always=True)
            raise
        except (GuardStop, OutOfMemory) as error:
            screen.stopped(str(error))
            screen.say(f"{request.name}: {error}", always=True)
            return 3
        except JournalGone:
            raise
        except Exception as error:
            screen.failed(str(error))
            kind = "" if isinstance(error, ParsolveError) else f"internal failure: {type(error).__name__}: "
            screen.say(f"{request.name}: {kind}{error}", always=True)
            return 4
        screen.finished()
        self.bar.update()
        return 0


class JobScreen(Screen):
    """The screen of one job of a batch, which keeps the time on the batch's bar running."""

    def __init__(self, batch_bar: "tqdm[Any]", *about: Any) -> None:
        super().__init__(*about)
        self._batch_bar = batch_bar

    def progress(self, progress: "Progress") -> None:
        super().progress(progress)
        self._batch_bar.update(0)


def bar_over(jobs: int, done: int, quiet: bool) -> "tqdm[Any]":
    """The bar over the batch: jobs done, and the time left if the others take as long as these; on a terminal only."""
    return tqdm(
        total=jobs,
        initial=done,
        file=sys.stderr,
        leave=False,
        dynamic_ncols=True,
        miniters=0,  # `update(0)` shows the time
        mininterval=0.5,
        smoothing=0,
        disable=quiet or None,
        bar_format="{n_fmt} of {total_fmt} jobs|{bar}| {elapsed}, {remaining} left",
    )
