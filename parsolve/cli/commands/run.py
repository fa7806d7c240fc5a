"""`parsolve run`: the jobs of a file, one after the other."""

from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.options import add_background, add_dask, add_timeout, add_workers, cluster
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.log import logging_to
from parsolve.cli.terminal.records import matching

ABOUT = """\
Search the jobs of a file one after the other, and keep their results in a journal. The same command again skips jobs
that are done, resumes those that were stopped and searches again those that failed.
"""

EPILOG = """\
examples:
  parsolve run jobs.toml --journal night.sqlite
  parsolve run jobs.toml --journal night.sqlite --workers 4 --timeout 2h
  parsolve run jobs.toml --journal night.sqlite --only korf-17,'queens-*'
  nohup parsolve run jobs.toml --journal night.sqlite --quiet --log night.log &
  parsolve status night.sqlite                                also while it runs

a job file:
  [defaults]
  workers = 2
  [[job]]
  name = "queens"
  puzzle = "queens"
  n = [11, 12, 13, 14]          # a list makes one job each: queens-11, queens-12 ...
  want = "count"
  [[job]]
  name = "korf"
  puzzle = "sliding"
  file = "korf100.csv"          # one job a row; `id` names it, parameters by column name
  rename = { tiles = "start" }
  goal = "blank-first"
  timeout = "2h"

Keys of a job: puzzle (a name, or FILE.py:CLASS), name, file, rename; want, workers, engine, transposition, limit,
at_most, slack and timeout, as the options of `parsolve solve`; and the puzzle's parameters. [defaults] holds for all
jobs.

exit codes: 0 all jobs are done, 2 bad input (nothing is run), 3 a time or memory limit has stopped a job, 4 a job has
failed
"""


def run(arguments: Sequence[str], stops: Stops) -> int:
    """Search the jobs of a file and keep them in a journal."""
    parser = Parser("parsolve run", ABOUT, usage="parsolve run FILE --journal FILE [options]", epilog=EPILOG)
    parser.add_argument("jobs", type=Path, metavar="FILE", help="the job file, in TOML")
    parser.add_argument("--journal", type=Path, required=True, metavar="FILE", help="created if need be")
    parser.add_argument(
        "--only",
        action="append",
        metavar="JOB,PATTERN",
        help="search only some jobs: names, or patterns such as 'korf-*'; may be repeated",
    )
    add_workers(parser, "the file's, the cores it may use, or $PARSOLVE_WORKERS")
    add_dask(parser)
    add_timeout(parser, "; each job, whatever the file says (default: the file's, or no limit)")
    add_background(parser)
    parser.add_argument("--quiet", action="store_true", help="nothing on stderr but errors and warnings")
    options = parser.parse_args(arguments)

    from parsolve.batch.jobs import read
    from parsolve.batch.run import get_or_create_jobs, refuse_edited
    from parsolve.cli.searches.job_file import Jobs
    from parsolve.cli.terminal.messages import GettingReady
    from parsolve.journal.journal import Journal
    from parsolve.search.watch import Watch

    given = {name: getattr(options, name) for name in ("workers", "timeout") if getattr(options, name) is not None}
    listed = read(options.jobs, stops.fatal_jobs, given)
    names, are_known = {job.name for job in listed}, not any(job.is_several for job in listed)
    if options.only:
        words = [word for text in options.only for word in ([text] if text in names else text.split(","))]
        listed = matching(options.jobs, listed, lambda job: job.name, words)
    with logging_to(options.log), Journal(options.journal) as journal:
        left = [job for job in journal.jobs() if job.state == "waiting" and job.name not in names]
        if left and are_known:  # nothing will ever search them
            journal.forget(left)
        listed = refuse_edited(journal, listed)
        jobs = get_or_create_jobs(
            journal, listed, lambda name: Watch(GettingReady(name), stops.check, options.max_memory)
        )
        with cluster(options.dask) as client:
            searches = Jobs(listed, jobs, journal, options.quiet, options.max_memory, stops, client)
            code = searches.search_all()
    from parsolve.cli.commands.status import status

    status([str(options.journal)], stops)
    return code
