"""Commands: functions of typed values, which a parser reads from the command line."""

import contextlib
import itertools
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parsolve.cli.options import PUZZLE, Option
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops, begin_clock
from parsolve.errors import BadInput
from parsolve.text import duration

EXCLUSIVE = ("as_json", "csv", "boards")
"""How something is shown: a command takes one of these options."""


class Command:
    """A command: a function whose docstring is the help, and whose arguments have options as defaults; see `Option`.

    A function that takes `stops` gets what ends it early. One that takes `named` is about a puzzle, which is named
    first and whose parameters are options, too. One that takes `search` gets it with the fields that its class has.

    Args:
        run: the function; it returns the exit code.
        name: by default the function's.
        usage: what follows `parsolve` in the help; by default all options.
        fixed: fields of `search` that are not options here, with their values.
        below: commands that follow its name, such as `build` in `tables build`.
    """

    def __init__(
        self,
        run: Callable[..., int],
        name: str = "",
        usage: str = "",
        fixed: Mapping[str, Any] | None = None,
        below: Mapping[str, "Command"] | None = None,
    ) -> None:
        self._run, self._name, self._usage = run, name or run.__name__.rstrip("_"), usage
        self._fixed, self.below = fixed or {}, below or {}
        function: Any = run  # not by `inspect`, whose import takes 10 ms
        self._takes = function.__code__.co_varnames[: function.__code__.co_argcount]
        defaults = function.__defaults__ or ()
        known = dict(zip(self._takes[len(self._takes) - len(defaults) :], defaults, strict=True))
        if "search" in self._takes:
            self._holder = function.__annotations__["search"]
            known |= vars(self._holder)
        self._options = {
            name: each for name, each in known.items() if isinstance(each, Option) and name not in self._fixed
        }
        first, _, rest = (function.__doc__ or "").partition("\n")
        self._about, _, examples = f"{first}\n{textwrap.dedent(rest)}".strip().partition("\n\nexamples:\n")
        self._epilog = f"examples:\n{examples}\n"
        for each in self.below.values():
            each._epilog = self._epilog

    def __call__(self, arguments: Sequence[str], stops: Stops) -> int:
        """Run the command with the words after its name, and return the exit code."""
        if arguments and arguments[0] in self.below:
            return self.below[arguments[0]](arguments[1:], stops)
        is_about_puzzle = "named" in self._takes
        if is_about_puzzle and "timeout" in self._options:
            begin_early(arguments)
        parser = self.parser(arguments)
        if is_about_puzzle and source_in(arguments) is None and not {"-h", "--help"}.intersection(arguments):
            parser.error("name the puzzle first; `parsolve list` names the puzzles")
        options = parser.parse_args(arguments)
        values: dict[str, Any] = {
            name: getattr(options, name, [] if each.is_repeated else None) for name, each in self._options.items()
        }
        if "search" in self._takes:
            values = {"search": self._holder(**values, **self._fixed)}
        if is_about_puzzle:
            from parsolve.cli.named import named_in

            values["named"] = named_in(options.puzzle, options)
        if "stops" in self._takes:
            values["stops"] = stops
        return self._run(**values)

    def parser(self, arguments: Sequence[str] = ()) -> Parser:
        """Return the parser of the words after the command's name."""
        if arguments and arguments[0] in self.below:
            return self.below[arguments[0]].parser(arguments[1:])
        program, source, options = f"parsolve {self._name}", source_in(arguments), self._options
        if "named" not in self._takes:
            usage = f"parsolve {self._usage}" if self._usage else None
            parser = Parser(program, self._about, usage=usage, epilog=self._epilog)
        else:
            from parsolve.cli.named import add_parameters, summary_of

            usage = f"{program} {source or 'PUZZLE'} [options]".replace("%", "%%")
            more = f"`parsolve list` names the puzzles; `{program} PUZZLE --help` shows a puzzle's parameters."
            more = f"{source}: {summary_of(source)}" if source else more
            parser = Parser(program, f"{self._about}\n\n{more}", usage=usage, epilog=self._epilog)
            PUZZLE.add_to(parser, "puzzle")
            if source and "file" in add_parameters(parser, source):
                options = {name: each for name, each in options.items() if name not in ("file", "rename")}
        group = parser.add_argument_group("the search") if "search" in self._takes else parser
        exclusive = group.add_mutually_exclusive_group() if options.keys() & {*EXCLUSIVE} else group
        for name, each in options.items():
            each.add_to(exclusive if name in EXCLUSIVE else group, name)
        return parser


def command(**more: Any) -> Callable[[Callable[..., int]], Command]:
    """Return a decorator that makes a command of a function; see `Command`."""
    return lambda run: Command(run, **more)


def source_in(arguments: Sequence[str]) -> str | None:
    """Return the puzzle that a command line names, which must come first; None if it does not."""
    return arguments[0] if arguments and not arguments[0].startswith("-") else None


def begin_early(arguments: Sequence[str]) -> None:
    """Start the clock of --timeout before the other options are known: loading the puzzle, whose parameters they are,
    may never return."""
    begin_clock(None)
    for word, following in itertools.pairwise([*arguments, ""]):
        name, _, value = word.partition("=")
        if name == "--timeout":
            with contextlib.suppress(BadInput):
                begin_clock(duration(value or following))
