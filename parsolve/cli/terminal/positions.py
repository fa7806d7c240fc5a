"""`parsolve solve|count PUZZLE --file FILE`: a file of positions, a row of results each, in the file's order."""

import argparse
import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from parsolve.cli.options import as_option, request_from
from parsolve.cli.process.guards import Guards
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.tally import Tally
from parsolve.cli.terminal.bar import BatchBar
from parsolve.cli.terminal.log import log_event
from parsolve.cli.terminal.messages import Messages
from parsolve.cli.terminal.row_results import RowResults
from parsolve.errors import BadInput, GuardStop, ParsolveError
from parsolve.parameters import coerce, parameters_of
from parsolve.problem.registry import construct, load_class, presets_of
from parsolve.text import shown

if TYPE_CHECKING:
    from distributed import Client

    from parsolve.batch.rows import Row, Rows
    from parsolve.puzzle import Puzzle
    from parsolve.search.progress import Progress
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


class Positions(Messages):
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
        super().__init__(options.puzzle, options.quiet)
        self._request, self._cls, self._parameters, self._total = request_from(options), cls, parameters, total
        self._stops, self._client = stops, client
        self._file = name
        self._check = Guards(stops, self._request).check
        self._batch_bar = BatchBar(total, 0, "rows", self._with_bar)
        above_bars = self._with_bar and sys.stdout.isatty()
        self._results = RowResults(
            options.puzzle, options.want, options.json, options.boards, options.states, above_bars
        )
        self._tally = Tally("row")
        self._validated = False
        log_event("start", job=self.name, file=name, rows=total, want=options.want, process=os.getpid())

    def progress_made(self, progress: "Progress") -> None:
        super().progress_made(progress)
        self._batch_bar.update(0)

    def search(self, rows: "Rows") -> int:
        """Search all rows, print a result for each, and return the highest exit code."""
        if not rows.has_header:
            self.write(f"{self._file} has no header: each line is read as {rows.given[0]}")
        self._stops.on_stop = self._stopped
        code = 0
        try:
            for row in rows:
                self._check()
                code = max(code, self._search(row))
            if self._total is None:  # a pipe also ends where a signal has ended what wrote it
                self._check()
        except Stopped:
            self._stops.finish()
            raise
        except BrokenPipeError:
            raise
        except BaseException as error:
            if self._tally.done or not isinstance(error, BadInput):
                self._stopped()
            raise
        finally:
            self._close_bar()
            self._batch_bar.close()
        log_event("end", job=self.name, **self._tally.as_event())
        self.write(f"{self._tally.searches}: {self._tally.effort}")
        return code

    def _search(self, row: "Row") -> int:
        """Search a row, print its result and return its exit code."""
        puzzle, result, error, code = None, None, row.error, BadInput.exit_code
        begin = time.monotonic()
        with self._results.row():
            try:
                if not error:
                    puzzle = construct(self._cls, self._parameters | row.parameters)
                    result = self._solve(puzzle)
                    code = 0 if result.status == "solved" else 1
            except (GuardStop, _Refused):
                raise
            except ParsolveError as why:
                error, code = str(why), why.exit_code
            except Exception as why:
                error, code = f"internal failure: {type(why).__name__}: {why}", 4
            self._close_bar()
            if error:
                self.write(f"{row.place}: {error}", always=True)
            self._results.print(row, puzzle, result, error, time.monotonic() - begin)
        if result is None:
            self._tally.add("failed")
        else:
            self._tally.add(result.status, result.nodes, result.seconds)
        self._batch_bar.update()
        return code

    def _solve(self, puzzle: "Puzzle") -> "Result":
        from parsolve.engines import engine_for, run  # numpy
        from parsolve.problem.problem import Problem
        from parsolve.search.watch import Watch

        problem = Problem(puzzle, self._request.want)
        if not self._validated:  # what no row can be searched for is told once
            try:
                engine_for(problem, self._request)
            except BadInput as error:
                raise _Refused(str(error)) from None
            self._validated = True
        watch = Watch(self, self._check, self._request.max_memory, self._keep_solution)
        return run(problem, self._request, watch, executor=self._client)

    def _keep_solution(self, moves: tuple[int, ...]) -> None:
        self._results.keep(moves, self.result.problem)

    def _stopped(self) -> None:
        """Complete the output, and say how many rows are left."""
        self._close_bar()
        self._results.flush()
        log_event("end", job=self.name, status="stopped", **self._tally.as_event())
        left = "more may follow" if self._total is None else f"{self._total - self._tally.number:,} left"
        self.write(f"stopped before the end: {self._tally.searches} done, {left}", always=True)
        self._batch_bar.close()


class _Refused(BadInput):
    """No row can be searched for what is wanted."""
