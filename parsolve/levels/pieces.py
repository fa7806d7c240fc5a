"""The pieces of a checkpoint: entries of levels, and what is known besides."""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

import numpy as np

from parsolve.problem.data import Array
from parsolve.search.checkpoint import Piece

PIECE_WORDS = 1 << 20
"""Maximum number of words of a piece."""


class PieceKind(IntEnum):
    """What a piece has: entries of a level, or what is known besides."""

    # NEXT is settled and not begun; FORGOTTEN has the keys of settled levels that are kept no longer.
    SETTLED, NEXT, WAITING, FORGOTTEN = 0, 1, 2, 3
    NUMBERS, SUMS = 4, 5  # sets of numbered states; sums of a search, after its entries
    DEPTHS, FARTHEST, IN_ALL, ITERATIONS = 6, 7, 8, 9  # see `explore`; limits and nodes


def split(kind: PieceKind, array: Array) -> Iterator[Piece]:
    """Yield an array of 8 bytes an item in pieces, at least one."""
    for first in range(0, len(array) or 1, PIECE_WORDS):
        yield Piece(kind, 0, 0, array[first : first + PIECE_WORDS])


def until_sums(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces of one search, to its sums; raise ValueError without these."""
    for each in pieces:
        yield each
        if each.kind == PieceKind.SUMS:
            return
    raise ValueError("entries without their sums")


def joined(pieces: Iterable[Piece]) -> Mapping[int, Array]:
    """Return the arrays of some pieces: uint64[n], by kind."""
    parts: dict[int, list[Array]] = {}
    for each in pieces:
        parts.setdefault(each.kind, []).append(np.array(each.data, np.uint64))
    return {kind: np.concatenate(arrays) for kind, arrays in parts.items()}
