"""`parsolve status`: how far the jobs of a journal are, also while a search writes it."""

import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.commands.pages import title_of
from parsolve.cli.options import JOURNAL, argument, option
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import matching, opened
from parsolve.errors import BadInput
from parsolve.text import clock, one_line, plural, time_left

if TYPE_CHECKING:
    from parsolve.journal.reader import JournalReader
    from parsolve.journal.records import Job

SHOWN = 30
"""Jobs that are all shown; of more only those that have begun and are not done, unless all are wanted."""

PAUSES = 20
"""Tenths of a second between two looks with --follow."""

HEAD = ("name", "status", "limit", "done", "solutions", "nodes", "time", "left")

DISPENSABLE = ("nodes", "limit", "time", "solutions")
"""The columns that a narrow terminal does without, the first one to go first."""

UNFINISHED = ("running", "failed", "stopped", "waiting")
"""The states of jobs that are not done."""


@command()
def status(
    stops: Stops,
    journal: str = JOURNAL,
    jobs: Sequence[str] = argument("some jobs: names, or patterns such as 'korf-*'", "JOB", is_repeated=True),
    failed: bool = option("the jobs that have failed alone"),
    puzzle: str | None = option("the jobs of this puzzle alone", "NAME"),
    shows_all: bool = option("all jobs, however many there are", name="--all"),
    follow: bool = option("print a line whenever something has changed, to the end"),
    as_json: bool = option("a list of objects instead of a table", name="--json"),
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
            every = kept.jobs()
            chosen = matching(journal, every, jobs) if jobs else every
            if puzzle:
                chosen = [job for job in chosen if title_of(job.source) == puzzle]
            if every and not chosen:
                raise BadInput(f"{journal} has no such job: `parsolve status {journal} --all` lists them")
            return [standing(kept, job) for job in chosen]

    if follow:
        return _follow(look, stops)
    rows = look()
    some = rows if shows_all or as_json else shown_of(rows)
    if failed:
        some = [row for row in rows if row["status"] == "failed"]
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
    lines = aligned([HEAD, *map(_cells, shown)], width) if shown else []
    lines += [one_line(f"{row['name']}: {row['message']}") for row in shown if row["message"]]
    return "\n".join([*lines, *(families(rows) if len(rows) > SHOWN else []), summary(rows)])


def _follow(look: Callable[[], list[dict[str, Any]]], stops: Stops) -> int:
    """Print the summary whenever it has changed, until no job is searched or waits for it."""
    last = ""
    while True:
        rows = look()
        before, last = last, summary(rows)
        if last != before:
            print(last, flush=True)
        if not any(row["status"] in ("waiting", "running") for row in rows):
            return 0
        for _ in range(PAUSES):
            stops.check()
            time.sleep(0.1)


def standing(journal: "JournalReader", job: "Job") -> dict[str, Any]:
    """Return how far a job is, as plain data."""
    done = job.state == "done"
    checkpoint = None if done else journal.checkpoint(job)
    progress = checkpoint.progress if checkpoint else None
    levels = None if done or checkpoint else journal.level_checkpoint(job)
    limits = [each.limit for each in journal.iterations(job)]
    return {
        "name": job.name,
        "puzzle": job.source,
        "status": job.standing,
        "limit": progress.limit if progress else limits[-1] if limits else None,
        "done": progress.share if progress else None if levels else float(done),
        "levels": levels.finished if levels else None,
        "found_so_far": job.found if job.count is None else job.count,
        "nodes": job.nodes,
        "seconds": job.seconds,
        "left": progress.left if progress else 0.0 if done else None,
        "left_at_most": progress.left_at_most if progress else 0.0 if done else None,
        "message": job.message,
    }


def aligned(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Return the lines of a table of the columns in `HEAD`; without dispensable ones where a terminal is narrow."""
    columns = {head: cells for head, *cells in zip(HEAD, *rows, strict=True)}
    widths = {head: max(map(len, cells)) for head, cells in columns.items()}
    for gone in DISPENSABLE:
        if width is None or sum(widths.values()) + 2 * (len(widths) - 1) <= width:
            break
        del widths[gone]
    padded = [
        [cell.ljust(most) if head in ("name", "status") else cell.rjust(most) for cell in columns[head]]
        for head, most in widths.items()
    ]
    return ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["name"],
        row["status"],
        str(row["limit"] or ""),  # 0 is the one limit of a puzzle without costs
        plural(row["levels"], "level") if row["done"] is None else f"{row['done']:.1%}",
        f"{row['found_so_far']:,}" + ("+" if row["status"] == "more" else ""),
        f"{row['nodes']:,}",
        clock(row["seconds"]),
        time_left(row["left"], row["left_at_most"]),
    )


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many jobs are done, how many are not and why, and the time that is left, on one line."""
    states = Counter(row["status"] for row in rows)
    done = [row for row in rows if row["status"] not in UNFINISHED]
    parts = [f"{len(done):,} of {plural(len(rows), 'job')} done"]
    parts += [f"{states[state]:,} {state}" for state in UNFINISHED if states[state]]
    left = [row["left"] for row in rows if row["status"] in ("running", "stopped", "waiting")]
    is_known = left and None not in left  # of jobs that wait it is not
    return ", ".join(parts) + (f"; {clock(sum(left))} left" if is_known else "")


def families(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a summary for each puzzle; empty if there is one alone."""
    of: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        of.setdefault(title_of(row["puzzle"]), []).append(row)
    width = max(map(len, of), default=0)
    return [f"  {name:{width}}  {summary(some)}" for name, some in of.items()] if len(of) > 1 else []
