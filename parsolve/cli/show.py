"""`parsolve show`: one job of a journal."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.cli.json_stream import JsonStream
from parsolve.cli.records import journal_parser, record_of
from parsolve.cli.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import nearest, one_line, plural

if TYPE_CHECKING:
    from parsolve.journal.records import Job
    from parsolve.puzzle import Puzzle

ABOUT = "Show one job of a journal: its parameters, result, limits and machine, or its solutions."

EPILOG = """\
examples:
  parsolve show night.sqlite                          the only job
  parsolve show night.sqlite korf-17
  parsolve show night.sqlite korf-17 --solutions
  parsolve show night.sqlite LightsOut --solutions --puzzle my_puzzle.py:LightsOut
"""


def show(arguments: Sequence[str], stops: Stops) -> int:
    """Print one job, or its solutions."""
    parser = journal_parser("show", ABOUT, EPILOG)
    parser.add_argument("job", nargs="?", metavar="JOB", help="its name; may be left out where there is only one")
    parser.add_argument("--solutions", action="store_true", help="the solutions found so far, one a line")
    parser.add_argument(
        "--puzzle",
        metavar="FILE.py:CLASS",
        help="for --solutions of a puzzle of your own: looking at a journal runs no code that only the journal names",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)

    from parsolve.breadth import tables  # noqa: F401 (builds those that a state along a solution needs)
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
            shown = JsonStream(record_of(job), "solutions" if options.solutions else None)
            for text in texts:
                shown.item(text)
            shown.end({"iterations": [vars(each) for each in journal.iterations(job)]})
        elif options.solutions:
            for text in texts:
                print(text)
        else:
            for key, value in record_of(job).items():
                text = json.dumps(value) if isinstance(value, dict) else "" if value is None else one_line(value)
                print(f"{key:12} {text}")
            for each in journal.iterations(job):
                print(f"limit {each.limit}: {plural(each.solutions, 'solution')}, {plural(each.nodes, 'node')}")
    return 0


def _puzzle_of(job: "Job", named: str | None) -> "Puzzle":
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
            f" add --puzzle {job.source}"
        )
    puzzle = make(named or job.source, job.parameters)
    if named is not None and Problem(puzzle, job.want).identity != job.fingerprint:
        raise BadInput(f"{named} is not the puzzle of the job {job.name}, or has been edited since")
    return puzzle
