"""`parsolve play`: step through solutions in the terminal."""

import itertools
import locale
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.catalogue import family_of
from parsolve.cli.options import add_workers, named_in, parse, puzzle_parser, request_from
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import add_puzzle, job_named, journal_parser, opened, solutions_of
from parsolve.cli.terminal.streams import encodable
from parsolve.errors import BadInput

if TYPE_CHECKING:
    import curses

    from parsolve.cli.terminal.stage import Stage
    from parsolve.problem.replay import Solution

ABOUT = "Search a puzzle, and step through its solutions in the terminal: arrow keys, Home, End, space, q."

EPILOG = """\
examples:
  parsolve play hoppers
  parsolve play sliding --start "1 8 2 0 4 3 7 6 5"
  parsolve play night.sqlite korf-17              the solutions of a job in a journal
"""

MOST = 10_000
"""Solutions that can be stepped through."""

STEP, POLL = 0.7, 0.1
"""Seconds between two steps that follow by themselves, and between two looks for signals."""


def play(arguments: Sequence[str], stops: Stops) -> int:
    """Show solutions on the terminal until the user quits."""
    if arguments and ":" not in arguments[0] and Path(arguments[0]).is_file() and not family_of(arguments[0]):
        title, found = _of_journal(journal_parser("play", ABOUT, EPILOG), arguments, stops)
    else:
        title, found = _searched(arguments, stops)
    if not found:
        return 1

    from parsolve.cli.terminal.stage import Stage

    _show(Stage(title, found[:MOST], len(found) > MOST), stops)
    return 0


def _of_journal(parser: Parser, arguments: Sequence[str], stops: Stops) -> tuple[str, "list[Solution]"]:
    parser.add_argument("job", nargs="?", metavar="JOB", help="its name; may be left out where there is only one")
    add_puzzle(parser)
    options = parser.parse_args(arguments)
    _require_terminal()

    with opened(options.journal) as journal:
        job = job_named(journal, options.job)
        found = [*itertools.islice(solutions_of(journal, job, options.puzzle, stops), MOST + 1)]
    if not found:
        print(f"the job {job.name} has no solutions yet", file=sys.stderr)
    return job.name, found


def _searched(arguments: Sequence[str], stops: Stops) -> tuple[str, "list[Solution]"]:
    parser = puzzle_parser("play", arguments, ABOUT, EPILOG)
    parser.add_argument(
        "--want", choices=("all", "first"), default="all", help="all: every cheapest solution (default); first: one"
    )
    add_workers(parser)
    options = parse(parser, arguments)
    puzzle = named_in(options).make()
    _require_terminal()

    from parsolve.cli.terminal.screen import Screen
    from parsolve.engines import run
    from parsolve.problem.problem import Problem
    from parsolve.problem.replay import Solution
    from parsolve.search.watch import Watch

    request = request_from(options)
    problem = Problem(puzzle, request.want)
    screen = Screen(options.puzzle, problem, quiet=False)
    paths: list[tuple[int, ...]] = []

    def keep(path: tuple[int, ...]) -> None:
        if len(paths) <= MOST:
            paths.append(path)

    stops.on_stop = screen.stopped
    result = run(problem, request, Watch(screen, stops.check, on_solution=keep))
    stops.on_stop = None
    screen.finished()
    return options.puzzle, [Solution(path, result.problem) for path in paths]


def _require_terminal() -> None:
    instead = "`parsolve solve PUZZLE --boards` prints the states"
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput(f"play needs a terminal to draw on and to read keys from: {instead}")
    import curses

    try:
        curses.setupterm()
    except curses.error as error:
        raise BadInput(f"play cannot draw on this terminal ({error}): {instead}") from None


def _show(stage: "Stage", stops: Stops) -> None:
    import curses

    locale.setlocale(locale.LC_ALL, "")  # which letters the terminal has
    try:
        curses.wrapper(_loop, stage, stops)
    except curses.error as error:
        raise BadInput(f"play cannot draw on this terminal ({error})") from None


def _loop(window: "curses.window", stage: "Stage", stops: Stops) -> None:
    import curses

    keys = {
        curses.KEY_LEFT: "left",
        curses.KEY_RIGHT: "right",
        curses.KEY_UP: "up",
        curses.KEY_DOWN: "down",
        curses.KEY_HOME: "home",
        curses.KEY_END: "end",
        ord(" "): "space",
        ord("q"): "q",
    }
    if curses.tigetstr("civis"):
        curses.curs_set(0)
    window.timeout(round(1000 * POLL))
    stepped = time.monotonic()
    going_on, changed = True, True
    while going_on:
        stops.check()
        if changed:
            height, width = window.getmaxyx()
            window.erase()
            for row, line in enumerate(stage.lines(width - 1, height)):
                window.addstr(row, 0, encodable(line, window.encoding)[: width - 1])
            window.refresh()
        key = window.getch()
        changed = key != -1
        if changed:
            going_on = stage.press(keys.get(key, ""))
            stepped = time.monotonic()
        elif stage.playing and time.monotonic() - stepped >= STEP:
            stage.tick()
            changed, stepped = True, time.monotonic()
