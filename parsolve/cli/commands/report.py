"""`parsolve report`: the jobs of a journal as one HTML file."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.cli.command import command
from parsolve.cli.commands.journals import is_installed, opened, solutions_of
from parsolve.cli.named import summary_of
from parsolve.cli.options import JOURNAL, OWN_PUZZLE, option
from parsolve.cli.pages import require_page, title_of, write_page
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.hooks import text_from
from parsolve.problem.registry import make
from parsolve.text import one_line

if TYPE_CHECKING:
    from parsolve.journal.reader import JournalReader
    from parsolve.journal.records import Job
    from parsolve.problem.replay import Solution
    from parsolve.report.reported import ReportedSearch


@command()
def report(
    stops: Stops,
    journal: str = JOURNAL,
    output: Path = option("the HTML file to write", "FILE", name="-o --output", is_required=True),
    worksheet: bool = option(
        "a page to print instead: the start of each job, boxes for the moves, and the answers on the last page"
    ),
    puzzle: str | None = OWN_PUZZLE,
) -> int:
    """Write the jobs of a journal as one HTML file: a table, the limits of each job, and a player of its solutions.

    examples:
      parsolve report night.sqlite -o night.html          open it in a browser; it fetches nothing
      parsolve report night.sqlite -o night.html --puzzle my_puzzle.py:LightsOut
      parsolve report class.sqlite -o sheet.html --worksheet      to print: starts, boxes for moves, answers at the end
    """
    option = "report --worksheet" if worksheet else "report"
    require_page(output, option)

    from parsolve.report.document import jobs_page
    from parsolve.report.worksheet import worksheet_page

    with opened(journal) as reader:
        jobs = [*reader.jobs()]
        if not jobs:
            raise BadInput(f"{journal} has no jobs yet")
        if puzzle is not None and not any(_is_of(job, puzzle) for job in jobs):
            own = sorted({job.source for job in jobs if not is_installed(job.source)})
            which = f"only of {', '.join(own)}" if own else "nor of any other puzzle of your own: leave out --puzzle"
            raise BadInput(f"no job of {journal} is of {puzzle}, {which}")
        entries = [_entry(reader, job, puzzle, stops) for job in jobs]
        if worksheet and not any(entry.solutions for entry in entries):
            raise BadInput(f"{journal} has no solutions for a worksheet (of a puzzle of your own: --puzzle)")
        title = Path(journal).name
        page = worksheet_page(Path(title).stem, entries) if worksheet else jobs_page(title, entries)
        write_page(output, option, page)
    return 0


def _entry(journal: "JournalReader", job: "Job", named: str | None, stops: Stops) -> "ReportedSearch":
    from parsolve.report.reported import reported_job

    source, is_known = one_line(title_of(job.source), 200), is_installed(job.source)
    solutions: Iterator[Solution] | None = None
    about = up_to = why_none = ""
    code = job.source if is_known else named if _is_of(job, named) else None
    if code is not None:
        try:
            up_to = text_from(make(code, job.parameters), "up_to")
        except BadPuzzle:
            raise
        except BadInput:
            pass  # an earlier version had other parameters
    if job.want == "count":
        why_none = "It only counts: there is no list of solutions."
    elif code is None:
        why_none = (
            "Its solutions are not drawn: looking at a journal runs no code that only the journal names; add --puzzle"
            f" {source}"
        )
    elif job.found:
        solutions = solutions_of(journal, job, None if is_known else named, stops)
        about = summary_of(code)
    return reported_job(journal, job, source, about=about, up_to=up_to, solutions=solutions, why_none=why_none)


def _is_of(job: "Job", named: str | None) -> bool:
    """Return whether the command line names a job's class, which is not installed."""
    name = None if is_installed(job.source) else job.source.rpartition(":")[2]
    return named is not None and named.rpartition(":")[2] == name
