"""`parsolve tables`: the tables of distances in the cache folder."""

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.options import add_max_memory, named_in, parse, puzzle_parser
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.text import clock, plural, printable

if TYPE_CHECKING:
    from parsolve.tables.store import Entry

LONG = 1_000_000_000
"""Nodes of an iteration of about 10 s, after which missing tables that pay are built."""

ABOUT = """\
List the tables of distances that are kept in the cache folder, the largest first: lower bounds that were built once for
puzzles that need them. `parsolve tables build` builds them before a search does, `parsolve tables check` reads them
from end to end, `parsolve tables delete` deletes them.
"""

BUILD_ABOUT = """\
Build the tables that a puzzle needs, unless they are there: those of its abstractions, or where it has none but numbers
its own states and gives its goals, its own.
"""

CHECK_ABOUT = """\
Read tables of distances in the cache folder from end to end, and say which are damaged. A search looks at the head of a
table and its length; what is damaged there is built again. The exit code is 2 if one is damaged.
"""

EPILOG = """\
examples:
  parsolve tables
  parsolve tables --json
  parsolve tables build my_puzzle.py:Towers --disks 8
  parsolve tables check
  parsolve tables delete Towers-3f          one of them; the beginning of its name is enough
  parsolve tables delete --all
"""


def tables(arguments: Sequence[str], stops: Stops) -> int:
    """List, build, check or delete tables of distances."""
    if arguments[:1] == ["build"]:
        return _build(arguments[1:], stops)
    if arguments[:1] == ["check"]:
        return _check(arguments[1:], stops)
    if arguments[:1] == ["delete"]:
        return _delete(arguments[1:])
    parser = Parser(
        "parsolve tables", ABOUT, usage="parsolve tables [build PUZZLE|check NAME|delete NAME] [options]", epilog=EPILOG
    )
    parser.add_argument("action", nargs="?", choices=("build", "check", "delete"), help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="a list of objects, one a table")
    options = parser.parse_args(arguments)
    if options.action is not None:
        parser.error(f"{options.action} comes first: parsolve tables {options.action}")

    from parsolve.system.cachefolder import folder
    from parsolve.tables.store import entries

    found = entries()
    if options.json:
        print(json.dumps([_data(entry) for entry in found], indent=2))
        return 0
    for entry in found:
        print(_line(entry))
    total = _size(sum(entry.bytes for entry in found))
    print(f"{plural(len(found), 'table')}, {total}, in {folder()}" if folder() else "there is no cache folder")
    return 0


def _build(arguments: Sequence[str], stops: Stops) -> int:
    parser = puzzle_parser("tables build", arguments, BUILD_ABOUT, EPILOG)
    add_max_memory(parser)
    options = parse(parser, arguments)
    puzzle = named_in(options).make()

    from parsolve.cli.terminal.messages import GettingReady
    from parsolve.problem.problem import Problem
    from parsolve.search.watch import Watch
    from parsolve.tables.databases import database_of, supply
    from parsolve.tables.origin import origin_of

    problem, ready = Problem(puzzle, "count"), GettingReady(options.puzzle)
    stops.on_stop = ready.stopped
    problem = problem.better(LONG) or problem
    watch = Watch(ready, stops.check, options.max_memory)
    if problem.abstractions:
        supply(problem, watch)
    else:
        database_of(puzzle, watch)
    for each in problem.abstractions or (puzzle,):
        print(origin_of(each).name)
    return 0


def _check(arguments: Sequence[str], stops: Stops) -> int:
    parser = Parser("parsolve tables check", CHECK_ABOUT, epilog=EPILOG)
    parser.add_argument("name", nargs="*", metavar="NAME", help="of a table, or how it begins; all if absent")
    options = parser.parse_args(arguments)

    from parsolve.tables.store import verify

    read = damaged = 0
    for entry in verify(options.name or None, stops.check):
        read, damaged = read + 1, damaged + bool(entry.trouble)
        about = f"damaged: {entry.trouble}; parsolve tables delete deletes it" if entry.trouble else "whole"
        print(printable(f"{entry.name}  {_size(entry.bytes):>10}  {about}"), flush=True)
    print(f"{plural(read, 'table')}, {damaged} damaged")
    return 2 if damaged else 0


def _delete(arguments: Sequence[str]) -> int:
    parser = Parser("parsolve tables delete", "Delete tables of distances from the cache folder.", epilog=EPILOG)
    parser.add_argument("name", nargs="*", metavar="NAME", help="of a table, or how it begins")
    parser.add_argument("--all", action="store_true", help="all of them")
    options = parser.parse_args(arguments)
    if bool(options.name) == options.all:
        parser.error("name the tables, or say --all")

    from parsolve.tables.store import delete

    gone = delete(None if options.all else options.name)
    print(f"{plural(len(gone), 'table')} deleted, {_size(sum(entry.bytes for entry in gone))}")
    return 0


def _line(entry: "Entry") -> str:
    about = f"damaged: {entry.trouble}"
    if entry.head is not None and not entry.trouble:
        made = f"made {entry.head.made[:10]} in {clock(entry.head.seconds)}"
        about = f"{made}, used {clock(entry.used)} ago: {entry.head.origin}"
    return printable(f"{entry.name}  {_size(entry.bytes):>10}  {about}")


def _data(entry: "Entry") -> dict[str, Any]:
    data: dict[str, Any] = {"name": entry.name, "bytes": entry.bytes, "used_seconds_ago": round(entry.used, 1)}
    if entry.head is None or entry.trouble:
        return data | {"damaged": entry.trouble}
    origin = entry.head.origin
    return data | {
        "puzzle": origin.source,
        "parameters": origin.parameters,
        "entries": entry.head.length,
        "made": entry.head.made,
        "seconds": entry.head.seconds,
    }


def _size(bytes_: int) -> str:
    return f"{bytes_ / 1e6:,.1f} MB" if bytes_ >= 100_000 else f"{bytes_ / 1e3:,.1f} kB"
