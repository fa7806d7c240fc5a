"""The search of one puzzle, with or without a journal, and what is printed of it."""

from parsolve.cli.commands.pages import title_of, write_page
from parsolve.cli.named import Named
from parsolve.cli.options import cluster
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.search_options import SearchOptions
from parsolve.cli.terminal.printers import printer_of
from parsolve.cli.terminal.reporter import SearchReporter
from parsolve.engines import engine_for, run
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.problem.hooks import text_from
from parsolve.problem.problem import Problem
from parsolve.problem.registry import instance_in
from parsolve.puzzle import Puzzle
from parsolve.search.request import Request
from parsolve.search.watch import Watch


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
        keep = 0
        if search.html is not None:
            from parsolve.report.player import MOST

            keep = MOST + 1  # one more than a page shows tells that there are more
        printer, hint = printer_of(named, search), _hint(puzzle, named, request)
        reporter = SearchReporter(named.source, problem, search.quiet, printer, hint, keep)
        if engine_for(problem, request).resumes(problem, request):
            reporter.on_stop = (
                "the same command resumes it" if search.journal else "with --journal FILE it could be resumed"
            )
        stops.on_stop = reporter.stopped

        def draw(stopped: str = "") -> None:
            if search.html is not None:
                if stopped:
                    reporter.write(f"writing {search.html}; Ctrl-C once more ends that")
                write_page(search.html, "--html", _page(named.source, search, request, reporter, stopped))

        stops.on_page = draw
        watch = Watch(reporter, stops.check, request.max_memory, reporter.print_solution)
        try:
            if search.journal is None:
                result = run(problem, request, watch, executor=client)
            else:
                from parsolve.batch.run import own_job
                from parsolve.batch.run import search as search_job
                from parsolve.journal.journal import Journal

                with Journal(search.journal) as journal:
                    job = own_job(journal, search.name, named.source, problem, watch, request)
                    result = search_job(journal, job, problem, request, watch, client)
        except Stopped:
            stops.finish()
            raise
        except (GuardStop, OutOfMemory) as error:
            reporter.stopped(str(error))
            stops.write_page(str(error))
            raise
        except BaseException as error:
            reporter.failed(str(error))
            raise
        reporter.finished()
        draw()
        return 0 if result.status == "solved" else 1


def _hint(puzzle: Puzzle, named: Named, request: Request) -> str:
    """Return that both engines agree, or what may surprise in a named instance's number of solutions."""
    if request.engine == "both":
        return "both engines agree"
    instance = instance_in(named.source)
    if instance is None:
        return text_from(puzzle, "hint")
    return "" if named.given.keys() & instance.parameters.keys() else instance.hint


def _page(source: str, search: SearchOptions, request: Request, reporter: SearchReporter, stopped: str) -> str:
    """Return the page of a search, with why it was stopped; empty if it was not."""
    from parsolve.report.entry import entry_of_result
    from parsolve.report.jobs import jobs_page

    name, chooses = title_of(source), request.chooses
    reporter.result.message = reporter.result.message or stopped
    rest = "the rest was listed by the search" if not stopped else "the others were not kept"
    if search.journal is not None:
        rest = "the rest is in the journal"
    elif chooses:
        rest = "the others were left out"
    entry = entry_of_result(name, reporter.result, reporter.first_paths, rest)
    entry.chosen = chooses
    return jobs_page(name, [entry])
