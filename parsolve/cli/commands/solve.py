"""`parsolve solve`, `parsolve count` and `parsolve unique`."""

from collections.abc import Mapping, Sequence
from functools import partial

from parsolve.cli.command import command
from parsolve.cli.named import Named, as_option
from parsolve.cli.options import cluster
from parsolve.cli.pages import SearchPage, require_page
from parsolve.cli.process.signals import Stops
from parsolve.cli.search_options import SearchOptions
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import values_of

COUNTED = {"want": "count", **dict.fromkeys(("skip", "take", "sample", "seed")), "boards": False}
"""What a count is not asked for."""

UNIQUE = {**COUNTED, "at_most": 1, "slack": None, "asks_unique": True}


@command()
def solve(named: Named, search: SearchOptions, stops: Stops) -> int:
    """List every cheapest solution of a puzzle, one a line.

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
    return _search(named, search, stops)


@command(fixed=COUNTED)
def count(named: Named, search: SearchOptions, stops: Stops) -> int:
    """Count the cheapest solutions of a puzzle.

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
    return _search(named, search, stops)


@command(fixed=UNIQUE)
def unique(named: Named, search: SearchOptions, stops: Stops) -> int:
    """Say whether a puzzle has one cheapest solution and no more, in a word: yes, no (there are more), or none. It ends
    as soon as a second one is known, as `parsolve count --at-most 1` does.

    examples:
      parsolve unique sudoku
      parsolve unique sudoku --file grids.txt         each row of a file: a row of results each
      parsolve unique my_puzzle.py:LightsOut --size 3 && echo "one solution"

    exit codes: 0 yes, 1 no or none, and from 2 on as those of `parsolve count`; of a file the highest
    """
    return _search(named, search, stops)


def _search(named: Named, search: SearchOptions, stops: Stops) -> int:
    """Search a puzzle, or the rows of a file, or a puzzle with several values of a parameter."""
    is_many = _refuse(search, named.several)
    puzzle = None if is_many else named.make()

    from parsolve.cli.terminal.log import logging_to

    with logging_to(search.log):
        if puzzle is not None:
            return _search_one(puzzle, named, search, stops)
        from parsolve.cli.searches.row_searches import search_many

        return search_many(named, search, stops)


def _search_one(puzzle: Puzzle, named: Named, search: SearchOptions, stops: Stops) -> int:
    """Search one puzzle, with or without a journal."""
    from parsolve.cli.searches.one import search_puzzle
    from parsolve.cli.terminal.printers import JsonPrinter, Printer
    from parsolve.cli.terminal.reporter import SearchReporter
    from parsolve.search.run import run

    with cluster(search.dask) as client:
        if search.journal is None:
            search_with = partial(run, executor=client)
            resume_hint, rest = "with --journal FILE it could be resumed", "the rest was listed by the search"
        else:
            from parsolve.batch.journaled import search_kept

            search_with = partial(search_kept, search.journal, search.name, named.source, executor=client)
            resume_hint, rest = "the same command resumes it", "the rest is in the journal"
        head, lists = {"puzzle": named.source, "parameters": values_of(puzzle)}, search.want != "count"
        printer = (JsonPrinter if search.as_json else Printer)(head, lists, search.boards, search.asks_unique)
        hint = "both engines agree" if search.engine == "both" else named.hint(puzzle)
        reporter = SearchReporter(named.source, search.quiet, resume_hint, hint, printer)
        if search.html is not None:
            reporter.page = SearchPage(search.html, named.source, rest)
        return search_puzzle(puzzle, search.request, search_with, reporter, stops)


def _refuse(search: SearchOptions, several: Mapping[str, Sequence[int]]) -> bool:
    """Refuse options that do not go together, and return whether many puzzles are searched."""
    file, journal = search.file is not None, search.journal is not None
    many = file or bool(several)
    if file and several:
        raise BadInput(f"{as_option(next(iter(several)))} has several values, and there is a --file: leave out one")
    for option in ("part", "html", "journal"):
        if many and getattr(search, option) is not None:
            what = "several values" if several else "the rows of a --file"
            raise BadInput(f"--{option} is for one puzzle, not for {what}: make a job file for `parsolve run`")
    for option, is_given, needed, has in (
        ("rename", bool(search.rename), "the columns of a --file", file),
        ("csv", search.csv, "the rows of a --file or several values", many),
        ("row-timeout", search.row_timeout is not None, "the rows of a --file or several values", many),
        ("name", search.name is not None, "a --journal", journal),
    ):
        if is_given and not has:
            raise BadInput(f"--{option} is for {needed}, which is missing")
    if search.part is not None and search.dask is not None:
        raise BadInput("a part is searched on one machine: leave out --dask, or --part")
    if search.html is not None:
        require_page(search.html, "--html")
    return many
