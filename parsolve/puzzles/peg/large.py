"""Peg solitaire on large boards: positions that a pagoda function refutes are left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.puzzles.peg.boards import Board
from parsolve.puzzles.peg.game import EIGHT, ONE, WORD, ZERO, agreeing
from parsolve.puzzles.peg.pagodas import Pagoda, reason_of
from parsolve.puzzles.peg.rules import PegMoves, Tables, moves_after

LANES = 8
"""Functions in one word: a byte each, whose highest bit is set as long as its sum is not below the goal's."""

EVEN = np.uint64(0x8080808080808080)
"""The word of sums that all equal the goal's."""


@dataclass(frozen=True)
class PegLarge(PegMoves):
    """Peg solitaire without positions that a pagoda function refutes."""

    @property
    def obstacle(self) -> str:
        known = super().obstacle
        if known or not self.pagodas:
            return known
        return reason_of(self.layout, self.start_pegs, self.goals_in_class[0], self.pagodas)

    def tables(self) -> Tables:
        sums, losses = sums_and_losses(self.layout, self.pagodas, self.bounding.jumps)
        return super().tables()._replace(sums=sums, losses=losses)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        pegs, last, cost = here.pegs, here.last, here.cost
        full = agreeing(tables.full, pegs, 0)
        some, others = sums_of(tables.sums, pegs, 0), sums_of(tables.sums, pegs, tables.sums.shape[0] - 1)
        for word in range(tables.first.size):
            can = agreeing(tables.can, pegs, word)
            if last == tables.size:
                can &= tables.first[word]
            while can != ZERO:
                jump = np.uint64(word * WORD + trailing_zeros(can))
                can &= can - ONE
                left = (some - tables.losses[0, jump]) & (others - tables.losses[-1, jump])
                bound = moves_after(full, jump, tables.away, tables.table, tables.packings, tables.parts)
                spent = cost + (tables.start[jump] != last)
                row = rows[top]
                row.pegs = pegs ^ tables.holes[jump]
                row.move = tables.move[jump]
                row.last = tables.to[jump]
                row.cost = spent
                row.bound = bound
                top += (spent + bound <= limit) & (row.pegs & tables.keep != ZERO) & (left & EVEN == EVEN)
        return top


def sums_and_losses(
    board: Board, functions: Sequence[Pagoda], jumps: Sequence[int]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the sums of the pegs by each byte of a position, less those of the goal, and the amounts by which jumps
    lower them.

    Args:
        board: the board.
        functions: functions of the board.
        jumps: their numbers on the board.

    Returns:
        uint64[words, bytes, 256] and uint64[words, jumps]; see `LANES`.
    """
    bytes_ = -(-board.holes // 8)
    sums = np.zeros((max(1, -(-len(functions) // LANES)), bytes_, 256), np.uint64)
    losses = np.zeros((len(sums), len(jumps)), np.uint64)
    sums[:, 0] += EVEN
    for number, each in enumerate(functions):
        word, lane = number // LANES, np.uint64(8 * (number % LANES))
        for hole, value in enumerate((*each.values, *[0] * (8 * bytes_ - board.holes))):
            held = np.arange(256) >> hole % 8 & 1
            sums[word, hole // 8] += (held * value).astype(np.uint64) << lane
        sums[word, 0] -= np.int64(each.end).astype(np.uint64) << lane
        losses[word] += np.array([each.loss(board.jumps[jump]) for jump in jumps], np.uint64) << lane
    return sums, losses


def sums_of(sums: Any, pegs: Any, word: Any) -> Any:
    """Return the sums of the pegs by the functions of a word, uint64, less those of the goal; see `LANES`."""
    found = ZERO
    for byte in range(sums.shape[1]):
        found += sums[word, byte, pegs & np.uint64(255)]
        pegs >>= EIGHT
    return found
