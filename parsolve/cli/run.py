"""A search as the command line runs it: output, progress, exit code."""

import argparse
from pathlib import Path

from parsolve.cli.guards import Guards, be_nice
from parsolve.cli.log import Log
from parsolve.cli.screen import Screen
from parsolve.cli.signals import Stopped, Stops
from parsolve.engine.found import Found
from parsolve.engine.solve import solve
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.puzzle import Puzzle, Want


def run(source: str, puzzle: Puzzle, want: Want, options: argparse.Namespace, stops: Stops) -> int:
    """Search, print, and return the exit code.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is ended first.
        Stopped: a signal has come; `stops` knows what to write.
    """
    be_nice(options.nice)
    log = Log(options.log)
    guards = Guards(stops, options.timeout, options.max_memory)
    screen = Screen(source, puzzle, want, options.json, options.quiet, options.boards, guards.check, log)
    stops.say = screen.stopped
    try:
        found = _search(source, puzzle, want, options, screen)
    except Stopped:
        raise
    except (GuardStop, OutOfMemory):
        screen.stopped()
        raise
    except BaseException:
        screen.failed()
        raise
    screen.finished()
    return 0 if found.status == "solved" else 1


def _search(source: str, puzzle: Puzzle, want: Want, options: argparse.Namespace, screen: Screen) -> Found:
    if options.journal is None:
        return solve(
            puzzle,
            want=want,
            engine=options.engine,
            workers=options.workers,
            table=options.table,
            max_memory=options.max_memory,
            start_method=options.start_method,
            on_solution=screen.print_solution,
            report=screen,
        )
    from parsolve.journal.jobs import Settings
    from parsolve.journal.journal import Journal
    from parsolve.journal.run import alone, entered, search

    name = source.rpartition(":")[2]
    with Journal(Path(options.journal)) as journal:
        alone(journal, name)
        job = entered(journal, name, source, puzzle, want, {})
        settings = Settings(want, options.workers, options.engine, options.table)
        return search(
            journal, job, puzzle, settings, screen.print_solution, screen, options.max_memory, options.start_method
        )
