"""`parsolve solve|count PUZZLE --file FILE`: a file of positions, a row of results each, in the file's order."""

import argparse
import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from parsolve.batch.many import search_each
from parsolve.cli.options import as_option, request_from
from parsolve.cli.process.guards import Guards
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.log import log_event
from parsolve.cli.terminal.row_results import RowResults
from parsolve.cli.terminal.searches import Searches
from parsolve.errors import BadInput, GuardStop
from parsolve.parameters import coerce, parameters_of
from parsolve.problem.registry import construct, load_class, presets_of
from parsolve.text import shown

if TYPE_CHECKING:
    from distributed import Client

    from parsolve.batch.many import Done
    from parsolve.batch.rows import Row, Rows
    from parsolve.puzzle import Puzzle
    from parsolve.search.result import Result


def search_file(options: argparse.Namespace, stops: Stops, client: "Client | None") -> int:
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

    from parsolve.batch.rows import Rows, fitting, lines_of  # numpy

    values = presets_of(options.puzzle) | given
    with _opened(options.file) as (name, file, total):
        rows = Rows(lines_of(file), name, dict(options.rename), known, lambda line: fitting(cls, values, given, line))
        for parameter in rows.given:
            if parameter in given:
                raise BadInput(
                    f"{as_option(parameter)} is given, and {name} has a column for it: leave out one of them"
                )
        if total is not None and rows.has_header:
            total -= 1
        return Positions(options, stops, cls, values, name, total, client).search(rows)


@contextlib.contextmanager
def _opened(name: str) -> Iterator[tuple[str, IO[str], int | None]]:
    """Open a file of positions: what messages call it, the file, and how many rows it has, the header
    included; None for a pipe's.

    Raises:
        BadInput: it cannot be read.
    """
    from parsolve.batch.rows import lines_of, records

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
        stops: whether a signal has come.
        cls: the puzzle's class.
        parameters: those that all rows have.
        name: of the file.
        total: how many rows there are; None if unknown.
        client: of a cluster; None without one.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        stops: Stops,
        cls: "type[Puzzle]",
        parameters: dict[str, Any],
        name: str,
        total: int | None,
        client: "Client | None",
    ) -> None:
        super().__init__(options.puzzle, options.quiet, stops, "row", total)
        self._request, self._cls, self._parameters = request_from(options), cls, parameters
        self._client, self._file = client, name
        self._check = Guards(stops, self._request).check
        above_bars = self._with_bar and sys.stdout.isatty()
        self._results = RowResults(
            options.puzzle, options.want, options.json, options.boards, options.states, above_bars
        )
        self._puzzle: Puzzle | None = None
        self._validated = False
        log_event("start", job=self.name, file=name, rows=total, want=options.want, process=os.getpid())

    def search(self, rows: "Rows") -> int:
        """Search all rows, print a result for each, and return the highest exit code."""
        if not rows.has_header:
            self.write(f"{self._file} has no header: each line is read as {rows.given[0]}")
        with self._results:
            code = self.report(search_each(self._checked(rows), self._search, (GuardStop, _Refused)), self._show)
        log_event("end", job=self.name, **self.tally.as_event())
        self.summarize()
        return code

    def _checked(self, rows: "Rows") -> "Iterator[Row]":
        for row in rows:
            self._check()
            yield row
        if self._total is None:  # a pipe also ends where a signal has ended what wrote it
            self._check()

    def _search(self, row: "Row") -> "Result":
        from parsolve.engines import engine_for, run  # numpy
        from parsolve.problem.problem import Problem
        from parsolve.search.watch import Watch

        self._puzzle = None
        self._results.begin()
        if row.error:
            raise BadInput(row.error)
        self._puzzle = construct(self._cls, self._parameters | row.parameters)
        problem = Problem(self._puzzle, self._request.want)
        if not self._validated:  # what no row can be searched for is told once
            try:
                engine_for(problem, self._request)
            except BadInput as error:
                raise _Refused(str(error)) from None
            self._validated = True
        watch = Watch(self, self._check, self._request.max_memory, self._keep_solution)
        return run(problem, self._request, watch, executor=self._client)

    def _show(self, done: "Done[Row]") -> None:
        if done.error:
            self.write(f"{done.item.place}: {done.error}", always=True)
        self._results.print(done, self._puzzle)
        if done.result is None:
            self.tally.add("failed")
        else:
            self.tally.add(done.result.status, done.result.nodes, done.result.seconds)

    def _keep_solution(self, moves: tuple[int, ...]) -> None:
        self._results.keep(moves, self.result.problem)

    def stopped(self) -> None:
        """Complete the output, and say how many rows are left."""
        self._results.flush()
        log_event("end", job=self.name, status="stopped", **self.tally.as_event())
        super().stopped()


class _Refused(BadInput):
    """No row can be searched for what is wanted."""
