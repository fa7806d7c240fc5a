"""`parsolve table`: one puzzle after another, such as every start and goal of a board, as CSV."""

import csv
import sys
from collections.abc import Sequence

from parsolve.cli.options import add_max_memory, add_workers, parse, puzzle_from, puzzle_parser
from parsolve.cli.signals import Stops

ABOUT = """\
Count the cheapest solutions of one puzzle after another, such as every start and goal of a board, those once that are
images of one another. CSV on standard output: a line for each puzzle that has a solution, as soon as it is known.
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
    options = parse(parser, arguments)
    puzzle = puzzle_from(options)

    from parsolve.cli.bar import BatchBar
    from parsolve.cli.building import GettingReady
    from parsolve.engines import solve  # numba
    from parsolve.hooks import call_method
    from parsolve.parameters import parameters_of, values_of

    variants = list(call_method(puzzle, "variants"))
    every = [values_of(each) for each in variants]
    names = [each.name for each in parameters_of(type(puzzle)) if any(own[each.name] != each.default for own in every)]
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow([*names, "cost", "solutions"])
    ready = GettingReady(options.puzzle)
    stops.on_stop = ready.stopped
    solved = 0
    bar = BatchBar(len(variants), 0, "puzzles", sys.stderr.isatty())
    try:
        for each, values in zip(variants, every, strict=True):
            result = solve(
                each,
                want="count",
                workers=options.workers,
                max_memory=options.max_memory,
                listener=ready,
                check=stops.check,
            )
            if result.status == "solved":
                solved += 1
                with BatchBar.external_write_mode(sys.stdout):
                    lines.writerow([*(values[name] for name in names), result.cost, result.count])
                    sys.stdout.flush()
            bar.update()
    finally:
        ready.close()
        bar.close()
    return 0 if solved else 1
