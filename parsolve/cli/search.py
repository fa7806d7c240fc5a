"""A search as the command line runs it: output, progress, exit code."""

import argparse

from parsolve.cli.guards import Guards, be_nice
from parsolve.cli.log import Log
from parsolve.cli.results import Results
from parsolve.cli.signals import Stopped, Stops
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.puzzle import Puzzle, Want
from parsolve.search.result import Result
from parsolve.search.solve import solve


def run(source: str, puzzle: Puzzle, want: Want, options: argparse.Namespace, stops: Stops) -> int:
    """Search, print, and return the exit code.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is ended first.
        Stopped: a signal has come; `stops` knows what to write.
    """
    be_nice(options.nice)
    log = Log(options.log)
    guards = Guards(stops, options.timeout, options.max_memory)
    results = Results(
        options.json,
        options.boards,
        name=source,
        puzzle=puzzle,
        want=want,
        quiet=options.quiet,
        log=log,
    )
    stops.say = results.stopped
    try:
        found = _search(source, puzzle, want, options, results, guards)
    except Stopped:
        raise
    except (GuardStop, OutOfMemory) as error:
        results.stopped(str(error))
        raise
    except BaseException as error:
        results.failed(str(error))
        raise
    results.finished()
    return 0 if found.status == "solved" else 1


def _search(
    source: str, puzzle: Puzzle, want: Want, options: argparse.Namespace, results: Results, guards: Guards
) -> Result:
    if options.journal is None:
        return solve(
            puzzle,
            want=want,
            engine=options.engine,
            workers=options.workers,
            table=options.table,
            max_memory=options.max_memory,
            start_method=options.start_method,
            on_solution=results.print_solution,
            report=results,
            check=guards.check,
        )
    from parsolve.batch.jobs import Settings
    from parsolve.batch.run import get_or_create_job, require_owner, search
    from parsolve.journal.journal import Journal

    name = source.rpartition(":")[2]
    with Journal(options.journal) as journal:
        require_owner(journal, name)
        job = get_or_create_job(journal, name, source, puzzle, want, {})
        settings = Settings(want, options.workers, options.engine, options.table)
        return search(
            journal,
            job,
            puzzle,
            settings,
            results.print_solution,
            results,
            guards.check,
            options.max_memory,
            options.start_method,
        )
