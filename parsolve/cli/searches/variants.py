"""The searches of a puzzle's variants, for `parsolve table`: a line of CSV each."""

import csv
import sys

from parsolve.batch.bulk import BulkSearch
from parsolve.batch.items import Puzzles
from parsolve.batch.many import Done
from parsolve.cli.process.signals import Stops
from parsolve.cli.searches.many import Searches
from parsolve.cli.terminal.bar import BatchBar
from parsolve.engines import run
from parsolve.parameters import parameters_of, values_of
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import Watch


class Variants(Searches, Puzzles):
    """The searches of a puzzle's variants, and what is printed of them.

    Args:
        puzzle: whose variants are searched.
        name, quiet, stops: see `Searches`.
        request: how they are counted.
    """

    def __init__(self, puzzle: Puzzle, name: str, request: Request, quiet: bool, stops: Stops) -> None:
        self._variants: list[Puzzle] = list(call_method(puzzle, "variants"))
        Searches.__init__(self, name, quiet, stops, "problem", len(self._variants))
        Puzzles.__init__(self, request)
        stops.guard(self._request)
        every = [values_of(each) for each in self._variants]
        rows = parameters_of(type(puzzle))
        self._names = [row.name for row in rows if any(own[row.name] != row.default for own in every)]
        self._varied = [name for name in self._names if len({own[name] for own in every}) > 1]
        self._lines = csv.writer(sys.stdout, lineterminator="\n")
        self._variant = ""

    def warning_given(self, text: str) -> None:
        super().warning_given(f"{self._variant}: {text}" if self._variant else text)

    def search_all(self) -> int:
        """Search all variants, print a line for each that has a solution, and return the exit code."""
        self._lines.writerow([*self._names, "cost", "solutions"])
        watch = Watch(self, self._stops.check_time, self._request.max_memory)  # the rest is asked by each
        bulk = BulkSearch(self, watch, self._request.workers, len(self._variants), ends_all=(Exception,))
        self.report(bulk.search(self._variants), self._show)
        none = not self.ended["solved"]
        varied = " and ".join(self._varied)
        self.summarize(f"; none has a solution, whatever {varied}" if none and varied else "")
        return int(none)

    def search(self, item: Puzzle, problem: Problem, store: CheckpointStore) -> Result:
        values = values_of(item)
        self._variant = ", ".join(f"{name} {values[name]}" for name in self._varied)
        watch = Watch(self, self._stops.check, self._request.max_memory)
        return run(problem, self._request, watch, store=store)

    def _show(self, done: Done[Puzzle]) -> None:
        result, values = done.result, values_of(done.item)
        assert result is not None  # an error ends all
        self.add(result.status, result.nodes, result.seconds)
        if result.status == "solved":
            with BatchBar.external_write_mode(sys.stdout):
                self._lines.writerow([*(values[name] for name in self._names), result.cost, result.count])
                sys.stdout.flush()
