"""N queens: the known numbers, and a search of all permutations."""

import csv
import itertools

from shared import ORACLE

with (ORACLE / "queens.csv").open() as file:
    ROWS = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]

COUNTS = {0: 1} | {row["n"]: row["all_solutions"] for row in ROWS}
UNIQUE = {0: 1} | {row["n"]: row["unique_solutions"] for row in ROWS}


def plain(n: int) -> list[str]:
    """All solutions in lexicographic order."""
    return [
        " ".join(map(str, rows))
        for rows in itertools.permutations(range(1, n + 1))
        if len({row + column for column, row in enumerate(rows)}) == n
        and len({row - column for column, row in enumerate(rows)}) == n
    ]


def images(rows: tuple[int, ...]) -> set[tuple[int, ...]]:
    """A solution's turns and reflections."""
    found = set()
    for _ in range(4):
        rows = tuple(len(rows) - 1 - rows.index(row) for row in range(len(rows)))
        found |= {rows, rows[::-1]}
    return found
