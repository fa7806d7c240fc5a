"""What the options of solve, count and unique ask for, as values: the commands' parsers end here."""

from dataclasses import dataclass
from pathlib import Path

from parsolve.cli.named import Named
from parsolve.search.request import Request


@dataclass(frozen=True)
class Output:
    """What is printed of searches.

    Attributes:
        name: what the search is called: the puzzle as it was named.
        quiet: nothing on stderr but errors and warnings.
        json, csv: objects or records instead of text.
        boards: the states along each solution are drawn.
        unique: whether there is one solution alone, instead of their number.
        html: the page to write; None for none.
    """

    name: str
    quiet: bool = False
    json: bool = False
    csv: bool = False
    boards: bool = False
    unique: bool = False
    html: Path | None = None


@dataclass(frozen=True)
class SearchOptions:
    """A search as it is asked for.

    Attributes:
        puzzle: what is searched, or what the rows of a file have in common.
        request: how.
        output: what is printed.
        journal: the file that keeps it; None for none.
        name: the job's name there; None for the puzzle's, which must then be the only job.
        row_timeout: seconds after which the search of a row ends; None for no end.
        dask: the address of a cluster; None for none.
    """

    puzzle: Named
    request: Request
    output: Output
    journal: Path | None
    name: str | None
    row_timeout: float | None
    dask: str | None
