"""`parsolve forget`: delete jobs from a journal."""

from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.command import command
from parsolve.cli.commands.journals import matching, opened
from parsolve.cli.options import JOURNAL, argument, option
from parsolve.errors import BadInput
from parsolve.text import clock, plural


@command()
def forget(
    journal: str = JOURNAL,
    jobs: Sequence[str] = argument("the name of a job", "JOB", is_repeated=True),
    pattern: Sequence[str] = option(
        "the jobs whose names match, such as 'korf-*'; may be repeated", "PATTERN", is_repeated=True
    ),
    yes: bool = option("also jobs with results or progress, which are lost"),
) -> int:
    """Delete jobs from a journal, with their solutions. `parsolve run` searches a forgotten job of its file from
    scratch; one that has failed or stopped it searches again without that, from where it stood.

    examples:
      parsolve forget night.sqlite korf-17                      if nothing has been searched for it
      parsolve forget night.sqlite --pattern 'korf-*' --yes     whatever the journal has of them
    """
    if not (jobs or pattern):
        raise BadInput("name a job, or give --pattern")

    from parsolve.journal.journal import Journal

    opened(journal).close()  # it is not made
    with Journal(Path(journal)) as writer:
        found = matching(writer.path, writer.jobs(), jobs, pattern)
        begun = [job for job in found if job.is_begun]
        if begun and not yes:
            seconds = clock(sum(job.seconds for job in begun))
            names = ", ".join(job.name for job in begun[:3]) + (", …" if len(begun) > 3 else "")
            lost = f"{plural(len(begun), 'job')} ({names}) would lose {seconds} of searching"
            raise BadInput(f"nothing is forgotten: {lost}; add --yes")
        writer.forget(found)
        for job in found:
            print(f"{job.name}: forgotten ({job.standing}, {plural(job.found, 'solution')}, {clock(job.seconds)})")
    return 0
