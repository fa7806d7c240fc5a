"""The searches of a file's rows, or of several values: a row of results each, in their order."""

import contextlib
import gc
import gzip
import io
import itertools
import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from parsolve.batch.bulk import BulkSearch
from parsolve.batch.csv_files import Row, Rows, short_lines, takers
from parsolve.batch.items import RowItems
from parsolve.cli.named import Named, as_option, as_options
from parsolve.cli.options import cluster
from parsolve.cli.process.signals import Stops
from parsolve.cli.search_options import SearchOptions
from parsolve.cli.searches.many import RowReporter
from parsolve.cli.terminal.printers import CsvRowPrinter, JsonRowPrinter, RowPrinter
from parsolve.errors import BadInput
from parsolve.puzzle.parameters import coerce, parameters_of
from parsolve.search.watch import Watch
from parsolve.system.userfiles import GZIP


def search_many(named: Named, search: SearchOptions, stops: Stops) -> int:
    """Search the rows of a file, or a puzzle with each of several values of its parameters, print a result for each in
    its order, and return the highest exit code.

    Raises:
        BadInput: the file cannot be read, or does not fit the puzzle or the other search.
        TimeUp: the time is up; the output is complete before.
        Stopped: a signal has come; the output is complete before.
    """
    request = search.request
    kind = JsonRowPrinter if search.as_json else CsvRowPrinter if search.csv else RowPrinter
    printer = kind(named, request, search.boards, search.asks_unique)
    with _rows_of(named, search) as (rows, total, reading, about):
        stops.guard(request)
        reporter = RowReporter(named.source, search.quiet, stops, total, printer)
        with cluster(search.dask) as client:
            reporter.report("start", reading, **about, rows=total, want=request.want, process=os.getpid())
            gc.freeze()  # what has been imported is not looked through again, however many rows come and go
            watch = Watch(reporter, reporter.check, request.max_memory)
            items = RowItems(named.cls, named.values, request, watch, client, search.row_timeout)
            return reporter.run(BulkSearch(items, rows, watch, request.workers, total).search())


@contextlib.contextmanager
def _rows_of(named: Named, search: SearchOptions) -> Iterator[tuple[Iterable[Row], int | None, str, dict[str, str]]]:
    """Open the rows of a file, or of several values: themselves, their number if known, how their file is read, and
    its name for the log."""
    if search.file is None:
        several = named.several
        every = [dict(zip(several, map(str, each), strict=True)) for each in itertools.product(*several.values())]
        values = enumerate(every, 1)
        each_row = (Row(number, as_options(each), " ".join(each.values()), each, {}) for number, each in values)
        yield each_row, len(every), "", {}
        return
    cls, known = named.cls, [parameter.name for parameter in parameters_of(named.cls)]
    coerce(cls, named.given)
    with _opened(search.file) as file:
        name = "standard input" if search.file == "-" else Path(search.file).name

        def read() -> Rows:
            lines, may_take = cls.table_lines(short_lines(file)), partial(takers, cls, named.values, named.given)
            return Rows(lines, name, dict(search.rename), known, may_take)

        rows, total = read(), None
        if twice := [as_option(parameter) for parameter in rows.header.given if parameter in named.given]:
            raise BadInput(f"{twice[0]} is given, and {name} has a column for it: leave out one of them")
        if search.file != "-" and Path(search.file).is_file():
            total = rows.count()
            file.seek(0)
            rows = read()
        yield rows, total, rows.header.reading, {"file": name}


@contextlib.contextmanager
def _opened(name: str) -> Iterator[IO[str]]:
    """Open a file of rows, or standard input."""
    if name == "-" and sys.stdin is None:
        raise BadInput("--file -: standard input is closed")
    try:
        data = open(sys.stdin.fileno() if name == "-" else name, "rb", closefd=name != "-")  # noqa: SIM115
    except (OSError, ValueError) as error:  # such as a zero byte in its name
        raise BadInput(f"--file {name} cannot be read: {getattr(error, 'strerror', error)}") from None
    with data:
        plain: Any = gzip.GzipFile(fileobj=data) if data.peek(len(GZIP)).startswith(GZIP) else data
        with io.TextIOWrapper(plain, encoding="utf-8-sig", newline="") as file:  # as spreadsheets write it, too
            yield file
