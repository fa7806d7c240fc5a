"""`parsolve rename`: give a job of a journal another name."""

from collections.abc import Sequence

from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import changed, job_named, journal_parser

ABOUT = """\
Give a job of a journal another name. The job file, or --name, must then say this name as well: a name that the journal
does not have is a job that starts from scratch.
"""

EPILOG = """\
examples:
  parsolve rename night.sqlite korf-17 hardest
"""


def rename(arguments: Sequence[str], stops: Stops) -> int:
    """Rename a job, and print it."""
    parser = journal_parser("rename", ABOUT, EPILOG)
    parser.add_argument("job", metavar="JOB", help="its name")
    parser.add_argument("name", metavar="NAME", help="its new name")
    options = parser.parse_args(arguments)

    with changed(options.journal) as journal:
        job = job_named(journal, options.job)
        journal.rename(job, options.name)
    print(f"{job.name}: renamed to {options.name}")
    return 0
