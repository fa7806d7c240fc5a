"""The searches of a file's rows, or of several values: a row of results each, in their order."""

import contextlib
import gc
import gzip
import io
import itertools
import os
import sys
import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from parsolve.batch.bulk import BulkSearch
from parsolve.batch.csv_files import Row, Rows, short_lines, takers
from parsolve.batch.items import Done, Items
from parsolve.cli.named import Named, as_option, as_options
from parsolve.cli.options import cluster
from parsolve.cli.process.signals import Stops
from parsolve.cli.search_options import SearchOptions
from parsolve.cli.searches.many import Searches
from parsolve.cli.terminal.printers import printer_of
from parsolve.errors import BadInput, GuardStop, TimeUp
from parsolve.problem.problem import Problem
from parsolve.puzzle.parameters import coerce, parameters_of
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.choice import engine_for
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.run import run
from parsolve.search.watch import Watch
from parsolve.system.userfiles import GZIP

if TYPE_CHECKING:
    from distributed import Client


def search_many(named: Named, search: SearchOptions, stops: Stops) -> int:
    """Search the rows of a file, or a puzzle with each of several values of its parameters, print a result for each in
    its order, and return the highest exit code.

    Raises:
        BadInput: the file cannot be read, or does not fit the puzzle or the other search.
        TimeUp: the time is up; the output is complete before.
        Stopped: a signal has come; the output is complete before.
    """
    if search.file is None:
        several = named.several
        every = [dict(zip(several, map(str, each), strict=True)) for each in itertools.product(*several.values())]
        values = enumerate(every, 1)
        each_row = (Row(number, as_options(each), " ".join(each.values()), each, {}) for number, each in values)
        return RowSearches(named, search, stops, len(every)).search_rows(each_row)
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
        return RowSearches(named, search, stops, total).search_rows(rows, rows.header.reading, file=name)


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


class RowItems(Items[Row]):
    """The rows of a file, and how each is searched: by itself with a watch, or on a cluster if there is a client."""

    def __init__(self, named: Named, search: SearchOptions, watch: Watch, client: "Client | None") -> None:
        self._named, self._search, self._request = named, search, search.request
        self._watch, self._client = watch, client
        self.needs_results = search.want != "count" or search.request.slack is not None
        self._is_validated = False

    def kind(self, item: Row) -> Hashable:
        if item.error or self._client is not None:
            return None
        roots = self._named.cls.root_parameters
        if not roots:  # only the puzzles know what rows share
            return ()
        return tuple([value for name, value in item.parameters.items() if name not in roots])

    def texts(self, item: Row) -> dict[str, str]:
        return item.parameters

    def request(self, item: Row) -> Request:
        return self._request

    def problem(self, item: Row) -> Problem:
        if item.error:
            raise BadInput(item.error)
        problem = Problem(self._named.with_parameters(item.parameters), self._request.want)
        if not self._is_validated:  # a request that no row can meet is reported once
            try:
                engine_for(problem, self._request)
            except BadInput as error:
                raise _Refused(str(error)) from None
            self._is_validated = True
        return problem

    def search(self, item: Row, problem: Problem, begun: Checkpoint | None) -> Result:
        begin, longest = time.monotonic() - (begun.seconds if begun else 0.0), self._search.row_timeout

        def check() -> None:
            self._watch.check()
            if longest is not None and time.monotonic() > begin + longest:
                raise GuardStop(f"stopped after {longest:g} s, as --row-timeout says")

        watch = replace(self._watch, check=check)
        return run(problem, self._request, watch, store=CheckpointStore(begun), executor=self._client)


class RowSearches(Searches):
    """The searches of a file's rows, and what is printed of them."""

    def __init__(self, named: Named, search: SearchOptions, stops: Stops, total: int | None) -> None:
        super().__init__(named.source, search.quiet, stops, "row", total)
        self._named, self._search, self._request = named, search, search.request
        self._printer = printer_of(named, search)
        self._held: list[str] = []

    def search_rows(self, rows: Iterable[Row], reading: str = "", **about: Any) -> int:
        """Search all rows, print a result for each, and return the highest exit code; `reading` says how their file is
        read, and `about` is for the log."""
        self._stops.guard(self._request)
        with cluster(self._search.dask) as client:
            self.report("start", reading, **about, rows=self._all, want=self._request.want, process=os.getpid())
            gc.freeze()  # what has been imported is not looked through again, however many rows come and go
            watch = Watch(self, self._tend, self._request.max_memory)
            items = RowItems(self._named, self._search, watch, client)
            bulk = BulkSearch(items, rows, watch, self._request.workers, self._all, (TimeUp, _Refused, OSError))
            code = self.run(bulk.search(), self._show)
            self._stops.complete(self.summarize)
        return code

    def _tend(self) -> None:
        """Write what waits, keep the time of the bar running, and look whether to stop."""
        self._flush()
        self.show_progress()
        self._stops.check()

    def _flush(self) -> None:
        """Write the results that are held; on any thread."""
        held, self._held = self._held, []
        if held:
            sys.stdout.write("".join(held))
            sys.stdout.flush()

    def _show(self, done: Done[Row]) -> int:
        """Hold a row's result for a moment, with its solutions, if it failed those before, and return its exit code."""
        if done.failure is not None:
            self.write(f"{done.item.place}: {done.failure}", always=True)
        result, self.result = done.result or self.result, None
        answer = done.answer or (result.answer if result else None)  # as far as it has come
        self._held.append(self._printer.row(done, answer, result))
        self.add(done.status, *((answer.nodes, answer.seconds) if answer else ()))
        return int(done.status != "solved") if done.failure is None else done.failure.exit_code

    def summarize(self) -> None:
        """Complete the output, with a summary."""
        self._flush()
        self.report("end", **self.as_event())
        super().summarize()

    def stopped(self) -> None:
        """Complete the output, and say how many rows are left."""
        self._flush()
        self.report("end", status="stopped", **self.as_event())
        super().stopped()


class _Refused(BadInput):
    """No row can be searched for what is wanted."""
