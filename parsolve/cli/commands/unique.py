"""`parsolve unique`: is there one solution, and no more?"""

from collections.abc import Sequence

from parsolve.cli.commands.solve import COUNTING, CSV_HELP, begin_early, parse_and_search
from parsolve.cli.options import puzzle_parser
from parsolve.cli.process.signals import Stops

ABOUT = """\
Say whether a puzzle has one cheapest solution and no more, in a word: yes, no (there are more), or none. It ends as
soon as a second one is known, as `parsolve count --at-most 1` does.
"""

EPILOG = """\
examples:
  parsolve unique sudoku
  parsolve unique sudoku --file grids.txt         each row of a file: a row of results each
  parsolve unique my_puzzle.py:LightsOut --size 3 && echo "one solution"

exit codes: 0 yes, 1 no or none, and from 2 on as those of `parsolve count`; of a file the highest
"""


def unique(arguments: Sequence[str], stops: Stops) -> int:
    """Search a puzzle until a second solution is known, and print whether there is one alone."""
    begin_early(arguments)
    parser = puzzle_parser("unique", arguments, ABOUT, EPILOG)
    parser.set_defaults(**COUNTING, at_most=1, slack=None, asks_unique=True)
    group = parser.add_argument_group("the search")
    shown = group.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON object on stdout, with `unique`: true or false")
    shown.add_argument("--csv", action="store_true", help=CSV_HELP)
    return parse_and_search(parser, group, arguments, stops)
