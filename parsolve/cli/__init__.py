"""The command line, `parsolve COMMAND`: one file a command, named like it.

A command imports what searches only when it runs, so that `--help` and `list` do not wait for it.
"""

import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from parsolve import __version__
from parsolve.cli.parser import Exit, Parser
from parsolve.cli.process.supervisor import supervised
from parsolve.cli.terminal.streams import clean_streams, status_line, tolerate_any_text, write_line
from parsolve.errors import BadInput, BadOption, ParsolveError
from parsolve.system.activity import current as activity
from parsolve.text import nearest, shown

if TYPE_CHECKING:
    from parsolve.cli.command import Command


GROUPS = {
    "search a puzzle": {
        "solve": "list every cheapest solution",
        "count": "count the cheapest solutions",
        "unique": "say whether there is one cheapest solution and no more",
        "explore": "count the states at each distance, name the hardest positions",
        "estimate": "predict how large a search is and how long it takes",
    },
    "get to know a puzzle": {
        "list": "list the puzzles, and their named instances",
        "describe": "show a puzzle's parameters and named instances",
        "new": "write a file with a small puzzle, to be changed into your own",
        "check": "test whether a puzzle of your own keeps the contract",
    },
    "long searches, kept in a journal": {
        "run": "search the jobs of a file",
        "merge": "add what the journals of a search's parts hold",
        "status": "show how far the jobs of a journal are",
        "show": "show one job of a journal, and its solutions",
        "forget": "delete jobs from a journal",
        "report": "write the jobs of a journal as one HTML file",
        "export": "print the jobs of a journal as CSV or JSON",
    },
    "this machine": {
        "tables": "list, build or delete the tables of lower bounds",
        "bench": "time how fast it counts N queens",
    },
    "this command": {
        "completion": "print what lets a shell complete commands, puzzles, options",
        "help": "show the help of a command or of a puzzle",
    },
}
"""The commands, and the line about each in `parsolve --help`."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

ABOUT = "Count and list every cheapest solution of a puzzle, on every core, exactly.\n\n" + "\n".join(
    f"{title}:\n" + "".join(f"  {name:12}{summary}\n" for name, summary in group.items())
    for title, group in GROUPS.items()
)

EPILOG = """\
`parsolve help COMMAND` shows a command's options and examples, `parsolve help PUZZLE` a puzzle's parameters.

examples:
  parsolve solve hoppers                            every solution, one a line
  parsolve count my_puzzle.py:LightsOut --size 3    a puzzle of your own
  parsolve run jobs.toml --journal night.sqlite     many searches, resumable

exit codes: 0 solved, 1 searched to the end without a solution, or more than --at-most, 2 bad input, 3 stopped by a time
or memory limit, 4 an internal failure, 130 interrupted (SIGINT), 143 terminated (SIGTERM)
"""


def entry() -> NoReturn:
    """Run the command `parsolve`: `main` in a process of its own, which this one supervises."""
    tolerate_any_text()
    sys.exit(supervised(_supervised_main))


def _supervised_main() -> int:
    # numpy's linear algebra is not used; its threads count against limits of processes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main()
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            sys.stdout.flush()
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with the words after `parsolve`, by default this process's own, and return its exit code; errors
    are one line on stderr."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print("parsolve: standard output is closed", file=sys.stderr)
        return 2
    clean_streams()
    activity.reset()
    try:
        try:
            code = _dispatch(list(sys.argv[1:] if arguments is None else arguments))
        except Exit as exit_:
            code = exit_.code
        status_line.erase()
        sys.stdout.flush()
        return code
    except BaseException as error:
        code, message = _exit_of(error)
        if isinstance(error, OSError):  # what is buffered has no reader
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        if message:
            write_line(f"parsolve: {message}")
        return code


def _exit_of(error: BaseException) -> tuple[int, str]:
    """Return the exit code for an error, and its message."""
    if isinstance(error, BadOption):
        from parsolve.cli.named import as_option

        return error.exit_code, as_option(error.args[0]) + error.args[1]
    if isinstance(error, ParsolveError):
        return error.exit_code, str(error)
    if isinstance(error, BrokenPipeError):
        return 141, ""
    if isinstance(error, OSError):
        return 4, str(error)
    if isinstance(error, MemoryError):
        return 3, f"there is not enough memory: {str(error) or 'nothing is left'}"
    if isinstance(error, ImportError) and "failed to map segment" in str(error):
        return 3, "there is not enough memory: a library cannot be loaded"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return 4, "no thread can be started: is there a limit on processes? Raise it, or use --workers 1"
    # Nobody foresaw it, or a puzzle's code tries to end this process.
    if os.environ.get("PARSOLVE_DEBUG"):
        traceback.print_exception(error)
    return 4, f"internal failure: {type(error).__name__}: {error} (PARSOLVE_DEBUG=1 shows where)"


def main_parser() -> Parser:
    """Return the parser of what stands before a command."""
    parser = Parser("parsolve", ABOUT, usage="parsolve COMMAND [options]", epilog=EPILOG)
    parser.add_argument("-V", "--version", action="store_true", help="show the versions of parsolve, Python and numba")
    return parser


def command_named(command: str) -> "Command":
    """Return a command; its module is imported now."""
    name = f"{command}_" if command in ("list", "help") else command  # these names are Python's
    module = importlib.import_module(f"parsolve.cli.commands.{'solve' if command in ('count', 'unique') else name}")
    return getattr(module, name)  # type: ignore[no-any-return]


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        parser = main_parser()
        if not parser.parse_args(arguments).version:
            parser.print_help()
            return 2

        from importlib.metadata import version
        from platform import python_version

        print(f"parsolve {__version__} (Python {python_version()}, numba {version('numba')})")
        return 0
    name = arguments[0]
    if name not in COMMANDS:
        from parsolve.puzzle.catalogue import family_of

        if "--help" in arguments or "-h" in arguments:
            arguments = ["help", name]  # `parsolve PUZZLE --help`
        elif family_of(name) or ".py:" in name or name.endswith(".py"):
            puzzle = f"{shown(name)} is a puzzle, not a command"
            raise BadInput(f"{puzzle}: try parsolve solve {name}, or parsolve describe {name}")
        else:
            raise BadInput(f"there is no command {shown(name)}{nearest(name, COMMANDS)}")

    from parsolve.cli.process.signals import Stopped, stoppable

    with stoppable() as stops:
        try:
            return command_named(arguments[0])(arguments[1:], stops)
        except Stopped:
            return stops.finish()
