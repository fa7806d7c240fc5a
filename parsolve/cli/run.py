"""A search as the command line runs it: output, progress, signals, exit code."""

import argparse

from parsolve.cli.screen import Screen
from parsolve.cli.signals import Stopped, stoppable
from parsolve.engine.coordinator import Want
from parsolve.engine.deepening import solve
from parsolve.puzzle import Puzzle


def run(source: str, puzzle: Puzzle, want: Want, options: argparse.Namespace) -> int:
    """Search, print, and return the exit code.

    Raises:
        ParsolveError: as `parsolve.solve` does; the output is ended first.
    """
    screen = Screen(source, puzzle, want, options.json, options.quiet)
    with stoppable(screen.stopped) as stops:
        try:
            found = solve(
                puzzle,
                want=want,
                workers=options.workers,
                start_method=options.start_method,
                on_solution=screen.print_solution,
                report=screen,
            )
        except Stopped:
            return stops.leave()
        except BaseException:
            screen.failed()
            raise
        screen.finished()
    return 0 if found.status == "solved" else 1
