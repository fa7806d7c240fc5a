"""Checkpoints of a search: heads and entries in pieces."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from parsolve.levels.pool import Array
from parsolve.search.checkpoint import Entries

PIECE = 1 << 20
"""Maximum number of words of a piece."""

HEAD = -1
"""The words of a piece that has no entries, but what is known beside them."""

DEPTHS, FARTHEST, IN_ALL, ITERATIONS, END, TOTAL, FLAGS = range(7)
"""What it has: (cost, states) of each layer, the farthest states, and the numbers of states before symmetry reduction,
in `explore`; limits and nodes of iterations; the beginning of one of both ends; the number of words of all entries; and
sums of numbered states."""


def split(level: int, array: Array, words: int = 0) -> Iterator[Entries]:
    """Yield an array of 8 bytes an item in pieces, each with a level."""
    for first in range(0, len(array), PIECE):
        yield Entries(level, words, array[first : first + PIECE])


def joined(pieces: Iterable[Entries]) -> Mapping[int, Array]:
    """Return the arrays of some pieces: uint64[n], by level."""
    parts: dict[int, list[Array]] = {}
    for level, _, data in pieces:
        parts.setdefault(level, []).append(np.array(data, np.uint64))
    return {level: np.concatenate(arrays) for level, arrays in parts.items()}
