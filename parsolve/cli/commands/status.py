"""`parsolve status`: how far the jobs of a journal are, also while a search writes it."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import journal_parser, opened
from parsolve.cli.terminal.wrap import stdout_columns
from parsolve.text import clock, one_line, plural, time_left

if TYPE_CHECKING:
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Job

HEAD = ("job", "state", "limit", "done", "solutions", "nodes", "time", "left")

DISPENSABLE = ("nodes", "limit", "time", "solutions")
"""The columns that a narrow terminal does without, the first one to go first."""

ABOUT = "Show the jobs of a journal, also while they are searched: state, share done, solutions so far, time left."

EPILOG = """\
examples:
  parsolve status night.sqlite
  parsolve status night.sqlite --json
"""


def status(arguments: Sequence[str], stops: Stops) -> int:
    """Print a table of a journal's jobs."""
    parser = journal_parser("status", ABOUT, EPILOG)
    parser.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    options = parser.parse_args(arguments)

    with opened(options.journal) as journal:
        rows = [_standing(journal, job) for job in journal.jobs()]
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    for line in aligned([HEAD, *(_cells(row) for row in rows)], stdout_columns()):
        print(line)
    for row in rows:
        if row["message"]:
            print(one_line(f"{row['job']}: {row['message']}"))
    return 0


def aligned(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Return the lines of a table; of one that is too wide, without the columns that are dispensable.

    Args:
        rows: of `HEAD`'s columns.
        width: of the terminal; None if it is not one.
    """
    columns = {head: [row[number] for row in rows] for number, head in enumerate(HEAD)}
    for gone in DISPENSABLE:
        if width is None or sum(2 + max(map(len, cells)) for cells in columns.values()) - 2 <= width:
            break
        del columns[gone]
    padded = []
    for head, cells in columns.items():
        widest = max(map(len, cells))
        padded.append([cell.ljust(widest) if head in ("job", "state") else cell.rjust(widest) for cell in cells])
    return ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]


def _standing(journal: "Journal", job: "Job") -> dict[str, Any]:
    done = job.state == "done"
    checkpoint = None if done else journal.checkpoint(job)
    progress = checkpoint.progress if checkpoint else None
    levels = None if done or checkpoint else journal.level_checkpoint(job)
    limits = [each.limit for each in journal.iterations(job)]
    return {
        "job": job.name,
        "state": job.status if done else job.state,
        "limit": progress.limit if progress else limits[-1] if limits else None,
        "done": progress.share if progress else None if levels else float(done),
        "levels": levels.finished if levels else None,
        "solutions": job.found if job.count is None else job.count,
        "nodes": job.nodes,
        "time": job.seconds,
        "left": progress.left if progress else 0.0 if done else None,
        "left_at_most": progress.left_at_most if progress else 0.0 if done else None,
        "message": job.message,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["job"],
        row["state"],
        str(row["limit"] or ""),  # 0 is the one limit of a puzzle without costs
        plural(row["levels"], "level") if row["done"] is None else f"{row['done']:.1%}",
        f"{row['solutions']:,}" + ("+" if row["state"] == "more" else ""),
        f"{row['nodes']:,}",
        clock(row["time"]),
        time_left(row["left"], row["left_at_most"]),
    )
