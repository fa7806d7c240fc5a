"""`parsolve forget`: delete jobs from a journal."""

from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import journal_parser, matching, opened
from parsolve.errors import BadInput
from parsolve.text import clock, plural

ABOUT = """\
Delete jobs from a journal, with their solutions. `parsolve run` searches a forgotten job of its file from scratch; one
that has failed or stopped it searches again without that, from where it stood.
"""

EPILOG = """\
examples:
  parsolve forget night.sqlite korf-17                      if nothing has been searched for it
  parsolve forget night.sqlite --pattern 'korf-*' --yes     whatever the journal has of them
"""


def forget(arguments: Sequence[str], stops: Stops) -> int:
    """Delete jobs, and print which."""
    parser = journal_parser("forget", ABOUT, EPILOG)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="the name of a job")
    parser.add_argument(
        "--pattern",
        action="append",
        default=[],
        metavar="PATTERN",
        help="the jobs whose names match, such as 'korf-*'; may be repeated",
    )
    parser.add_argument("--yes", action="store_true", help="also jobs with results or progress, which are lost")
    options = parser.parse_args(arguments)
    if not (options.jobs or options.pattern):
        parser.error("name a job, or give --pattern")

    from parsolve.journal.journal import Journal

    opened(options.journal).close()  # it is not made
    with Journal(Path(options.journal)) as journal:
        jobs = matching(journal.path, journal.jobs(), lambda job: job.name, options.jobs, options.pattern)
        begun = [job for job in jobs if job.nodes or job.state == "done"]
        if begun and not options.yes:
            seconds = clock(sum(job.seconds for job in begun))
            names = ", ".join(job.name for job in begun[:3]) + (", …" if len(begun) > 3 else "")
            lost = f"{plural(len(begun), 'job')} ({names}) would lose {seconds} of searching"
            raise BadInput(f"nothing is forgotten: {lost}; add --yes")
        journal.forget(jobs)
        for job in jobs:
            print(f"{job.name}: forgotten ({job.standing}, {plural(job.found, 'solution')}, {clock(job.seconds)})")
    return 0
