"""`parsolve export`: a journal's jobs, or their solutions, as CSV or JSON."""

import csv
import itertools
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.commands.journals import is_installed, opened, solutions_of
from parsolve.cli.options import JOURNAL, option
from parsolve.cli.process.signals import Stops

if TYPE_CHECKING:
    from parsolve.journal.reader import JournalReader


@command()
def export(
    stops: Stops,
    journal: str = JOURNAL,
    format: str = option(
        "csv (default), or json: a list, with --solutions an object a line", kind=("csv", "json"), default="csv"
    ),
    solutions: bool = option(
        "one row a solution instead: the job, the solution's number, its moves as numbers and, unless its puzzle's file"
        " would have to be run for it, as text"
    ),
) -> int:
    """Print the jobs of a journal, one row each, with parameters, results, machine, versions and times. A parameter is
    the column parameter_NAME, another column of the file that the job came from note_NAME.

    examples:
      parsolve export night.sqlite > night.csv
      parsolve export night.sqlite --solutions > solutions.csv
      parsolve export night.sqlite --format json
    """
    with opened(journal) as reader:
        if format == "csv":
            rows = _solutions(reader, stops) if solutions else [job.to_row() for job in reader.jobs()]
            columns = ["name", "number", "moves", "text"] if solutions else [*dict.fromkeys(itertools.chain(*rows))]
            writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(row | {"moves": " ".join(map(str, row["moves"]))} if solutions else row for row in rows)
        elif solutions:
            for row in _solutions(reader, stops):
                print(json.dumps(row))
        else:
            print(json.dumps([job.to_dict() for job in reader.jobs()], indent=2))
    return 0


def _solutions(journal: "JournalReader", stops: Stops) -> Iterator[dict[str, Any]]:
    """Yield the solutions of all jobs that list them; no file that a journal names is run."""
    for job in journal.jobs():
        if job.want == "count":
            continue
        if is_installed(job.source):
            moves_and_texts = ((solution.moves, solution.text) for solution in solutions_of(journal, job, None, stops))
        else:
            journal.verify(job)
            moves_and_texts = ((moves, "") for moves in journal.solutions(job))
        for number, (moves, text) in enumerate(moves_and_texts, 1):
            yield {"name": job.name, "number": number, "moves": list(moves), "text": text}
