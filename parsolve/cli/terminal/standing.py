"""How far the jobs of a journal are: as plain data, as a table, and in a few lines."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsolve.text import clock, one_line, plural, time_left

if TYPE_CHECKING:
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Job

HEAD = ("name", "status", "limit", "done", "solutions", "nodes", "time", "left")

DISPENSABLE = ("nodes", "limit", "time", "solutions")
"""The columns that a narrow terminal does without, the first one to go first."""

UNFINISHED = ("running", "failed", "stopped", "waiting")
"""The states of jobs that are not done."""


def standing(journal: "Journal", job: "Job") -> dict[str, Any]:
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


def table(rows: Sequence[dict[str, Any]], width: int | None) -> list[str]:
    """Return the lines of a table of jobs; see `standing` and `aligned`."""
    return aligned([HEAD, *map(_cells, rows)], width)


def aligned(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Return the lines of a table; without dispensable columns if it is too wide.

    Args:
        rows: rows of the columns in `HEAD`.
        width: width of the terminal; None if it is not one.
    """
    columns = {head: [row[number] for row in rows] for number, head in enumerate(HEAD)}
    for gone in DISPENSABLE:
        if width is None or sum(2 + max(map(len, cells)) for cells in columns.values()) - 2 <= width:
            break
        del columns[gone]
    padded = []
    for head, cells in columns.items():
        widest = max(map(len, cells))
        padded.append([cell.ljust(widest) if head in ("name", "status") else cell.rjust(widest) for cell in cells])
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


def messages(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return what jobs say, such as why they have failed, a line each."""
    return [one_line(f"{row['name']}: {row['message']}") for row in rows if row["message"]]


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many jobs are done, how many are not and why, and the time that is left, on one line."""
    states = Counter(row["status"] for row in rows)
    done = [row for row in rows if row["status"] not in UNFINISHED]
    parts = [f"{len(done):,} of {plural(len(rows), 'job')} done"]
    parts += [f"{states[state]:,} {state}" for state in UNFINISHED if states[state]]
    left = _left(rows)
    return ", ".join(parts) + (f"; {left} left" if left else "")


def families(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a summary for each puzzle; empty if there is one alone."""
    names = dict.fromkeys(row["puzzle"].rpartition("/")[2] for row in rows)
    if len(names) < 2:
        return []
    of = {name: [row for row in rows if row["puzzle"].rpartition("/")[2] == name] for name in names}
    width = max(map(len, names))
    return [f"  {name:{width}}  {summary(some)}" for name, some in of.items()]


def _left(rows: Sequence[dict[str, Any]]) -> str:
    """Return the time that unfinished jobs still need; empty if it is unknown, as it is for jobs that wait."""
    left = [row["left"] for row in rows if row["status"] in ("running", "stopped", "waiting")]
    return "" if None in left or not left else clock(sum(left))
