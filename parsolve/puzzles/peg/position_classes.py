"""Position classes of peg solitaire: invariants of all jumps, which show positions that can never be reached.

A jump changes three holes. So it keeps the parity of the pegs in each set of holes that has none or two holes of every
jump, and a goal is out of reach if the start has another parity in one of these sets. (The Rule of Three: on a square
or triangular lattice the sets are two of three diagonals each, which gives 16 or 4 classes. N. G. de Bruijn, A
solitaire game and its relation to a finite field, 1972; J. D. Beasley, The Ins and Outs of Peg Solitaire, 1985.)

Two positions are in one class exactly if they differ by the holes of some jumps, each hole counted modulo 2. This test
is used here, because it needs no lattice.
"""

from functools import lru_cache

from parsolve.puzzles.peg.boards import Board


def in_one_class(board: Board, pegs: int, others: int) -> bool:
    """Return whether two positions, a bit a hole, are in the same position class."""
    return _reduced(pegs ^ others, _basis(board)) == 0


@lru_cache(maxsize=256)
def _basis(board: Board) -> dict[int, int]:
    """Return a basis of the changes by jumps, by the highest hole of each."""
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
