"""`parsolve tables`: the tables of distances in the cache folder."""

import json
from argparse import SUPPRESS
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.named import Named
from parsolve.cli.options import MAX_MEMORY, argument, option
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import clock, plural, printable

if TYPE_CHECKING:
    from parsolve.tables.store import Entry

LONG = 1_000_000_000
"""Nodes of an iteration of about 10 s, after which missing tables that pay are built."""


@command(name="tables build")
def build(named: Named, stops: Stops, max_memory: int | None = MAX_MEMORY) -> int:
    """Build the tables that a puzzle needs, unless they are there: those of its abstractions, or where it has none but
    numbers its own states and gives its goals, its own."""
    puzzle = named.make()

    from parsolve.cli.terminal.reporter import Reporter
    from parsolve.problem.problem import Problem
    from parsolve.search.watch import Watch
    from parsolve.tables.databases import database_of, supply
    from parsolve.tables.origin import origin_of

    problem, reporter = Problem(puzzle, "count"), Reporter(named.source)
    stops.on_stop = reporter.stopped
    problem = problem.better(LONG) or problem
    watch = Watch(reporter, stops.check, max_memory)
    if problem.abstractions:
        supply(problem, watch)
    else:
        database_of(puzzle, watch)
    for each in problem.abstractions or (puzzle,):
        print(origin_of(each).name)
    return 0


@command(name="tables check")
def check(
    stops: Stops,
    names: Sequence[str] = argument("of a table, or how it begins; all if absent", "NAME", is_repeated=True),
) -> int:
    """Read tables of distances in the cache folder from end to end, and say which are damaged. A search looks at the
    head of a table and its length; what is damaged there is built again. The exit code is 2 if one is damaged."""
    from parsolve.tables.store import verify

    read = damaged = 0
    for entry in verify(names or None, stops.check):
        read, damaged = read + 1, damaged + bool(entry.trouble)
        _print(entry, f"damaged: {entry.trouble}; parsolve tables delete deletes it" if entry.trouble else "whole")
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

    from parsolve.tables.store import delete

    gone = delete(None if takes_all else names)
    print(f"{plural(len(gone), 'table')} deleted, {_size(sum(entry.bytes for entry in gone))}")
    return 0


@command(
    usage="tables [build PUZZLE|check NAME|delete NAME] [options]",
    below={"build": build, "check": check, "delete": delete},
)
def tables(
    action: str | None = argument(SUPPRESS, "", ("build", "check", "delete")),
    as_json: bool = option("a list of objects, one a table", name="--json"),
) -> int:
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
    if action is not None:
        raise BadInput(f"{action} comes first: parsolve tables {action}")

    from parsolve.system.cachefolder import folder
    from parsolve.tables.store import entries

    found = entries()
    if as_json:
        print(json.dumps([_data(entry) for entry in found], indent=2))
        return 0
    for entry in found:
        about = f"damaged: {entry.trouble}"
        if entry.head is not None and not entry.trouble:
            made = f"made {entry.head.made[:10]} in {clock(entry.head.seconds)}"
            about = f"{made}, used {clock(entry.used)} ago: {entry.head.origin}"
        _print(entry, about)
    total = _size(sum(entry.bytes for entry in found))
    print(f"{plural(len(found), 'table')}, {total}, in {folder()}" if folder() else "there is no cache folder")
    return 0


def _print(entry: "Entry", about: str) -> None:
    print(printable(f"{entry.name}  {_size(entry.bytes):>10}  {about}"), flush=True)


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
