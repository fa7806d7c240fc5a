"""Read many starts of one board at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def starts_of(texts: Sequence[str], goal: Sequence[int], rows: int, columns: int) -> tuple[Array, Array]:
    """Return the tiles of starts by cell, int64[n, cells], and which starts are valid, bool[n].

    Args:
        texts: the starts in plain form: numbers between spaces, without signs and leading zeros. Others count as
            invalid.
        goal: the tiles at the goal.
        rows, columns: shape of the board.
    """
    tile_of = {str(tile): tile for tile in goal}
    found = [[*map(tile_of.get, text.split())] for text in texts]
    plain = [len(each) == len(goal) and None not in each for each in found]
    tiles = np.array([each if right else goal for each, right in zip(found, plain, strict=True)], np.int64)
    return tiles, np.array(plain) & solvable(tiles, goal, rows, columns)


def solvable(tiles: Array, goal: Sequence[int], rows: int, columns: int) -> Array:
    """Return which starts, int64[n, cells], have each tile once and can reach the goal, bool[n]; see
    `geometry.solvable`."""
    cells = len(goal)
    once = (np.sort(tiles, axis=1) == np.arange(cells)).all(axis=1)
    if rows == 1 or columns == 1:
        return np.zeros(len(tiles), np.bool_)  # they are checked one by one
    places = np.argsort(goal)[np.where(once[:, None], tiles, goal)]
    first, second = np.triu_indices(cells, 1)
    swaps = (places[:, first] > places[:, second]).sum(axis=1)
    blank, home = np.argmin(tiles, axis=1), list(goal).index(0)
    far = abs(blank // columns - home // columns) + abs(blank % columns - home % columns)
    return once & ((swaps + far) % 2 == 0)  # type: ignore[no-any-return]
