"""`parsolve run`: the jobs of a file, one after the other."""

from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.command import command
from parsolve.cli.commands.journals import matching
from parsolve.cli.options import DASK, LOG, MAX_MEMORY, QUIET, TIMEOUT, argument, cluster, option
from parsolve.cli.process.signals import Stops, begin_clock
from parsolve.cli.process.supervisor import fatal_jobs
from parsolve.cli.terminal.log import logging_to


@command(usage="run FILE --journal FILE [options]")
def run(
    stops: Stops,
    jobs: Path = argument("the job file, in TOML", "FILE", is_required=True),
    journal: Path = option("created if need be", "FILE", is_required=True),
    only: Sequence[str] = option(
        "search only some jobs: names, or patterns such as 'korf-*'; may be repeated", "JOB,PATTERN", is_repeated=True
    ),
    workers: int | None = option(
        "how many processes search (default: the file's, the cores it may use, or $PARSOLVE_WORKERS)", "N"
    ),
    dask: str | None = DASK,
    timeout: str | None = option(
        f"{TIMEOUT.help}; each job, whatever the file says (default: the file's, or no limit)", "TIME", str
    ),
    max_memory: str | None = MAX_MEMORY,
    log: Path | None = LOG,
    quiet: bool = QUIET,
) -> int:
    """Search the jobs of a file one after the other, and keep their results in a journal. The same command again skips
    jobs that are done, resumes those that were stopped and searches again those that failed.

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

    Keys of a job: puzzle (a name, or FILE.py:CLASS), name, file, rename; want, engine, workers, limit, slack, at_most,
    part, transposition and timeout, as the options of `parsolve solve`; and the puzzle's parameters. [defaults] holds
    for all jobs.

    exit codes: 0 all jobs are done, 2 bad input (nothing is run), 3 a time or memory limit has stopped a job, 4 a job
    has failed
    """
    from parsolve.batch.job_search import TOGETHER, JobSearch
    from parsolve.batch.jobs import FailedJob, FileJob, read
    from parsolve.batch.journaled import get_or_create_jobs, refuse_edited
    from parsolve.cli.searches.many import JobReporter
    from parsolve.cli.terminal.reporter import Reporter
    from parsolve.journal.journal import Journal
    from parsolve.search.request import Request
    from parsolve.search.watch import Watch

    how = Request.of(workers=workers, timeout=timeout, max_memory=max_memory)  # refused before a journal is made
    settings = {name: value for name, value in (("workers", workers), ("timeout", timeout)) if value is not None}
    listed = read(jobs, fatal_jobs, settings, begin_clock)
    names = {job.name for job in listed}
    are_known = not any(isinstance(job, FailedJob) and job.is_whole for job in listed)
    words = [word for text in only for word in ([text] if text in names else text.split(","))]
    listed = matching(jobs, listed, words)
    with logging_to(log), Journal(journal) as writer:
        left = [job for job in writer.jobs() if not job.is_begun and job.name not in names]
        if left and are_known:  # nothing will ever search them
            writer.forget(left)
        listed = refuse_edited(writer, listed)
        sound = [each for each in listed if isinstance(each, FileJob)]
        of_journal = get_or_create_jobs(writer, sound, lambda name: Watch(Reporter(name), stops.check, how.max_memory))
        with cluster(dask) as client:
            reporter = JobReporter(listed, of_journal, quiet, stops)
            watch, apart = Watch(reporter, reporter.check, how.max_memory), TOGETHER in fatal_jobs
            search = JobSearch(listed, writer, of_journal, watch, reporter.begin_job, client, apart)
            code = reporter.run(search.search_all())
    from parsolve.cli.commands.status import status

    status(["--", str(journal)], stops)
    return code
