"""`parsolve help`: of a command, or of a puzzle."""

from collections.abc import Sequence

from parsolve.catalogue import names
from parsolve.cli import COMMANDS, function_of, main_parser
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import nearest, shown

EPILOG = """\
examples:
  parsolve help solve
  parsolve help sliding      the same as parsolve solve sliding --help
"""


def help_(arguments: Sequence[str], stops: Stops) -> int:
    """Show the help of a command, of a puzzle, or of all commands."""
    parser = Parser("parsolve help", "Show the help of a command or of a puzzle.", epilog=EPILOG)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a command, or a puzzle from `parsolve list`")
    name = parser.parse_args(arguments).name
    if name is None:
        main_parser().print_help()
        return 0
    if name in COMMANDS:
        return function_of(name)(["--help"], stops)
    known = [*COMMANDS, *names()]
    if ":" not in name and name not in known and not name.endswith(".py"):
        raise BadInput(f"there is no command and no puzzle {shown(name)}{nearest(name, known)}")
    return function_of("solve")([name, "--help"], stops)
