"""The search of one puzzle, and what is reported of it however it ends."""

from collections.abc import Callable
from functools import partial

from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.terminal.reporter import SearchReporter
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.search.choice import engine_for
from parsolve.search.request import Request
from parsolve.search.result import Result


def search_puzzle(
    puzzle: Puzzle, request: Request, search: Callable[..., Result], reporter: SearchReporter, stops: Stops
) -> int:
    """Search a puzzle by `search`, such as `search.run`, report how it goes, and return the exit code.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is complete before.
        Stopped: a signal has come; the output is complete before.
    """
    stops.guard(request)
    problem = Problem(puzzle, request.want)
    reporter.result = Result(problem, request)
    if not engine_for(problem, request).resumes(problem, request):
        reporter.resume_hint = ""
    watch = reporter.begin(stops, request.max_memory, reporter.print_solution)
    try:
        result = search(problem, request, watch)
    except Stopped:
        stops.finish()
        raise
    except (GuardStop, OutOfMemory) as error:
        stops.complete(partial(reporter.stopped, str(error)))
        reporter.write_page(str(error))
        raise
    except BaseException as error:
        stops.complete(partial(reporter.failed, str(error)))
        raise
    stops.complete(reporter.finished)
    reporter.write_page()
    return 0 if result.status == "solved" else 1
