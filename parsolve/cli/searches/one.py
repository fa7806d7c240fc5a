"""The search of one puzzle, with or without a journal, and what is printed of it."""

from dataclasses import replace
from functools import partial

from parsolve.cli.named import Named
from parsolve.cli.options import cluster
from parsolve.cli.pages import title_of, write_page
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.search_options import SearchOptions
from parsolve.cli.terminal.printers import printer_of
from parsolve.cli.terminal.reporter import SearchReporter
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.problem.hooks import text_from
from parsolve.problem.problem import Problem
from parsolve.problem.registry import instance_in
from parsolve.puzzle.core import Puzzle
from parsolve.search.choice import engine_for
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.run import run
from parsolve.system.activity import current as activity


def search_puzzle(puzzle: Puzzle, named: Named, search: SearchOptions, stops: Stops) -> int:
    """Search a puzzle, which `named` describes, print solutions, progress and the result, and return the exit code.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is complete before.
        Stopped: a signal has come; the output is complete before.
    """
    request = search.request
    with cluster(search.dask) as client:
        stops.guard(request)
        problem = Problem(puzzle, request.want)
        printer, hint = printer_of(named, search), _hint(puzzle, named, request)
        reporter = SearchReporter(named.source, Result(problem, request), search.quiet, printer, hint)
        if engine_for(problem, request).resumes(problem, request):
            resumed = "the same command resumes it"
            reporter.resume_hint = resumed if search.journal else "with --journal FILE it could be resumed"

        if search.html is not None:
            from parsolve.report.player import MOST_SHOWN

            reporter.kept = MOST_SHOWN + 1  # one more than a page shows tells that there are more
        watch = reporter.begin(stops, request.max_memory, reporter.print_solution)
        try:
            if search.journal is None:
                result = run(problem, request, watch, executor=client)
            else:
                from parsolve.batch.journaled import search_kept

                result = search_kept(search.journal, search.name, named.source, problem, request, watch, client)
        except Stopped:
            stops.finish()
            raise
        except (GuardStop, OutOfMemory) as error:
            stops.complete(partial(reporter.stopped, str(error)))
            reporter.result = replace(reporter.result, message=str(error))
            _write_page(search, reporter)
            raise
        except BaseException as error:
            stops.complete(partial(reporter.failed, str(error)))
            raise
        stops.complete(reporter.finished)
        _write_page(search, reporter)
        return 0 if result.status == "solved" else 1


def _hint(puzzle: Puzzle, named: Named, request: Request) -> str:
    """Return that both engines agree, or what may surprise in a named instance's number of solutions."""
    if request.engine == "both":
        return "both engines agree"
    instance = instance_in(named.source)
    if instance is None:
        return text_from(puzzle, "hint")
    return "" if named.given.keys() & instance.parameters.keys() else instance.hint


def _write_page(search: SearchOptions, reporter: SearchReporter) -> None:
    """Write the page of a search with its first solutions, if it is wanted."""
    if search.html is None:
        return

    from parsolve.report.document import jobs_page
    from parsolve.report.reported import reported_result

    name = title_of(reporter.name)
    rest = "the rest was listed by the search" if search.journal is None else "the rest is in the journal"
    with activity.saving():
        entry = reported_result(name, reporter.result, reporter.first, rest)
        write_page(search.html, "--html", jobs_page(name, [entry]))
