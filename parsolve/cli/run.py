"""A search as the command line runs it: output, progress, exit code."""

import argparse

from parsolve.cli.screen import Screen
from parsolve.cli.signals import Stopped, Stops
from parsolve.engine.solve import solve
from parsolve.errors import OutOfMemory
from parsolve.puzzle import Puzzle, Want


def run(source: str, puzzle: Puzzle, want: Want, options: argparse.Namespace, stops: Stops) -> int:
    """Search, print, and return the exit code.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is ended first.
        Stopped: a signal has come; `stops` knows what to write.
    """
    screen = Screen(source, puzzle, want, options.json, options.quiet, options.boards, stops.check)
    stops.say = screen.stopped
    try:
        found = solve(
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
    except Stopped:
        raise
    except OutOfMemory:
        screen.stopped()
        raise
    except BaseException:
        screen.failed()
        raise
    screen.finished()
    return 0 if found.status == "solved" else 1
