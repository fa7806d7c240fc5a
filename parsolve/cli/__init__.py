"""The command line. One file a command; each imports what it needs only when it runs, because `--help` and
`list` must not wait for numpy and numba."""

import argparse
import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from parsolve import __version__
from parsolve.cli.parser import Exit, Parser
from parsolve.cli.streams import tolerate_any_text
from parsolve.cli.supervisor import supervised
from parsolve.errors import ParsolveError
from parsolve.text import one_line

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
    "run": ("run", "run"),
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
    """Run the command `parsolve`: `main` in a process of its own, which this one watches."""
    sys.exit(supervised(_command))


def _command(ended: Mapping[str, tuple[str, int]]) -> int:
    tolerate_any_text()
    # numpy's linear algebra is not used; its threads count against limits of processes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main(None, ended)
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody takes it any more
            sys.stdout.flush()
    return code


def main(arguments: Sequence[str] | None = None, ended: Mapping[str, tuple[str, int]] | None = None) -> int:
    """Run a command line; returns the exit code.

    Args:
        arguments: the words after `parsolve`; by default this process's own.
        ended: the jobs of a batch that have ended an earlier process: what to say, and the exit code for it.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print("parsolve: standard output is closed", file=sys.stderr)
        return 2
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments), ended or {})
        sys.stdout.flush()
        return code
    except Exit as exit_:
        return exit_.code
    except ParsolveError as error:
        _say(error)
        return error.exit_code
    except MemoryError as error:
        _say(f"there is not enough memory: {error}")
        return 3
    except BrokenPipeError:
        return _without_output(141)
    except OSError as error:
        _say(error)
        return _without_output(4)
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            return _unforeseen(error)
        _say("no thread can be started: is there a limit on processes? Raise it, or say --workers 1")
        return 4
    except BaseException as error:  # nobody foresaw it, or a puzzle's code wants to end this process
        return _unforeseen(error)


def _unforeseen(error: BaseException) -> int:
    if os.environ.get("PARSOLVE_DEBUG"):
        traceback.print_exception(error)
    _say(f"internal failure: {type(error).__name__}: {error} (PARSOLVE_DEBUG=1 shows where)")
    return 4


def _say(what: object) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(f"parsolve: {one_line(what)}", file=sys.stderr, flush=True)


def _without_output(code: int) -> int:
    """Nobody takes our output any more: what Python still holds of it goes into the void."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    return code


def _run(words: list[str], ended: Mapping[str, tuple[str, int]]) -> int:
    about = "Counts and lists every cheapest solution of a puzzle, on every core, exactly."
    parser = Parser("parsolve", about, epilog=EPILOG)
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
    module, function = COMMANDS[parser.parse_args(words[:1]).command]

    from parsolve.cli.signals import Stopped, stoppable

    with stoppable(ended) as stops:
        try:
            command: Callable[[list[str], Stops], int] = getattr(
                importlib.import_module(f"parsolve.cli.{module}"), function
            )
            return command(words[1:], stops)
        except Stopped:
            return stops.leave()
