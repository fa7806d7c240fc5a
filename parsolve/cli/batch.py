"""`parsolve run`: the jobs of a file, one after the other."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.guards import Guards, be_nice
from parsolve.cli.log import Log
from parsolve.cli.options import add_background
from parsolve.cli.screen import Screen
from parsolve.cli.signals import Stopped, Stops
from parsolve.errors import GuardStop, OutOfMemory, ParsolveError

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
    from parsolve.journal.run import entered, search

    orders = read(options.jobs)
    be_nice(options.nice)
    log = Log(options.log)
    code = 0
    with Journal(options.journal) as journal:
        jobs = [
            entered(journal, order.name, order.source, order.puzzle, order.settings.want, order.notes)
            for order in orders
        ]
        stops.say = lambda: None
        for number, (order, job) in enumerate(zip(orders, jobs, strict=True), 1):
            if job.state == "done":
                continue
            guards = Guards(stops, order.settings.timeout, options.max_memory)
            screen = Screen(order.name, order.puzzle, order.settings.want, options.quiet, guards.check, log)
            screen.say(f"{order.name} ({number} of {len(orders)}):")
            stops.say = screen.stopped
            try:
                search(journal, job, order.puzzle, order.settings, lambda _: None, screen, options.max_memory)
            except Stopped:
                raise
            except (GuardStop, OutOfMemory) as error:
                screen.stopped(str(error))
                screen.say(f"{order.name}: {error}", always=True)
                code = max(code, 3)
            except ParsolveError as error:
                screen.failed(str(error))
                screen.say(f"{order.name}: {error}", always=True)
                code = 4
            else:
                screen.finished()
    from parsolve.cli.status import status

    status([str(options.journal)], stops)
    return code
