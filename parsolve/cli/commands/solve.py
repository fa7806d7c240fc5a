"""`parsolve solve` and `parsolve count`."""

import argparse
import contextlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from parsolve.cli.commands.pages import add_html, require_writable, title_of, write_page
from parsolve.cli.options import (
    add_background,
    add_dask,
    add_file,
    add_timeout,
    add_workers,
    cluster,
    file_of_rows,
    kind,
    parse,
    puzzle_from,
    puzzle_parser,
    request_from,
    whole,
)
from parsolve.cli.parser import Exit, Parser
from parsolve.cli.process.guards import Guards, be_nice, begin_clock
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.errors import BadInput, GuardStop, OutOfMemory
from parsolve.puzzle import EngineName, Puzzle, Want
from parsolve.text import duration, size_or_none

if TYPE_CHECKING:
    from distributed import Client

    from parsolve.cli.terminal.results import Results
    from parsolve.problem.problem import Problem
    from parsolve.search.request import Request
    from parsolve.search.result import Result
    from parsolve.search.watch import Watch

SOLVE_EPILOG = """\
examples:
  parsolve solve hoppers
  parsolve solve eight --bound none
  parsolve solve sliding --shape 2x3 --start "4 5 0 1 2 3" --want first
  parsolve solve five --boards                    draw the states along each solution
  parsolve solve hoppers --json > hoppers.json
  parsolve solve my_puzzle.py:LightsOut --size 3  a puzzle of your own
  parsolve solve sliding --file boards.csv --json each row of a file: one JSON object a line
"""

COUNT_EPILOG = """\
examples:
  parsolve count eight
  parsolve count sliding --start "1 8 2 0 4 3 7 6 5" --workers 2
  parsolve count eight --engine both              two independent searches, compared
  parsolve count queens --n 21 --journal night.sqlite
                                                  stopped, or killed? The same command resumes it
  parsolve count sliding --file korf100.csv --rename tiles=start --goal blank-first
                                                  each row of a file: a row of results each
"""


def solve(arguments: Sequence[str], stops: Stops) -> int:
    """Search a puzzle and print its solutions."""
    _begin_early(arguments)
    parser = puzzle_parser("solve", arguments, "List every cheapest solution of a puzzle, one a line.", SOLVE_EPILOG)
    group = parser.add_argument_group("the search")
    group.add_argument(
        "--want",
        choices=get_args(Want),
        default="all",
        help="all: every cheapest solution (default); count: their number alone; first: the first one, without a count;"
        " any: the one up to --limit that a worker finds first, cheapest or not",
    )
    shown = group.add_mutually_exclusive_group()
    shown.add_argument("--boards", action="store_true", help="draw the states along each solution")
    shown.add_argument("--json", action="store_true", help="one JSON object on stdout")
    group.add_argument("--states", action="store_true", help="with --json, the states along each solution as well")
    return _parse_and_search(parser, group, arguments, stops)


def count(arguments: Sequence[str], stops: Stops) -> int:
    """Search a puzzle and print the number of its solutions."""
    _begin_early(arguments)
    parser = puzzle_parser("count", arguments, "Count the cheapest solutions of a puzzle.", COUNT_EPILOG)
    parser.set_defaults(want="count", boards=False, states=False)
    group = parser.add_argument_group("the search")
    group.add_argument("--json", action="store_true", help="one JSON object on stdout")
    return _parse_and_search(parser, group, arguments, stops)


def _parse_and_search(parser: Parser, group: argparse._ActionsContainer, arguments: Sequence[str], stops: Stops) -> int:
    _add_search_options(group)
    options = parse(parser, arguments)
    rows = file_of_rows(options)
    if options.rename and rows is None:
        raise BadInput("--rename is for the columns of a --file, which is missing")
    if options.limit is not None and rows is not None:
        raise BadInput("--limit is for one puzzle, not for the rows of a --file: leave out one of them")
    if options.states and not options.json:
        raise BadInput("--states is for --json, which is missing; --boards draws them")
    if options.html is not None:
        if rows is not None:
            raise BadInput("--html is for one puzzle, not for a --file: use --journal, and `parsolve report`")
        require_writable(options.html)
    puzzle = puzzle_from(options) if rows is None else None
    be_nice(options.nice)

    from parsolve.cli.terminal.log import logging_to

    with logging_to(options.log), cluster(options) as client:
        if puzzle is None:
            from parsolve.cli.terminal.positions import search_file  # tqdm

            return search_file(options, stops, client)
        result = _search(puzzle, options, stops, client)
    return 0 if result.status == "solved" else 1


def _add_search_options(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--engine",
        choices=get_args(EngineName),
        help="iterative deepening, breadth-first search, or both, compared (default: the puzzle's own)",
    )
    group.add_argument(
        "--transposition",
        "--table",
        type=kind(size_or_none),
        metavar="SIZE|none",
        help="memory of the transposition table, such as 64M (default: the puzzle's own choice)",
    )
    group.add_argument(
        "--limit",
        type=whole("limit"),
        metavar="COST",
        help="search no further than this cost, by iterative deepening; exit code 3 if there is no solution up to it",
    )
    group.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help="keep the search in this file, created if need be: the same command resumes it where it was stopped",
    )
    add_file(group)
    add_html(group, "the result, with a player of the solutions")
    add_timeout(group)
    add_background(group)
    add_workers(group)
    add_dask(group)
    group.add_argument(
        "--start-method",
        choices=("forkserver", "spawn"),
        help="how workers are started (default: forkserver on Linux, spawn on macOS)",
    )
    group.add_argument("--quiet", action="store_true", help="nothing on stderr but errors and warnings")


def _begin_early(arguments: Sequence[str]) -> None:
    """Start the clock of --timeout before the other options are known: loading the puzzle, whose parameters they are,
    may never return."""
    begin_clock(None)
    early = Parser("parsolve", "", add_help=False)
    early.add_argument("--timeout")
    with contextlib.suppress(Exit, BadInput), contextlib.redirect_stderr(io.StringIO()):
        given = early.parse_known_args(arguments)[0].timeout
        if given is not None:
            begin_clock(duration(given))


def _search(puzzle: Puzzle, options: argparse.Namespace, stops: Stops, client: "Client | None") -> "Result":
    """Search, and print solutions, progress and the result.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is complete before.
        Stopped: a signal has come; the output is complete before.
    """
    from parsolve.cli import advice  # numpy
    from parsolve.cli.terminal.results import Results
    from parsolve.problem.problem import Problem
    from parsolve.search.watch import Watch

    request = request_from(options)
    guards = Guards(stops, request)
    problem = Problem(puzzle, request.want)
    results = Results(
        options.json,
        options.boards,
        options.states,
        _in_page() if options.html else 0,
        name=options.puzzle,
        problem=problem,
        quiet=options.quiet,
        hint=_hint(puzzle, options),
        on_large=advice.on_large(problem, request),
        on_slow=advice.on_slow(problem, request) if request.want == "any" else "",
        on_stop="the same command resumes it" if options.journal else "with --journal FILE it could be resumed",
    )
    stops.on_stop = results.stopped

    def draw(stopped: str = "") -> None:
        if options.html is None:
            return
        if stopped:
            results.write(f"writing {options.html}; Ctrl-C once more ends that")
        _write_html(options, results, stopped)

    stops.on_page = draw
    try:
        watch = Watch(results, guards.check, request.max_memory, results.print_solution)
        result = _run(problem, request, watch, options, client)
    except Stopped:
        stops.finish()
        raise
    except (GuardStop, OutOfMemory) as error:
        results.stopped(str(error))
        stops.write_page(str(error))
        raise
    except BaseException as error:
        results.failed(str(error))
        raise
    results.finished()
    draw()
    return result


def _hint(puzzle: Puzzle, options: argparse.Namespace) -> str:
    """Return that both engines agree, where they were compared; or what of a named instance's number of solutions may
    surprise, unless the user has set parameters."""
    if options.engine == "both":
        return "both engines agree"
    from parsolve.problem.hooks import text_from
    from parsolve.problem.registry import instance_in

    instance = instance_in(options.puzzle)
    if instance is None:
        return text_from(puzzle, "hint")
    return "" if any(getattr(options, name, None) is not None for name in instance.parameters) else instance.hint


def _in_page() -> int:
    """Return how many solutions a page wants: one more than it shows tells that there are more."""
    from parsolve.report.player import MOST

    return MOST + 1


def _write_html(options: argparse.Namespace, results: "Results", stopped: str) -> None:
    """Write the page of a search.

    Args:
        options: of the command.
        results: what is known.
        stopped: why the search was stopped; empty if it was not.
    """
    from parsolve.report.entry import entry_of
    from parsolve.report.jobs import jobs_page

    name = title_of(options.puzzle)
    results.result.message = results.result.message or stopped
    rest = "the rest was listed by the search" if not stopped else "the others were not kept"
    if options.journal is not None:
        rest = "the rest is in the journal"
    entry = entry_of(name, results.result, results.first_paths, rest)
    write_page(options.html, jobs_page(name, [entry]))


def _run(
    problem: "Problem", request: "Request", watch: "Watch", options: argparse.Namespace, client: "Client | None"
) -> "Result":
    """Search, with a journal if one is named."""
    if options.journal is None:
        from parsolve.engines import run  # numpy

        return run(problem, request, watch, executor=client)
    from parsolve.batch.run import get_or_create_job, require_owner, search
    from parsolve.journal.journal import Journal

    name = options.puzzle.rpartition(":")[2]
    with Journal(options.journal) as journal:
        require_owner(journal, name)
        job = get_or_create_job(journal, name, options.puzzle, problem, {}, watch)
        return search(journal, job, problem, request, watch, client)
