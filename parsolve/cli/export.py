"""`parsolve export`: a journal's jobs as CSV or JSON."""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.records import journal_parser, record_of
from parsolve.cli.signals import Stops
from parsolve.text import printable

ABOUT = "Print the jobs of a journal, one row each, with parameters, results, machine, versions and times."

EPILOG = """\
examples:
  parsolve export night.sqlite > night.csv
  parsolve export night.sqlite --format json
"""


def export(arguments: Sequence[str], stops: Stops) -> int:
    """Print a journal's jobs, one row each."""
    parser = journal_parser("export", ABOUT, EPILOG)
    parser.add_argument("--format", choices=("csv", "json"), default="csv", help="(default: csv)")
    options = parser.parse_args(arguments)

    from parsolve.journal.journal import Journal  # numba

    with Journal(Path(options.journal), reading=True) as journal:
        records = [record_of(job) for job in journal.jobs()]
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
