"""`parsolve tables`: the tables of distances in the cache folder."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.named import Named
from parsolve.cli.options import MAX_MEMORY, argument, option
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import clock, plural, printable

if TYPE_CHECKING:
    from parsolve.tables.listing import KeptTable

LONG = 1_000_000_000
"""Nodes of an iteration of about 10 s, after which missing tables that pay are built."""


@command(name="tables build")
def build(named: Named, stops: Stops, max_memory: str | None = MAX_MEMORY) -> int:
    """Build the tables that a puzzle needs, unless they are there: those of its abstractions, or where it has none but
    numbers its own states and gives its goals, its own."""
    puzzle = named.make()

    from parsolve.cli.terminal.reporter import Reporter
    from parsolve.problem.problem import Problem
    from parsolve.search.request import Request
    from parsolve.tables.databases import Databases, supply
    from parsolve.tables.origin import origin_of

    watch = Reporter(named.source).begin(stops, Request.of(max_memory=max_memory).max_memory)
    problem = Problem(puzzle, "count")
    paying = [number for number, each in enumerate(problem.counting.better) if each.after <= LONG]
    problem = problem.bounded(paying[-1]) if paying else problem
    if problem.abstractions:
        supply(problem, watch)
    else:
        Databases(watch).of(puzzle)
    for each in problem.abstractions or (puzzle,):
        print(origin_of(Problem(each, supplier=Databases())).name)
    return 0


@command(name="tables check")
def check(
    stops: Stops,
    names: Sequence[str] = argument("of a table, or how it begins; all if absent", "NAME", is_repeated=True),
) -> int:
    """Read tables of distances in the cache folder from end to end, and say which are damaged. A search looks at the
    head of a table and its length; what is damaged there is built again. The exit code is 2 if one is damaged."""
    from parsolve.tables.listing import verify

    read = damaged = 0
    for table in verify(names or None, stops.check):
        read, damaged = read + 1, damaged + bool(table.trouble)
        _print(table, f"damaged: {table.trouble}; parsolve tables delete deletes it" if table.trouble else "whole")
    print(f"{plural(read, 'table')}, {damaged} damaged")
    return 2 if damaged else 0


@command(name="tables delete")
def delete(
    names: Sequence[str] = argument("of a table, or how it begins", "NAME", is_repeated=True),
    takes_all: bool = option("all of them", name="--all"),
) -> int:
    """Delete tables of distances from the cache folder."""
    if bool(names) == takes_all:
        raise BadInput("name the tables, or say --all")

    from parsolve.tables.listing import delete

    gone = delete(None if takes_all else names)
    print(f"{plural(len(gone), 'table')} deleted, {_size(sum(table.bytes for table in gone))}")
    return 0


@command(
    usage="tables [build PUZZLE|check NAME|delete NAME] [options]",
    below={"build": build, "check": check, "delete": delete},
)
def tables(as_json: bool = option("a list of objects, one a table", name="--json")) -> int:
    """List the tables of distances that are kept in the cache folder, the largest first: lower bounds that were built
    once for puzzles that need them. `parsolve tables build` builds them before a search does, `parsolve tables check`
    reads them from end to end, `parsolve tables delete` deletes them.

    examples:
      parsolve tables
      parsolve tables --json
      parsolve tables build my_puzzle.py:Towers --disks 8
      parsolve tables check
      parsolve tables delete Towers-3f          one of them; the beginning of its name is enough
      parsolve tables delete --all
    """
    from parsolve.system.cachefolder import folder
    from parsolve.tables.listing import kept_tables

    found = kept_tables()
    if as_json:
        print(json.dumps([_data(table) for table in found], indent=2))
        return 0
    for table in found:
        about = f"damaged: {table.trouble}"
        if table.head is not None and not table.trouble:
            made = f"made {table.head.made[:10]} in {clock(table.head.seconds)}"
            about = f"{made}, used {clock(table.used)} ago: {table.head.origin}"
        _print(table, about)
    total = _size(sum(table.bytes for table in found))
    print(f"{plural(len(found), 'table')}, {total}, in {folder()}" if folder() else "there is no cache folder")
    return 0


def _print(table: "KeptTable", about: str) -> None:
    print(printable(f"{table.name}  {_size(table.bytes):>10}  {about}"), flush=True)


def _data(table: "KeptTable") -> dict[str, Any]:
    data: dict[str, Any] = {"name": table.name, "bytes": table.bytes, "used_seconds_ago": round(table.used, 1)}
    if table.head is None or table.trouble:
        return data | {"damaged": table.trouble}
    origin = table.head.origin
    return data | {
        "puzzle": origin.source,
        "parameters": origin.parameters,
        "entries": table.head.length,
        "made": table.head.made,
        "seconds": table.head.seconds,
    }


def _size(bytes_: int) -> str:
    return f"{bytes_ / 1e6:,.1f} MB" if bytes_ >= 100_000 else f"{bytes_ / 1e3:,.1f} kB"
