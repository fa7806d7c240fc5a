"""`parsolve status`, `show` and `export`: what is in a journal, also while a search writes it."""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from parsolve.cli.parser import Parser
from parsolve.cli.signals import Stops
from parsolve.cli.streamed import Streamed
from parsolve.errors import BadInput
from parsolve.text import clock, nearest, one_line, plural, printable, time_left


def status(words: Sequence[str], stops: Stops) -> int:
    """Print a table of the jobs."""
    parser = _parser("status", "Show the jobs of a journal: how far each is, and what it has come to.")
    parser.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    options = parser.parse_args(words)

    from parsolve.journal.journal import Journal  # numba

    with Journal(Path(options.journal), reading=True) as journal:
        rows = [_standing(journal, job) for job in journal.jobs()]
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    head = ("job", "state", "limit", "done", "solutions", "nodes", "time", "left")
    lines = [head, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        padded[:2] = [cell.ljust(width) for cell, width in zip(line[:2], widths[:2], strict=True)]
        print("  ".join(padded).rstrip())
    for row in rows:
        if row["message"]:
            print(one_line(f"{row['job']}: {row['message']}"))
    return 0


def show(words: Sequence[str], stops: Stops) -> int:
    """Print one job."""
    parser = _parser("show", "Show one job of a journal.")
    parser.add_argument("job", nargs="?", help="its name; not needed where there is but one")
    parser.add_argument("--solutions", action="store_true", help="the solutions found so far, one a line")
    parser.add_argument(
        "--puzzle",
        metavar="FILE.py:CLASS",
        help="for --solutions of a puzzle of your own: looking at a journal runs no code that only the journal names",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(words)

    from parsolve.journal.journal import Journal  # numba
    from parsolve.problem import Problem
    from parsolve.replay import Solution

    with Journal(Path(options.journal), reading=True) as journal:
        jobs = {job.name: job for job in journal.jobs()}
        name = options.job or (next(iter(jobs)) if len(jobs) == 1 else None)
        if name is None:
            raise BadInput(f"which job of {options.journal}{nearest('', jobs)}")
        if name not in jobs:
            raise BadInput(f"{options.journal} has no job {name!r}{nearest(name, jobs)}")
        job = jobs[name]
        texts: Iterator[str] = iter(())
        if options.solutions:
            if job.want == "count":
                raise BadInput(f"the job {name} only counts: it has no list of solutions")
            journal.verify(job)
            puzzle = _puzzle_of(job, options.puzzle)
            problem = Problem(puzzle, job.want)
            texts = (Solution(path, problem).text for path in journal.solutions(job))
        if options.json:
            shown = Streamed(_record(job), "solutions" if options.solutions else None)
            for text in texts:
                shown.item(text)
            shown.end({"iterations": [vars(each) for each in journal.iterations(job)]})
        elif options.solutions:
            for text in texts:
                print(text)
        else:
            for key, value in _record(job).items():
                text = json.dumps(value) if isinstance(value, dict) else "" if value is None else one_line(value)
                print(f"{key:12} {text}")
            for each in journal.iterations(job):
                print(f"limit {each.limit}: {plural(each.solutions, 'solution')}, {plural(each.nodes, 'node')}")
    return 0


def export(words: Sequence[str], stops: Stops) -> int:
    """Print all jobs, one row each."""
    parser = _parser("export", "Print the jobs of a journal, one row each, with machine, versions and times.")
    parser.add_argument("--format", choices=("csv", "json"), default="csv", help="(default: csv)")
    options = parser.parse_args(words)

    from parsolve.journal.journal import Journal  # numba

    with Journal(Path(options.journal), reading=True) as journal:
        records = [_record(job) for job in journal.jobs()]
    if options.format == "json":
        print(json.dumps(records, indent=2))
        return 0
    flat = [
        {**record, **{key: json.dumps(record[key]) for key in ("parameters", "notes")}}
        | {f"machine_{key}": value for key, value in record["machine"].items()}
        for record in records
    ]
    columns = list(dict.fromkeys(key for row in flat for key in row if key != "machine"))
    writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: printable(value) if isinstance(value, str) else value for key, value in row.items()} for row in flat
    )
    return 0


def _puzzle_of(job: Any, named: str | None) -> Any:
    """Return a job's puzzle: a built-in one, or the one that the command line names.

    Raises:
        BadInput: it is neither, or another one, or its rules have been edited since.
    """
    from parsolve.problem import Problem
    from parsolve.puzzles import CATALOGUE
    from parsolve.registry import make

    if named is None and job.source not in CATALOGUE:
        raise BadInput(
            f"the job {job.name} is of {job.source}, and looking at a journal runs no code that only the journal names:"
            f" say --puzzle {job.source}"
        )
    puzzle = make(named or job.source, job.parameters)
    if named is not None and Problem(puzzle, job.want).fingerprint != job.fingerprint:
        raise BadInput(f"{named} is not the puzzle of the job {job.name}, or has been edited since")
    return puzzle


def _parser(command: str, about: str) -> Parser:
    parser = Parser(f"parsolve {command}", about)
    parser.add_argument("journal", help="the file")
    return parser


def _standing(journal: Any, job: Any) -> dict[str, Any]:
    done = job.state == "done"
    checkpoint = journal.checkpoint(job)
    progress = checkpoint.progress if checkpoint else None
    limits = [each.limit for each in journal.iterations(job)]
    return {
        "job": job.name,
        "state": job.status if done else job.state,
        "limit": progress.limit if progress else limits[-1] if limits else None,
        "done": progress.share if progress else float(done),
        "solutions": job.found if job.count is None else job.count,
        "nodes": job.nodes,
        "time": job.seconds,
        "left": progress.left if progress else 0.0 if done else None,
        "left_at_most": progress.left_at_most if progress else 0.0 if done else None,
        "message": job.message,
    }


def _record(job: Any) -> dict[str, Any]:
    hidden = ("id", "fingerprint", "meaning", "digest", "seal")
    return {key: value for key, value in vars(job).items() if key not in hidden}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["job"],
        row["state"],
        str(row["limit"] or ""),  # 0 is the one limit of a puzzle without costs
        f"{row['done']:.1%}",
        f"{row['solutions']:,}",
        f"{row['nodes']:,}",
        clock(row["time"]),
        time_left(row["left"], row["left_at_most"]),
    )
