"""Figures and tables, also as Markdown."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class Spread(NamedTuple):
    """A figure from several rounds."""

    median: float
    low: float
    high: float

    @property
    def limits(self) -> str:
        """The least and the greatest, as text."""
        return f"({self.low:.3g} – {self.high:.3g})"

    def __str__(self) -> str:
        return f"**{self.median:.3g}** {self.limits}"


class Table(NamedTuple):
    """A table, and what it shows.

    Attributes:
        about: one sentence.
        head: of the columns.
        rows: cells: figures and texts.
    """

    about: str
    head: Sequence[str]
    rows: Sequence[Sequence[Spread | str]]

    def __str__(self) -> str:
        return f"{self.about}\n\n{table(self.head, self.rows)}"


def spread(values: Iterable[float]) -> Spread:
    """Return the median, least and greatest of some figures."""
    values = list(values)
    return Spread(statistics.median(values), min(values), max(values))


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
