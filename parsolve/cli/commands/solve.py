"""`parsolve solve`, `parsolve count` and `parsolve unique`."""

import argparse
import contextlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from parsolve.cli.commands.pages import add_html, require_page
from parsolve.cli.named import as_option
from parsolve.cli.options import (
    add_background,
    add_dask,
    add_file,
    add_timeout,
    add_workers,
    file_of_rows,
    named_in,
    parse,
    puzzle_parser,
    whole,
)
from parsolve.cli.parser import Exit, Parser
from parsolve.cli.process.signals import Stops, begin_clock
from parsolve.errors import BadInput
from parsolve.puzzle import EngineName, Want
from parsolve.text import duration, size_or_none

if TYPE_CHECKING:
    from parsolve.search.part import Part

LONGEST_COUNT = 4000
"""Digits of the number of a solution: a little fewer than Python reads at once."""

SOLVE_EPILOG = """\
examples:
  parsolve solve hoppers
  parsolve solve eight --bound none
  parsolve solve sliding --shape 2x3 --start "4 5 0 1 2 3" --want first
  parsolve solve five --boards                    draw the states along each solution
  parsolve solve hoppers --json > hoppers.json
  parsolve solve hoppers --slack 1                those that cost one more as well
  parsolve solve sudoku --at-most 1               the solution; two of them, and exit code 1, if there are more
  parsolve solve my_puzzle.py:LightsOut --size 3  a puzzle of your own
  parsolve solve polyominoes --board 8x8 --pieces "32*I2" --skip 1000000 --take 1
                                                  the solution after a million others, which are not listed
  parsolve solve polyominoes --board 20x20 --pieces "200*I2" --sample 1 --boards
                                                  one of 1.3e48, drawn at random
  parsolve solve sliding --file boards.csv --json each row of a file: one JSON object a line
"""

COUNT_EPILOG = """\
examples:
  parsolve count eight
  parsolve count sliding --start "1 8 2 0 4 3 7 6 5" --workers 2
  parsolve count eight --engine both              two independent searches, compared
  parsolve count eight --slack 4                  how many cost 31 to 35, a line for each cost
  parsolve count queens --at-most 1000            ends as soon as more are known
  parsolve count queens --n 21 --journal night.sqlite
                                                  stopped, or killed? The same command resumes it
  parsolve count queens --n 8-14                  several values of a number: a row of results each
  parsolve count sliding --file korf100.csv --rename tiles=start --goal blank-first
                                                  each row of a file: a row of results each
"""

UNIQUE = """\
Say whether a puzzle has one cheapest solution and no more, in a word: yes, no (there are more), or none. It ends as
soon as a second one is known, as `parsolve count --at-most 1` does.
"""

UNIQUE_EPILOG = """\
examples:
  parsolve unique sudoku
  parsolve unique sudoku --file grids.txt         each row of a file: a row of results each
  parsolve unique my_puzzle.py:LightsOut --size 3 && echo "one solution"

exit codes: 0 yes, 1 no or none, and from 2 on as those of `parsolve count`; of a file the highest
"""


def solve(arguments: Sequence[str], stops: Stops) -> int:
    """Search a puzzle and print its solutions."""
    begin_early(arguments)
    parser = puzzle_parser("solve", arguments, "List every cheapest solution of a puzzle, one a line.", SOLVE_EPILOG)
    parser.set_defaults(asks_unique=False)
    group = parser.add_argument_group("the search")
    group.add_argument(
        "--want",
        choices=get_args(Want),
        default="all",
        help="all: every cheapest solution (default); count: their number alone; first: the first one, without a count;"
        " any: the one up to --limit that a worker finds first, cheapest or not",
    )
    _add_choice(group)
    shown = _add_shown(group)
    shown.add_argument("--boards", action="store_true", help="draw the states along each solution")
    _add_extent(group)
    return _parse_and_search(parser, group, arguments, stops)


def count(arguments: Sequence[str], stops: Stops) -> int:
    """Search a puzzle and print the number of its solutions."""
    begin_early(arguments)
    parser = puzzle_parser("count", arguments, "Count the cheapest solutions of a puzzle.", COUNT_EPILOG)
    parser.set_defaults(want="count", boards=False, asks_unique=False)
    group = parser.add_argument_group("the search")
    _add_shown(group)
    _add_extent(group)
    return _parse_and_search(parser, group, arguments, stops)


def unique(arguments: Sequence[str], stops: Stops) -> int:
    """Search a puzzle until a second solution is known, and print whether there is one alone."""
    begin_early(arguments)
    parser = puzzle_parser("unique", arguments, UNIQUE, UNIQUE_EPILOG)
    parser.set_defaults(want="count", boards=False, at_most=1, slack=None, asks_unique=True)
    group = parser.add_argument_group("the search")
    _add_shown(group)
    return _parse_and_search(parser, group, arguments, stops)


def _add_shown(group: argparse._ActionsContainer) -> argparse._ActionsContainer:
    """Add the options that say how results are printed, of which one is taken; return their group."""
    shown = group.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON object on stdout, or a line each for many")
    shown.add_argument("--csv", action="store_true", help="the results of many as CSV, each beside its row of the file")
    return shown


def _add_extent(group: argparse._ActionsContainer) -> None:
    """Add the options that ask for dearer solutions than the cheapest, or for no more than some."""
    group.add_argument(
        "--slack",
        type=whole("slack"),
        metavar="K",
        help="solutions that cost up to K more than the cheapest, too: listed by cost, and counted for each",
    )
    group.add_argument(
        "--at-most",
        type=whole("at_most"),
        metavar="N",
        help="end as soon as more than N solutions are known, and say so; exit code 1 then",
    )


def _add_choice(group: argparse._ActionsContainer) -> None:
    """Add the options that say which solutions are listed."""
    group.add_argument(
        "--skip",
        type=whole("skip", most=LONGEST_COUNT),
        metavar="K",
        help="list from the solution after K others on",
    )
    group.add_argument("--take", type=whole("take"), metavar="N", help="list N solutions and no more")
    group.add_argument(
        "--sample",
        type=whole("sample"),
        metavar="N",
        help="list N solutions drawn at random, each as likely as any other",
    )
    group.add_argument("--seed", type=whole("seed"), metavar="S", help="other random solutions for each S (default: 0)")


def _parse_and_search(parser: Parser, group: argparse._ActionsContainer, arguments: Sequence[str], stops: Stops) -> int:
    """Add the options that all searches of a puzzle have, read them, and search a puzzle or the rows of a file."""
    _add_search_options(group)
    options = parse(parser, arguments)
    file, named = file_of_rows(options), named_in(options)
    several = named.several
    _refuse(options, file, several)
    puzzle = None if file is not None or several else named.make()

    from parsolve.cli.terminal.log import logging_to

    with logging_to(options.log):
        if puzzle is None:
            from parsolve.cli.searches.positions import search_file, search_values

            if several:
                return search_values(options, several, stops)
            return search_file(options, stops)
        from parsolve.cli.searches.one import search_puzzle

        return search_puzzle(puzzle, options, stops)


def _refuse(options: argparse.Namespace, file: str | None, several: Mapping[str, Sequence[int]]) -> None:
    """Refuse options that do not go together."""
    many = file is not None or bool(several)
    if options.part is not None and many:
        what = "several values" if several else "the rows of a --file"
        raise BadInput(f"--part is of one puzzle's tree, not of {what}: `parsolve run` takes a part for each job")
    if options.part is not None and options.dask is not None:
        raise BadInput("a part is searched on one machine: leave out --dask, or --part")
    if options.rename and file is None:
        raise BadInput("--rename is for the columns of a --file, which is missing")
    if options.csv and not many:
        raise BadInput("--csv is for the rows of a --file, or for several values, and there is one puzzle: use --json")
    if options.row_timeout is not None and not many:
        raise BadInput("--row-timeout is for the rows of a --file, which is missing: use --timeout")
    if file is not None and several:
        raise BadInput(f"{as_option(next(iter(several)))} has several values, and there is a --file: leave out one")
    if options.html is not None and many:
        raise BadInput("--html is for one puzzle, not for a --file: use --journal, and `parsolve report`")
    if options.html is not None:
        require_page(options.html, "--html")
    if options.name is not None and options.journal is None:
        raise BadInput("--name is for a --journal, which is missing")
    if options.journal is not None and many:
        what = "several values take" if several else "--file takes"
        each = "each of them" if several else "the rows of a file"
        raise BadInput(f"{what} no --journal: `parsolve run` searches {each} with one")


def _add_search_options(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--engine",
        choices=get_args(EngineName),
        help="iterative deepening, breadth-first search, sharing, which expands each state once, however many ways lead"
        " to it, or both: deepening compared with breadth-first search, for counts of exact covers with sharing"
        " (default: the puzzle's own; for a count deepening or sharing, whichever is expected to end sooner)",
    )
    group.add_argument(
        "--transposition",
        type=size_or_none,
        metavar="SIZE|none",
        help="memory of the transposition table, such as 64M (default: the puzzle's own choice)",
    )
    group.add_argument(
        "--limit",
        type=whole("limit"),
        metavar="COST",
        help="search no further than this cost, by iterative deepening; exit code 3 if there is no solution up to it",
    )
    group.add_argument(
        "--part",
        type=_part,
        metavar="I/N",
        help="search a share of the tree, such as 17/1000 or 17-24/1000, by iterative deepening: other machines search"
        " the others, and `parsolve merge` adds what their journals hold",
    )
    _add_files(group)
    add_timeout(group)
    group.add_argument(
        "--row-timeout",
        type=duration,
        metavar="TIME",
        help="stop the search of a row of a --file after so long; the others go on (exit code 3)",
    )
    add_background(group)
    add_workers(group)
    add_dask(group)
    group.add_argument("--quiet", action="store_true", help="nothing on stderr but errors and warnings")


def _add_files(group: argparse._ActionsContainer) -> None:
    """Add the options that name files which a search reads, keeps or writes."""
    group.add_argument(
        "--spill",
        metavar="FOLDER",
        type=Path,
        help="with --engine sharing or breadth: hold in files there what --max-memory has no room for, until the search"
        " ends",
    )
    group.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help="keep the search in this file, created if need be: the same command resumes it where it was stopped",
    )
    group.add_argument(
        "--name", metavar="JOB", help="the job's name in the journal, which may hold several (default: the puzzle's)"
    )
    add_file(group)
    add_html(group, "the result, with a player of the solutions")


def _part(text: str) -> "Part":
    from parsolve.search.part import Part

    return Part.of_text(text)


def begin_early(arguments: Sequence[str]) -> None:
    """Start the clock of --timeout before the other options are known: loading the puzzle, whose parameters they are,
    may never return."""
    begin_clock(None)
    early = Parser("parsolve", "", add_help=False)
    early.add_argument("--timeout")
    with contextlib.suppress(Exit, BadInput), contextlib.redirect_stderr(io.StringIO()):
        given = early.parse_known_args(arguments)[0].timeout
        if given is not None:
            begin_clock(duration(given))
