"""`parsolve table`: one puzzle after another, such as every start and goal of a board, as CSV."""

from collections.abc import Sequence
from dataclasses import replace

from parsolve.cli.options import add_max_memory, add_workers, named_in, parse, puzzle_parser, request_from
from parsolve.cli.process.signals import Stops

ABOUT = """\
Count the cheapest solutions of one puzzle after another, such as every start and goal of a board, those once that are
images of one another. CSV on standard output: a line for each puzzle that has a solution, as soon as it is known. Exit
code 1 if none has one.
"""

EPILOG = """\
examples:
  parsolve table peg --board triangle15
  parsolve table peg --board english33 > english33.csv
"""


def table(arguments: Sequence[str], stops: Stops) -> int:
    """Print the cost and the number of solutions of each variant of a puzzle."""
    parser = puzzle_parser("table", arguments, ABOUT, EPILOG)
    add_workers(parser)
    add_max_memory(parser)
    parser.add_argument("--quiet", action="store_true", help="nothing on stderr but errors and warnings")
    options = parse(parser, arguments)
    puzzle = named_in(options).make()

    from parsolve.cli.searches.variants import Variants

    request = replace(request_from(options), want="count")
    return Variants(puzzle, options.puzzle, request, options.quiet, stops).search_all()
