"""`parsolve status`: how far the jobs of a journal are, also while a search writes it."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import journal_parser, matching, opened
from parsolve.cli.terminal.standing import families, messages, standing, summary, table
from parsolve.errors import BadInput

SHOWN = 30
"""Jobs that are all shown; of more only those that have begun and are not done, unless all are wanted."""

PAUSE = 2.0
"""Seconds between two looks with --follow."""

ABOUT = """\
Show how far the jobs of a journal are, also while they are searched: the jobs with their state, share done, solutions
so far and time left, and a summary. Of more than 30 jobs only those that have begun and are not done are shown.
"""

EPILOG = """\
examples:
  parsolve status night.sqlite
  parsolve status night.sqlite 'korf-*' --all       the jobs whose names match
  parsolve status night.sqlite --failed             why they have failed
  parsolve status night.sqlite --follow             a line whenever something has changed
  parsolve status night.sqlite --json
"""


def status(arguments: Sequence[str], stops: Stops) -> int:
    """Print a summary and a table of a journal's jobs."""
    parser = journal_parser("status", ABOUT, EPILOG)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="some jobs: names, or patterns such as 'korf-*'")
    parser.add_argument("--failed", action="store_true", help="the jobs that have failed alone")
    parser.add_argument("--puzzle", metavar="NAME", help="the jobs of this puzzle alone")
    parser.add_argument("--all", action="store_true", help="all jobs, however many there are")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--follow", action="store_true", help="print a line whenever something has changed, to the end")
    how.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    options = parser.parse_args(arguments)

    def look() -> list[dict[str, Any]]:
        with opened(options.journal) as journal:
            rows = [standing(journal, job) for job in journal.jobs()]
        chosen = matching(options.journal, rows, lambda row: row["name"], options.jobs) if options.jobs else rows
        if options.puzzle:
            chosen = [row for row in chosen if row["puzzle"].rpartition("/")[2] == options.puzzle]
        if rows and not chosen:
            raise BadInput(f"{options.journal} has no such job: `parsolve status {options.journal} --all` lists them")
        return chosen

    if options.follow:
        return _follow(look, stops)
    rows = look()
    failed = [row for row in rows if row["status"] == "failed"]
    if options.json:
        print(json.dumps(failed if options.failed else rows, indent=2))
    else:
        shown = failed if options.failed else rows if options.all else shown_of(rows)
        print(as_text(rows, shown, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    return 0


def shown_of(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the jobs to show: all of them, or if they are many the ones that have begun and are not done."""
    return rows if len(rows) <= SHOWN else [row for row in rows if row["status"] in ("running", "stopped", "failed")]


def as_text(rows: Sequence[dict[str, Any]], shown: Sequence[dict[str, Any]], width: int | None) -> str:
    """Return a table of some jobs, and a summary of all; by puzzle as well, if they are many."""
    lines = table(shown, width) if shown else []
    return "\n".join([*lines, *messages(shown), *(families(rows) if len(rows) > SHOWN else []), summary(rows)])


def _follow(look: Callable[[], list[dict[str, Any]]], stops: Stops) -> int:
    """Print the summary whenever it has changed, until no job is searched or waits for it."""
    last = ""
    while True:
        rows = look()
        now = summary(rows)
        if now != last:
            print(now, flush=True)
        last = now
        if not any(row["status"] in ("waiting", "running") for row in rows):
            return 0
        end = time.monotonic() + PAUSE
        while time.monotonic() < end:
            stops.check()
            time.sleep(0.1)
