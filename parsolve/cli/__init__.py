"""The command line. One file a command; each imports what it needs only when it runs, because `--help` and
`list` must not wait for numpy and numba."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from parsolve import __version__

if TYPE_CHECKING:
    from parsolve.cli.signals import Stops

COMMANDS = {
    "solve": ("solve", "solve"),
    "count": ("solve", "count"),
    "explore": ("explore", "explore"),
    "estimate": ("estimate", "estimate"),
    "list": ("catalogue", "list_puzzles"),
    "describe": ("catalogue", "describe"),
    "check": ("check", "check"),
    "bench": ("bench", "bench"),
    "run": ("batch", "batch"),
    "status": ("status", "status"),
    "show": ("status", "show"),
    "export": ("status", "export"),
}
"""By name: the module and its function."""

EPILOG = """\
examples:
  parsolve solve hoppers                          every cheapest solution, one a line
  parsolve solve sliding --start "1 8 2 0 4 3 7 6 5" --workers 2 --json
  parsolve count eight                            the number alone
  parsolve solve my_puzzle.py:LightsOut --size 3  a puzzle of your own, in one file
  parsolve explore eight                          states by distance, the hardest positions
  parsolve describe peg                           its parameters and named instances
  parsolve bench queens --n 11-14                 how fast this machine counts N queens
  parsolve count queens --n 21 --journal night.sqlite     stop it at any moment; say it again, and it goes on
  parsolve run jobs.toml --journal night.sqlite           many jobs; parsolve status night.sqlite

exit codes: 0 solved, 1 searched to the end without a solution, 2 bad input, 3 stopped by a guard,
4 an internal failure, 130 interrupted (SIGINT), 143 terminated (SIGTERM)
"""


def entry() -> NoReturn:
    """What the command `parsolve` runs: `main`, and a signal that comes after all is said changes nothing any more."""
    code = main()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print("parsolve: standard output is closed", file=sys.stderr)
        return 2
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="parsolve",
        description="Counts and lists every cheapest solution of a puzzle, on every core, exactly.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"parsolve {__version__}")
    parser.add_argument(
        "command",
        choices=COMMANDS,
        metavar="command",
        help="solve, count (= solve --want count) or explore a puzzle; list them; describe or check one;"
        " estimate a search; bench the machine; run a file of jobs; status, show or export a journal;"
        " `parsolve COMMAND --help` says more",
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    if not words:
        parser.print_help()
        return 2
    if words[0].startswith("-"):
        parser.parse_args(words)
    command = parser.parse_args(words[:1]).command

    from parsolve.cli.signals import Stopped, stoppable
    from parsolve.errors import ParsolveError

    try:
        with stoppable() as stops:
            try:
                return _run(command, words[1:], stops)
            except Stopped:
                return stops.leave()
    except ParsolveError as error:
        print(f"parsolve: {error}", file=sys.stderr)
        return error.exit_code
    except MemoryError as error:
        print(f"parsolve: there is not enough memory: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"parsolve: {error}", file=sys.stderr)
            return _without_output(4)
        return _without_output(141)


def _without_output(code: int) -> int:
    """Nobody takes our output any more: Python flushes it once more at exit, into the void."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    return code


def _run(command: str, words: list[str], stops: "Stops") -> int:
    module, function = COMMANDS[command]
    run: Callable[[list[str], Stops], int] = getattr(importlib.import_module(f"parsolve.cli.{module}"), function)
    return run(words, stops)
