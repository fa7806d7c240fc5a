"""`parsolve run`: the jobs of a file, one after the other."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from parsolve.cli.guards import Guards, be_nice
from parsolve.cli.log import Log
from parsolve.cli.options import add_background
from parsolve.cli.screen import Screen
from parsolve.cli.signals import Stopped, Stops
from parsolve.errors import GuardStop, OutOfMemory, ParsolveError

if TYPE_CHECKING:
    from parsolve.journal.jobs import Order
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Job

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


def batch(words: Sequence[str], stops: Stops) -> int:
    """Run a job file with a journal."""
    parser = argparse.ArgumentParser(
        prog="parsolve run",
        description="Search the jobs of a file one after the other, and keep what they come to in a journal.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("jobs", type=Path, help="a TOML file")
    parser.add_argument("--journal", type=Path, required=True, metavar="FILE", help="made if it is not there")
    add_background(parser)
    parser.add_argument("--quiet", action="store_true", help="nothing on stderr but errors")
    options = parser.parse_args(words)

    from parsolve.journal.jobs import read  # numba
    from parsolve.journal.journal import Journal
    from parsolve.journal.run import entered

    orders = read(options.jobs)
    be_nice(options.nice)
    log = Log(options.log)
    with Journal(options.journal) as journal:
        jobs = [
            entered(journal, order.name, order.source, order.puzzle, order.settings.want, order.notes)
            for order in orders
        ]
        with bar_over(jobs, options.quiet) as bar:
            todo = Batch(journal, options.max_memory, options.quiet, stops, log, bar)
            stops.say = lambda: None
            codes = [
                todo.search(order, job, f"{number} of {len(jobs)}")
                for number, (order, job) in enumerate(zip(orders, jobs, strict=True), 1)
                if job.state != "done"
            ]
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

    def search(self, order: "Order", job: "Job", place: str) -> int:
        """Search one job, tell of it, and return its exit code."""
        from parsolve.journal.run import search

        guards = Guards(self.stops, order.settings.timeout, self.max_memory)

        def look() -> None:
            guards.check()
            self.bar.update(0)

        screen = Screen(order.name, order.puzzle, order.settings.want, self.quiet, look, self.log)
        screen.say(f"{order.name} ({place}):")
        self.stops.say = screen.stopped
        try:
            search(self.journal, job, order.puzzle, order.settings, lambda _: None, screen, self.max_memory)
        except Stopped:
            self.stops.leave()  # while both bars stand
            screen.say("the same command goes on from here", always=True)
            raise
        except (GuardStop, OutOfMemory) as error:
            screen.stopped(str(error))
            screen.say(f"{order.name}: {error}", always=True)
            return 3
        except ParsolveError as error:
            screen.failed(str(error))
            screen.say(f"{order.name}: {error}", always=True)
            return 4
        screen.finished()
        self.bar.update()
        return 0


def bar_over(jobs: Sequence["Job"], quiet: bool) -> "tqdm[Any]":
    """The bar over the batch: jobs done, and the time left if the others take as long as these; on a terminal only."""
    return tqdm(
        total=len(jobs),
        initial=sum(job.state == "done" for job in jobs),
        file=sys.stderr,
        leave=False,
        dynamic_ncols=True,
        miniters=0,  # `update(0)` shows the time
        mininterval=0.5,
        smoothing=0,
        disable=quiet or None,
        bar_format="{n_fmt} of {total_fmt} jobs|{bar}| {elapsed}, {remaining} left",
    )
