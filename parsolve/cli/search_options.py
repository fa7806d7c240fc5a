"""The options of `parsolve solve`, `parsolve count` and `parsolve unique`."""

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from parsolve.cli.options import DASK, LOG, MAX_MEMORY, QUIET, TIMEOUT, WORKERS, option
from parsolve.puzzle.core import EngineName, Want

if TYPE_CHECKING:
    from parsolve.search.request import Request


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What a search of a puzzle is asked for: the fields of a `Request`, what it prints and keeps, a file with rows."""

    want: Want = option(
        "all: every cheapest solution (default); count: their number alone; first: the first one, without a count; any:"
        " the one up to --limit that a worker finds first, cheapest or not",
        kind=get_args(Want),
        default="all",
    )
    skip: int | None = option("list from the solution after K others on", "K")
    take: int | None = option("list N solutions and no more", "N")
    sample: int | None = option("list N solutions drawn at random, each as likely as any other", "N")
    seed: int | None = option("other random solutions for each S (default: 0)", "S")
    as_json: bool = option("one JSON object on stdout, or a line each for many", name="--json")
    csv: bool = option("the results of many as CSV, each beside its row of the file")
    boards: bool = option("draw the states along each solution")
    slack: int | None = option(
        "solutions that cost up to K more than the cheapest, too: listed by cost, and counted for each", "K"
    )
    at_most: int | None = option("end as soon as more than N solutions are known, and say so; exit code 1 then", "N")
    engine: EngineName | None = option(
        "iterative deepening, breadth-first search, sharing, which expands each state once, however many ways lead to"
        " it, or both: deepening compared with breadth-first search, for counts of exact covers with sharing (default:"
        " the puzzle's own; for a count deepening or sharing, whichever is expected to end sooner)",
        kind=get_args(EngineName),
    )
    transposition: str | None = option(
        "memory of the transposition table, such as 64M (default: the puzzle's own choice)", "SIZE|none"
    )
    limit: int | None = option(
        "search no further than this cost, by iterative deepening; exit code 3 if there is no solution up to it", "COST"
    )
    part: str | None = option(
        "search a share of the tree, such as 17/1000 or 17-24/1000, by iterative deepening: other machines search the"
        " others, and `parsolve merge` adds what their journals hold",
        "I/N",
    )
    spill: str | None = option(
        "with --engine sharing or breadth: hold in files there what --max-memory has no room for, until the search"
        " ends",
        "FOLDER",
    )
    journal: Path | None = option(
        "keep the search in this file, created if need be: the same command resumes it where it was stopped", "FILE"
    )
    name: str | None = option("the job's name in the journal, which may hold several (default: the puzzle's)", "JOB")
    file: str | None = option(
        "search each row of a CSV file, or of standard input (-), whose columns give parameters: a row of results each,"
        " in its order",
        "FILE|-",
    )
    rename: list[tuple[str, str]] = option(
        "what a column of the file is called instead, such as tiles=start; may be repeated",
        "COLUMN=PARAMETER",
        is_repeated=True,
    )
    html: Path | None = option("also write one HTML file: the result, with a player of the solutions", "FILE")
    timeout: str | None = TIMEOUT
    row_timeout: float | None = option(
        "stop the search of a row of a --file after so long; the others go on (exit code 3)", "TIME"
    )
    max_memory: str | None = MAX_MEMORY
    log: Path | None = LOG
    workers: int | None = WORKERS
    dask: str | None = DASK
    quiet: bool = QUIET
    asks_unique: bool = False

    @cached_property
    def request(self) -> "Request":
        """How to search."""
        from parsolve.search.request import Request

        return Request.of(**{each.name: getattr(self, each.name, None) for each in fields(Request)})
