"""Contents of the rows of a board: the number of tiles of each home row in each row, and the blank's row.

A vertical move takes one tile from the blank's next row into its row: Walking Distance keeps no more of the board. The
same is used for columns. Contents are numbered by their key: for each row and home row the number of tiles as one
digit, and above all digits the row of the blank.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

MOST = 1 << 20
"""Maximum number of contents for which a table is made: it takes seconds, and 50 MB."""

NO_MOVE = 0xFFFFFFFF


class Contents(NamedTuple):
    """All contents of a board's rows.

    Attributes:
        keys: uint64[contents], ascending.
        following: uint32[contents * 2 * rows]: by contents, way and home row, the number of the contents after a tile
            of that home row has moved into the blank's row, from the row above (0) or below (1); NO_MOVE if there is
            none.
    """

    keys: np.ndarray[Any, Any]
    following: np.ndarray[Any, Any]


@cache
def number_of_contents(rows: int, columns: int, home: int) -> int:
    """Return the number of contents, without making them; MOST + 1 if there are more than can be counted quickly."""
    if rows > 7:
        return MOST + 1

    @cache
    def ways(left: tuple[int, ...], row: int, blank: int) -> int:
        """Return the ways to fill the rows from `row` on, with as many tiles left of each home row."""
        if row == rows:
            return 1
        size = columns - (row == blank)
        return sum(
            ways(tuple(sorted(had - took for had, took in zip(left, taken, strict=True))), row + 1, blank)
            for taken in compositions(size, left)
        )

    tiles = tuple(sorted(columns - (row == home) for row in range(rows)))
    return sum(ways(tiles, 0, blank) for blank in range(rows))


def compositions(total: int, most: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return all ways to take a number of tiles, at most `most` of each kind."""
    if not most:
        return [()] if total == 0 else []
    return [
        (first, *rest) for first in range(min(total, most[0]) + 1) for rest in compositions(total - first, most[1:])
    ]


def key_of(rows: int, columns: int, counts: list[list[int]], blank: int) -> int:
    """Return the key of contents: the tiles by row and home row, and the row of the blank."""
    digits = [count for row in counts for count in row]
    return sum(count * (columns + 1) ** place for place, count in enumerate([*digits, blank]))


@cache
def contents(rows: int, columns: int, home: int) -> Contents:
    """Return all contents of some rows of a length; `home` is the row of the blank at the goal."""
    base, places = columns + 1, rows * rows
    weights = np.array([base**place for place in range(places)], np.uint64)
    blank_weight = np.uint64(base**places)
    tiles = np.array([columns - (row == home) for row in range(rows)], np.int8)
    parts = []
    for blank in range(rows):
        keys, left = np.array([blank], np.uint64) * blank_weight, tiles[None, :]
        for row in range(rows):
            taken = np.array(compositions(columns - (row == blank), (columns,) * rows), np.uint64)
            value = (taken * weights[row * rows : (row + 1) * rows]).sum(axis=1, dtype=np.uint64)
            rest = left[:, None, :] - taken.astype(np.int8)[None, :, :]
            here, which = np.nonzero((rest >= 0).all(axis=2))
            keys, left = keys[here] + value[which], rest[here, which]
        parts.append(np.sort(keys))
    keys = np.concatenate(parts)  # ascending: the blank's row is the highest digit
    following = np.full((keys.size, 2, rows), NO_MOVE, np.uint32)
    blanks = (keys // blank_weight).astype(np.int64)
    for way, step in enumerate((-1, 1)):
        numbers = np.flatnonzero((blanks + step >= 0) & (blanks + step < rows))
        to, come = blanks[numbers], blanks[numbers] + step
        for home_row in range(rows):
            source, target = weights[come * rows + home_row], weights[to * rows + home_row]
            there = (keys[numbers] // source) % np.uint64(base) > 0
            after = keys[numbers] - source + target
            after = after + blank_weight if step > 0 else after - blank_weight
            following[numbers[there], way, home_row] = np.searchsorted(keys, after[there])
    return Contents(keys, following.ravel())
