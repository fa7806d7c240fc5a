"""Checkpoints of a search in pieces."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from parsolve.levels.pool import Array
from parsolve.search.checkpoint import Entries

PIECE = 1 << 20
"""Maximum number of words of a piece."""

FLAGS = -1
"""The level of numbers that are not entries."""


def split(level: int, array: Array, words: int = 0) -> Iterator[Entries]:
    """Yield an array of 8 bytes an item in pieces, each with a level."""
    for first in range(0, len(array), PIECE):
        yield Entries(level, words, array[first : first + PIECE])


def joined(pieces: Iterable[Entries]) -> Mapping[tuple[int, int], Array]:
    """Return the arrays of some pieces: uint64[n], by level and words."""
    parts: dict[tuple[int, int], list[Array]] = {}
    for level, words, data in pieces:
        parts.setdefault((level, words), []).append(np.array(data, np.uint64))
    return {place: np.concatenate(arrays) for place, arrays in parts.items()}
