"""N queens: the known numbers, and a search of all permutations."""

import itertools

from shared import oracle

ROWS = [{name: int(value) for name, value in row.items()} for row in oracle("queens.csv")]

COUNTS = {0: 1} | {row["n"]: row["all_solutions"] for row in ROWS}
UNIQUE = {0: 1} | {row["n"]: row["unique_solutions"] for row in ROWS}


def all_queens(n: int) -> list[tuple[int, ...]]:
    """Return all solutions in lexicographic order, as the row of each column, from 1."""
    return [
        rows
        for rows in itertools.permutations(range(1, n + 1))
        if len({row + column for column, row in enumerate(rows)}) == n
        and len({row - column for column, row in enumerate(rows)}) == n
    ]


def images(rows: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return a solution's turns and reflections."""
    found = set()
    for _ in range(4):
        rows = tuple(len(rows) - rows.index(row) for row in range(1, len(rows) + 1))
        found |= {rows, rows[::-1]}
    return found
