"""`parsolve status`: how far the jobs of a journal are, also while a search writes it."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.commands.journals import matching, opened
from parsolve.cli.options import JOURNAL, argument, option
from parsolve.text import clock, one_line, plural, time_left

if TYPE_CHECKING:
    from parsolve.journal.reader import JournalReader
    from parsolve.journal.records import Job

SHOWN = 30
"""Jobs that are all shown; of more only those that have begun and are not done, unless all are wanted."""

HEAD = ("name", "status", "limit", "done", "solutions", "nodes", "time", "left")

UNFINISHED = ("running", "failed", "stopped", "waiting")
"""The states of jobs that are not done."""


@command()
def status(
    journal: str = JOURNAL,
    jobs: Sequence[str] = argument("some jobs: names, or patterns such as 'korf-*'", "JOB", is_repeated=True),
    shows_all: bool = option("all jobs, however many there are", name="--all"),
    as_json: bool = option("a list of objects instead of a table", name="--json"),
) -> int:
    """Show how far the jobs of a journal are, also while they are searched: the jobs with their state, share done,
    solutions so far and time left, and a summary. Of more than 30 jobs only those that have begun and are not done are
    shown.

    examples:
      parsolve status night.sqlite
      parsolve status night.sqlite 'korf-*' --all       the jobs whose names match
      parsolve status night.sqlite --json
      watch parsolve status night.sqlite                again every two seconds
    """
    with opened(journal) as reader:
        rows = [standing(reader, job) for job in matching(journal, reader.jobs(), jobs)]
    print(json.dumps(rows, indent=2) if as_json else as_text(rows, rows if shows_all else shown_of(rows)))
    return 0


def shown_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the jobs to show: all of them, or if they are many the ones that have begun and are not done."""
    return rows if len(rows) <= SHOWN else [row for row in rows if row["status"] in ("running", "stopped", "failed")]


def as_text(rows: Sequence[dict[str, Any]], shown: Sequence[dict[str, Any]]) -> str:
    """Return a table of some jobs, and a summary of all."""
    lines = aligned([HEAD, *map(_cells, shown)]) if shown else []
    lines += [one_line(f"{row['name']}: {row['message']}") for row in shown if row["message"]]
    return "\n".join([*lines, summary(rows)])


def standing(journal: "JournalReader", job: "Job") -> dict[str, Any]:
    """Return how far a job is, as plain data."""
    from parsolve.search.checkpoint import Checkpoint, LevelCheckpoint

    done = job.state == "done"
    checkpoint = None if done else journal.checkpoint(job)
    progress = checkpoint.progress if isinstance(checkpoint, Checkpoint) else None
    levels = checkpoint if isinstance(checkpoint, LevelCheckpoint) else None
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


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table of the columns in `HEAD`."""
    columns = []
    for head, *cells in zip(*rows, strict=True):
        width = max(map(len, (head, *cells)))
        columns.append([each.ljust(width) if head in HEAD[:2] else each.rjust(width) for each in (head, *cells)])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


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
