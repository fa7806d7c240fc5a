"""`parsolve table`: one puzzle after another, such as every start and goal of a board, as CSV."""

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from parsolve.cli.options import add_max_memory, add_workers, parse, puzzle_from, puzzle_parser, request_from
from parsolve.cli.process.signals import Stops
from parsolve.cli.tally import Tally
from parsolve.cli.terminal.bar import BatchBar
from parsolve.cli.terminal.messages import Messages
from parsolve.errors import OutOfMemory

if TYPE_CHECKING:
    from parsolve.puzzle import Puzzle
    from parsolve.search.progress import Progress

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

    from parsolve.parameters import parameters_of, values_of
    from parsolve.problem.hooks import call_method

    variants = list(call_method(puzzle, "variants"))
    every = [values_of(each) for each in variants]
    rows = parameters_of(type(puzzle))
    names = [row.name for row in rows if any(own[row.name] != row.default for own in every)]
    varied = [name for name in names if len({own[name] for own in every}) > 1]
    return Sweep(options, stops, len(variants)).search(variants, every, names, varied)


class Sweep(Messages):
    """The searches of a puzzle's variants, and what is printed of them.

    Args:
        options: of the command.
        stops: whether a signal has come.
        total: how many variants there are.
    """

    def __init__(self, options: argparse.Namespace, stops: Stops, total: int) -> None:
        super().__init__(options.puzzle, options.quiet)
        self._options, self._stops, self._total = options, stops, total
        self._batch_bar = BatchBar(total, 0, "problems", self._with_bar)
        self._lines = csv.writer(sys.stdout, lineterminator="\n")
        self._tally = Tally("problem")
        self._variant = ""

    def warning_given(self, text: str) -> None:
        super().warning_given(f"{self._variant}: {text}" if self._variant else text)

    def progress_made(self, progress: "Progress") -> None:
        super().progress_made(progress)
        self._batch_bar.update(0)

    def search(
        self, variants: "Sequence[Puzzle]", every: Sequence[dict[str, Any]], names: Sequence[str], varied: Sequence[str]
    ) -> int:
        """Search all variants, print a line for each that has a solution, and return the exit code.

        Args:
            variants: what is searched.
            every: the parameters of each.
            names: the parameters that are printed.
            varied: those that are not the same for all variants.
        """
        self._stops.on_stop = self._stopped
        self._lines.writerow([*names, "cost", "solutions"])
        try:
            for each, values in zip(variants, every, strict=True):
                self._variant = ", ".join(f"{name} {values[name]}" for name in varied)
                self._search(each, [values[name] for name in names])
        except OutOfMemory:
            self._stopped()
            raise
        finally:
            self._close_bar()
            self._batch_bar.close()
        if self._tally.done["solved"]:
            self.write(f"{self._tally.searches}: {self._tally.effort}")
            return 0
        tried = f"; none has a solution, whatever {' and '.join(varied)}" if varied else ""
        self.write(f"{self._tally.searches}: {self._tally.effort}{tried}")
        return 1

    def _search(self, variant: "Puzzle", values: Sequence[Any]) -> None:
        """Search a variant and print its line, if it has a solution."""
        from parsolve.engines import run  # numpy
        from parsolve.problem.problem import Problem
        from parsolve.search.watch import Watch

        request = replace(request_from(self._options), want="count")
        watch = Watch(self, self._stops.check, request.max_memory)
        result = run(Problem(variant, request.want), request, watch)
        self._close_bar()
        self._tally.add(result.status, result.nodes, result.seconds)
        if result.status == "solved":
            with BatchBar.external_write_mode(sys.stdout):
                self._lines.writerow([*values, result.cost, result.count])
                sys.stdout.flush()
        self._batch_bar.update()

    def _stopped(self) -> None:
        """Say how many variants are left."""
        self._close_bar()
        left = f"{self._total - self._tally.number:,} left"
        self.write(f"stopped before the end: {self._tally.searches} done, {left}", always=True)
        self._batch_bar.close()
