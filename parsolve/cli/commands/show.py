"""`parsolve show`: one job of a journal."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import add_puzzle, job_named, journal_parser, opened, solutions_of
from parsolve.errors import BadInput
from parsolve.text import one_line, plural

if TYPE_CHECKING:
    from parsolve.problem.replay import Solution

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
    add_puzzle(parser)
    drawn = parser.add_mutually_exclusive_group()
    drawn.add_argument("--boards", action="store_true", help="with --solutions, draw the states along each")
    drawn.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)
    if options.boards and not options.solutions:
        raise BadInput("--boards is for --solutions, which is missing")

    from parsolve.cli.terminal.results import JsonStream, printed

    with opened(options.journal) as journal:
        job = job_named(journal, options.job)
        solutions: Iterator[Solution] = iter(())
        if options.solutions:
            solutions = solutions_of(journal, job, options.puzzle, stops)
        if options.json:
            shown = JsonStream(job.to_dict(), "solutions" if options.solutions else None)
            for solution in solutions:
                shown.item(solution.to_dict())
            shown.end({"iterations": [each.to_dict() for each in journal.iterations(job)]})
        elif options.solutions:
            for solution in solutions:
                print(printed(solution, options.boards))
        else:
            for key, value in job.to_dict().items():
                text = json.dumps(value) if isinstance(value, dict) else "" if value is None else one_line(value)
                print(f"{key:12} {text}")
            for each in journal.iterations(job):
                print(f"limit {each.limit}: {plural(each.solutions, 'solution')}, {plural(each.nodes, 'node')}")
    return 0
