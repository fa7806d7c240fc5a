"""`parsolve solve|count PUZZLE --file FILE`: a file of positions, a row of results each, in the file's order."""

import argparse
import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from parsolve.batch.many import Done, search_each
from parsolve.batch.rows import Row, Rows, fitting, lines_of, records
from parsolve.cli.options import as_option, cluster, request_from
from parsolve.cli.process.signals import Stops
from parsolve.cli.searches.many import Searches
from parsolve.cli.searches.row_results import RowResults
from parsolve.cli.terminal.log import log_event
from parsolve.engines import engine_for, run
from parsolve.errors import BadInput, GuardStop
from parsolve.parameters import coerce, parameters_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct, load_class, presets_of
from parsolve.puzzle import Puzzle
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.text import shown

if TYPE_CHECKING:
    from distributed import Client


def search_file(options: argparse.Namespace, stops: Stops) -> int:
    """Search the rows of a file one after the other, print a result for each, and return the highest exit code.

    Raises:
        BadInput: the file cannot be read, or does not fit the puzzle or the other options.
        GuardStop: the time is up; the output is complete before.
        Stopped: a signal has come; the output is complete before.
    """
    if options.journal is not None:
        raise BadInput("--file takes no --journal: `parsolve run` searches the rows of a file with one")
    cls = load_class(options.puzzle)
    known = [parameter.name for parameter in parameters_of(cls)]
    given = {name: value for name in known if (value := getattr(options, name)) is not None}
    coerce(cls, given)
    values = presets_of(options.puzzle) | given
    with cluster(options) as client, _opened(options.file) as (name, file, total):
        rows = Rows(lines_of(file), name, dict(options.rename), known, lambda line: fitting(cls, values, given, line))
        for parameter in rows.given:
            if parameter in given:
                raise BadInput(
                    f"{as_option(parameter)} is given, and {name} has a column for it: leave out one of them"
                )
        if total is not None and rows.has_header:
            total -= 1
        positions = Positions(options, stops, total, lambda parameters: construct(cls, values | parameters))
        log_event("start", job=options.puzzle, file=name, rows=total, want=options.want, process=os.getpid())
        if not rows.has_header:
            positions.write(f"{name} has no header: each line is read as {rows.given[0]}")
        return positions.search(rows, client)


@contextlib.contextmanager
def _opened(name: str) -> Iterator[tuple[str, IO[str], int | None]]:
    """Open a file of positions: what messages call it, the file, and how many rows it has, the header
    included; None for a pipe's."""
    short = "standard input" if name == "-" else Path(name).name
    if name == "-" and sys.stdin is None:
        raise BadInput("--file -: standard input is closed")
    try:
        place = sys.stdin.fileno() if name == "-" else name
        # As spreadsheets write it, too.
        file = open(place, encoding="utf-8-sig", newline="", closefd=name != "-")  # noqa: SIM115
    except OSError as error:
        raise BadInput(f"--file {name} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a zero byte in its name
        raise BadInput(f"--file {shown(name)} cannot be read: {error}") from None
    with file:
        total = None
        if name != "-" and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            total = sum(1 for _ in records(lines_of(file), short))
            file.seek(0)
        yield short, file, total


class Positions(Searches):
    """The searches of a file's rows, and what is printed of them.

    Args:
        options: of the command.
        stops: what ends them.
        total: how many rows there are; None if unknown.
        make: makes a puzzle of the parameters of a row.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        stops: Stops,
        total: int | None,
        make: Callable[[dict[str, Any]], Puzzle],
    ) -> None:
        super().__init__(options.puzzle, options.quiet, stops, "row", total)
        self._request, self._make = request_from(options), make
        self._results = RowResults(options, above_bars=self._with_bar and sys.stdout.isatty())
        self._puzzle: Puzzle | None = None
        self._validated = False
        stops.guard(self._request)

    def search(self, rows: Rows, client: "Client | None") -> int:
        """Search all rows, print a result for each, and return the highest exit code."""
        with self._results:
            searched = search_each(
                self._checked(rows), lambda row: self._search(row, client), ends_all=(GuardStop, _Refused)
            )
            code = self.report(searched, self._show)
        log_event("end", job=self.name, **self.as_event())
        self.summarize()
        return code

    def _checked(self, rows: Rows) -> Iterator[Row]:
        for row in rows:
            self._stops.check()
            yield row
        if self._total is None:  # a pipe also ends where a signal has ended what wrote it
            self._stops.check()

    def _search(self, row: Row, client: "Client | None") -> Result:
        self._puzzle = None
        self._results.begin()
        if row.error:
            raise BadInput(row.error)
        self._puzzle = self._make(row.parameters)
        problem = Problem(self._puzzle, self._request.want)
        if not self._validated:  # what no row can be searched for is told once
            try:
                engine_for(problem, self._request)
            except BadInput as error:
                raise _Refused(str(error)) from None
            self._validated = True
        watch = Watch(self, self._stops.check, self._request.max_memory, self._keep_solution)
        return run(problem, self._request, watch, executor=client)

    def _show(self, done: Done[Row]) -> None:
        if done.error:
            self.write(f"{done.item.place}: {done.error}", always=True)
        self._results.print(done, self._puzzle)
        if done.result is None:
            self.add("failed")
        else:
            self.add(done.result.status, done.result.nodes, done.result.seconds)

    def _keep_solution(self, moves: tuple[int, ...]) -> None:
        self._results.keep(moves, self.result)

    def stopped(self) -> None:
        """Complete the output, and say how many rows are left."""
        self._results.flush()
        log_event("end", job=self.name, status="stopped", **self.as_event())
        super().stopped()


class _Refused(BadInput):
    """No row can be searched for what is wanted."""
