"""Figures from several rounds, and tables, as Markdown."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class Spread(NamedTuple):
    """A figure from several rounds."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"**{self.median:.3g}** ({self.low:.3g} – {self.high:.3g})"


def spread(values: Iterable[float]) -> Spread:
    """Return the median, least and greatest of some figures."""
    values = list(values)
    return Spread(statistics.median(values), min(values), max(values))


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
