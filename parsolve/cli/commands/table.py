"""`parsolve table`: one puzzle after another, such as every start and goal of a board, as CSV."""

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from parsolve.batch.many import search_each
from parsolve.cli.options import add_max_memory, add_workers, parse, puzzle_from, puzzle_parser, request_from
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.bar import BatchBar
from parsolve.cli.terminal.searches import Searches
from parsolve.parameters import parameters_of, values_of

if TYPE_CHECKING:
    from parsolve.batch.many import Done
    from parsolve.puzzle import Puzzle
    from parsolve.search.result import Result

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
    puzzle = puzzle_from(options)

    from parsolve.problem.hooks import call_method

    variants = list(call_method(puzzle, "variants"))
    every = [values_of(each) for each in variants]
    rows = parameters_of(type(puzzle))
    names = [row.name for row in rows if any(own[row.name] != row.default for own in every)]
    varied = [name for name in names if len({own[name] for own in every}) > 1]
    return Sweep(options, stops, len(variants)).search(variants, names, varied)


class Sweep(Searches):
    """The searches of a puzzle's variants, and what is printed of them.

    Args:
        options: of the command.
        stops: whether a signal has come.
        total: how many variants there are.
    """

    def __init__(self, options: argparse.Namespace, stops: Stops, total: int) -> None:
        super().__init__(options.puzzle, options.quiet, stops, "problem", total)
        self._request = replace(request_from(options), want="count")
        self._lines = csv.writer(sys.stdout, lineterminator="\n")
        self._names: Sequence[str] = ()
        self._varied: Sequence[str] = ()
        self._variant = ""

    def warning_given(self, text: str) -> None:
        super().warning_given(f"{self._variant}: {text}" if self._variant else text)

    def search(self, variants: "Sequence[Puzzle]", names: Sequence[str], varied: Sequence[str]) -> int:
        """Search all variants, print a line for each that has a solution, and return the exit code.

        Args:
            variants: what is searched.
            names: the parameters that are printed.
            varied: those that are not the same for all variants.
        """
        self._names, self._varied = names, varied
        self._lines.writerow([*names, "cost", "solutions"])
        self.report(search_each(variants, self._search, ends_all=(Exception,)), self._show)
        none = not self.tally.done["solved"]
        self.summarize(f"; none has a solution, whatever {' and '.join(varied)}" if none and varied else "")
        return int(none)

    def _search(self, variant: "Puzzle") -> "Result":
        from parsolve.engines import run  # numpy
        from parsolve.problem.problem import Problem
        from parsolve.search.watch import Watch

        values = values_of(variant)
        self._variant = ", ".join(f"{name} {values[name]}" for name in self._varied)
        watch = Watch(self, self._stops.check, self._request.max_memory)
        return run(Problem(variant, self._request.want), self._request, watch)

    def _show(self, done: "Done[Puzzle]") -> None:
        result, values = done.result, values_of(done.item)
        assert result is not None  # an error ends all
        self.tally.add(result.status, result.nodes, result.seconds)
        if result.status == "solved":
            with BatchBar.external_write_mode(sys.stdout):
                self._lines.writerow([*(values[name] for name in self._names), result.cost, result.count])
                sys.stdout.flush()
