"""Position classes of peg solitaire: what no jump changes, and so where a position can never lead.

A jump changes three holes. So it keeps the parity of the pegs in each set of holes that has none or two holes of every
jump, and a goal is out of reach where the start has another parity in one of these sets. (The Rule of Three: on a
square or triangular lattice the sets are two of three diagonals each, which gives 16 or 4 classes. N. G. de Bruijn, A
solitaire game and its relation to a finite field, 1972; J. D. Beasley, The Ins and Outs of Peg Solitaire, 1985.)

Two positions are in one class just where they differ by the holes of some jumps, each hole as often as it is in them
modulo 2. That is asked here, because it needs no lattice.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from parsolve.puzzles.peg.boards import Board


def in_one_class(board: Board, pegs: int, others: int) -> bool:
    """Return whether two positions, a bit a hole, are in the same position class."""
    return _reduced(pegs ^ others, _basis(board)) == 0


@lru_cache(maxsize=256)
def _basis(board: Board) -> dict[int, int]:
    """Return a basis of what jumps change, by the highest hole of each."""
    basis: dict[int, int] = {}
    for start, over, to in board.jumps:
        rest = _reduced(1 << start | 1 << over | 1 << to, basis)
        if rest:
            basis[rest.bit_length()] = rest
    return basis


def _reduced(holes: int, basis: dict[int, int]) -> int:
    """Return a set of holes modulo the sets of a basis: 0 if it is a sum of them."""
    left = holes
    for high in sorted(basis, reverse=True):
        if left.bit_length() == high:
            left ^= basis[high]
    return left


class Numbering:
    """Numbers of the positions of one class, from 0 up to below 2^bits: that of the exclusive or of two positions and
    the first one is the exclusive or of their numbers.

    Args:
        board: whose jumps make the classes.

    Attributes:
        bits: of a number.
    """

    def __init__(self, board: Board) -> None:
        self._basis = [(high, holes) for high, holes in sorted(_basis(board).items())]
        self.bits = len(self._basis)

    def number(self, changed: int) -> int:
        """Return the number of the position that differs from the first one by some holes, a bit a hole."""
        number = 0
        for bit in reversed(range(self.bits)):
            high, holes = self._basis[bit]
            if changed.bit_length() == high:
                changed ^= holes
                number |= 1 << bit
        return number

    def positions(self) -> np.ndarray[Any, Any]:
        """Return the holes that differ from the first position, by byte of the number and its value: uint64[bytes,
        256]. Those of all bytes together are their exclusive or."""
        found = np.zeros((-(-self.bits // 8), 256), np.uint64)
        values = np.arange(256)
        for bit, (_, holes) in enumerate(self._basis):
            found[bit // 8] ^= np.where(values >> bit % 8 & 1, np.uint64(holes), np.uint64(0))
        return found
