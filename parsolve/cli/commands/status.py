"""`parsolve status`: how far the jobs of a journal are, also while a search writes it."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from parsolve.cli.command import command
from parsolve.cli.options import JOURNAL, JSON, argument, option
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import matching, opened
from parsolve.cli.terminal.standing import families, messages, standing, summary, table
from parsolve.errors import BadInput

SHOWN = 30
"""Jobs that are all shown; of more only those that have begun and are not done, unless all are wanted."""

PAUSE = 2.0
"""Seconds between two looks with --follow."""


@command()
def status(
    stops: Stops,
    journal: str = JOURNAL,
    jobs: Sequence[str] = argument("some jobs: names, or patterns such as 'korf-*'", "JOB", is_repeated=True),
    failed: bool = option("the jobs that have failed alone"),
    puzzle: str | None = option("the jobs of this puzzle alone", "NAME"),
    shows_all: bool = option("all jobs, however many there are", name="--all"),
    follow: bool = option("print a line whenever something has changed, to the end"),
    as_json: bool = replace(JSON, help="a list of objects instead of a table"),
) -> int:
    """Show how far the jobs of a journal are, also while they are searched: the jobs with their state, share done,
    solutions so far and time left, and a summary. Of more than 30 jobs only those that have begun and are not done are
    shown.

    examples:
      parsolve status night.sqlite
      parsolve status night.sqlite 'korf-*' --all       the jobs whose names match
      parsolve status night.sqlite --failed             why they have failed
      parsolve status night.sqlite --follow             a line whenever something has changed
      parsolve status night.sqlite --json
    """

    def look() -> list[dict[str, Any]]:
        with opened(journal) as kept:
            rows = [standing(kept, job) for job in kept.jobs()]
        chosen = matching(journal, rows, lambda row: row["name"], jobs) if jobs else rows
        if puzzle:
            chosen = [row for row in chosen if row["puzzle"].rpartition("/")[2] == puzzle]
        if rows and not chosen:
            raise BadInput(f"{journal} has no such job: `parsolve status {journal} --all` lists them")
        return chosen

    if follow:
        return _follow(look, stops)
    rows = look()
    if failed:
        some = [row for row in rows if row["status"] == "failed"]
    else:
        some = rows if shows_all or as_json else shown_of(rows)
    if as_json:
        print(json.dumps(some, indent=2))
    else:
        print(as_text(rows, some, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    return 0


def shown_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
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
