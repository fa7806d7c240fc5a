"""The initial states of Sudokus: one set of options for all grids, with the given digits taken."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parsolve.puzzles.exact_cover.bounded import COVERED

KINDS = ((4,), (2, 3), (0, 1), (1, 3))
"""The axes of an item's options, see `_by_item`: of a cell, and of a digit in a row, column and box."""

Array = np.ndarray[Any, Any]


def roots_of(grids: Sequence[str], state: Any) -> Array:
    """Return the states in which the given digits of grids are taken: record[grids].

    In a grid with a digit twice in a row, column or box, all items are uncovered, and no options are left.

    Args:
        grids: 81 characters each.
        state: dtype of the puzzle's states.
    """
    characters = np.frombuffer("".join(grids).encode("ascii"), np.uint8).reshape(-1, 81)
    digits = np.ascontiguousarray(characters.T).reshape(3, 3, 3, 3, 1, -1)  # the grids come last, as the longest axis
    given = (digits == np.arange(ord("1"), ord("9") + 1, dtype=np.uint8).reshape(9, 1)).view(np.uint8)
    taken = _by_item(given)
    free = np.ones_like(given)
    for covered, axes in zip(taken, KINDS, strict=True):
        free &= np.expand_dims(covered == 0, axes)
    covers, counts = (np.concatenate([each.reshape(81, -1) for each in every]) for every in (taken, _by_item(free)))
    is_wrong = (covers > 1).any(0)
    free &= ~is_wrong
    flags = np.packbits(np.ascontiguousarray(free.reshape(729, -1).T), axis=1, bitorder="little")
    words = np.zeros((len(grids), 8 * state["options"].shape[0]), np.uint8)
    words[:, : flags.shape[1]] = flags
    roots = np.zeros(len(grids), state)
    roots["options"] = words.view("<u8")
    roots["counts"] = COVERED
    roots["counts"][:, : len(counts)] = np.maximum(counts, COVERED * (covers > 0)).T
    roots["left"] = np.where(is_wrong, len(covers), (covers == 0).sum(0))
    return roots


def _by_item(options: Array) -> list[Array]:
    """Return the number of some options that each item has: by kind, uint8[..., grids].

    Args:
        options: uint8[3, 3, 3, 3, 9, grids], 0 or 1, by row, column and digit, rows and columns by threes.
    """
    return [options.sum(axes, np.uint8) for axes in KINDS]
