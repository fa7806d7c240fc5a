"""Contents of the rows of a board: the number of tiles of each home row in each row, and the blank's row.

A vertical move takes one tile from the blank's next row into its row: Walking Distance keeps no more of the board. The
same is used for columns. Contents are numbered by their key: for each row and home row the number of tiles as one
digit, and above all digits the row of the blank.
"""

import itertools
from functools import cache
from typing import Any, NamedTuple

import numpy as np

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


def are_few(rows: int, columns: int) -> bool:
    """Return whether a board has at most 368,000 contents of rows: that takes 8 s; 7 rows of 2 have 17 million."""
    return rows < 7 or rows * columns == 7


def compositions(total: int, kinds: int) -> list[tuple[int, ...]]:
    """Return all ways to take a number of tiles of some kinds."""
    return [each for each in itertools.product(range(total + 1), repeat=kinds) if sum(each) == total]


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
            taken = np.array(compositions(columns - (row == blank), rows), np.uint64)
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
