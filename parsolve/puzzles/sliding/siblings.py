"""All moves from a position, on boards of one word: the loop shared by the bounds with their own fields."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.puzzles.sliding.board import BOUND, COST, ONE, SHIFT, TILE
from parsolve.puzzles.sliding.turns import LAST


def write_siblings(tables: Any, here: Any, limit: Any, rows: Any, top: Any, bounded: Callable[..., Any]) -> Any:
    """Write the children of a state, as the rule `expand` does.

    Args:
        tables: the puzzle's tables: `word`, `pair` and `step` of `Turns` are used.
        here, limit, rows, top: see `Puzzle.expand`.
        bounded: `bounded(tables, here, row, turn, tile)` writes the child's fields that hold bounds, and returns its
            bound, uint64.
    """
    cells = here.cells
    base = (np.uint64(here.cost) + ONE) << COST | np.uint64(here.move)
    beyond = np.uint64(limit - here.cost) << BOUND
    turn = np.uint64(here.move)
    top = np.uint64(top)
    while True:
        word = tables.word[turn]
        tile = (cells >> (np.uint64(word) & SHIFT)) & TILE
        row = rows[top]
        sum_ = base + tables.step[turn] + (bounded(tables, here, row, turn, tile) << BOUND)
        row.cells = cells ^ (tile * tables.pair[turn])
        row.move = np.uint16(sum_)
        row.cost = np.uint8(sum_ >> COST)
        row.bound = np.uint8(sum_ >> BOUND)
        top += np.uint64(sum_ < beyond)
        turn += ONE
        if word & LAST:
            break
    return np.int64(top)
