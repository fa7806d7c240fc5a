"""`parsolve solve` and `parsolve count`."""

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.guards import begin_clock
from parsolve.cli.options import add_background, add_workers, kind, parse, puzzle_from, puzzle_parser, table_bytes
from parsolve.cli.parser import Exit, Parser
from parsolve.cli.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import duration

EPILOG = """\
examples:
  parsolve solve eight --bound none
  parsolve solve sliding --shape 2x3 --start "4 5 0 1 2 3" --want first
  parsolve solve hoppers --json > hoppers.json
  parsolve count sliding --start "1 8 2 0 4 3 7 6 5" --workers 2
  parsolve count queens --n 21 --journal night.sqlite     stop it with Ctrl-C, or pull the plug; say it again
"""


def solve(words: Sequence[str], stops: Stops) -> int:
    """Solve a puzzle and print its solutions."""
    return _solve(words, False, stops)


def count(words: Sequence[str], stops: Stops) -> int:
    """Count a puzzle's solutions."""
    return _solve(words, True, stops)


def _solve(words: Sequence[str], counting: bool, stops: Stops) -> int:
    begin_clock(early_timeout(words))  # loading the puzzle may not return
    parser = _parser(words, counting)
    options = parse(parser, words)
    puzzle = puzzle_from(options)

    from parsolve.cli.search import run  # numba

    return run(options.puzzle, puzzle, "count" if counting else options.want, options, stops)


def early_timeout(words: Sequence[str]) -> float | None:
    """Return the time that --timeout gives, before the other options can be known; None where it gives none."""
    early = Parser("parsolve", "", add_help=False)
    early.add_argument("--timeout")
    with contextlib.suppress(Exit, BadInput), contextlib.redirect_stderr(io.StringIO()):
        given = early.parse_known_args(words)[0].timeout
        return None if given is None else duration(given)
    return None


def _parser(words: Sequence[str], counting: bool) -> Parser:
    verb = "Count" if counting else "Find"
    text = f"{verb} every cheapest solution of a puzzle."
    parser = puzzle_parser("count" if counting else "solve", words, text, EPILOG)
    group = parser.add_argument_group("the search")
    if not counting:
        group.add_argument(
            "--want",
            choices=("all", "count", "first"),
            default="all",
            help="all: list every cheapest solution (default); count: their number alone; first: the first one",
        )
        shown = group.add_mutually_exclusive_group()
        shown.add_argument("--boards", action="store_true", help="draw the states along each solution")
        shown.add_argument("--json", action="store_true", help="one JSON object on stdout")
    else:
        parser.set_defaults(boards=False)
        group.add_argument("--json", action="store_true", help="one JSON object on stdout")
    group.add_argument(
        "--engine",
        choices=("deepening", "breadth", "both"),
        help="iterative deepening, breadth-first search, or both, compared (default: the puzzle's own)",
    )
    group.add_argument(
        "--table",
        type=kind(table_bytes),
        metavar="SIZE|none",
        help="the transposition table, such as 64M (default: the puzzle's own choice)",
    )
    group.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help="keep what is found there; the same command goes on where this one stopped",
    )
    group.add_argument(
        "--timeout",
        type=kind(duration),
        metavar="TIME",
        help="stop after so long, such as 90s, 30m or 2h (exit code 3)",
    )
    add_background(group)
    add_workers(group)
    group.add_argument(
        "--start-method",
        choices=("forkserver", "spawn"),
        help="how workers are started (default: forkserver on Linux, spawn on macOS)",
    )
    group.add_argument("--quiet", action="store_true", help="no limit lines and no progress bar on stderr")
    return parser
