"""`parsolve help`: of a command, or of a puzzle."""

from collections.abc import Sequence

from parsolve.cli import COMMANDS, command_named, main_parser
from parsolve.cli.command import command
from parsolve.cli.options import argument
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.puzzle.catalogue import names
from parsolve.text import nearest, shown


@command()
def help_(
    stops: Stops,
    words: Sequence[str] = argument("a command, or a puzzle from `parsolve list`", "NAME", is_repeated=True),
) -> int:
    """Show the help of a command or of a puzzle.

    examples:
      parsolve help solve
      parsolve help sliding      the same as parsolve solve sliding --help
    """
    if not words:
        main_parser().print_help()
        return 0
    name, *more = words
    if name in COMMANDS:
        return command_named(name)([*more, "--help"], stops)
    known = [*COMMANDS, *names()]
    if ":" not in name and name not in known and not name.endswith(".py"):
        raise BadInput(f"there is no command and no puzzle {shown(name)}{nearest(name, known)}")
    return command_named("solve")([*words, "--help"], stops)
