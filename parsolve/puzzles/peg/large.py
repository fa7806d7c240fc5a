"""Peg solitaire on large boards: positions that a pagoda function refutes are left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.puzzles.peg.boards import Board
from parsolve.puzzles.peg.game import BYTE, EIGHT, ZERO
from parsolve.puzzles.peg.moves import PegMoves, Tables, write_jumps
from parsolve.puzzles.peg.pagodas import Pagoda, reason_of

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
        return write_jumps(tables, here, limit, rows, top, sums_of(tables.sums, here.pegs), keep_unrefuted)


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


def sums_of(sums: Any, pegs: Any) -> Any:
    """Return the sums of the pegs by the functions of the first and the last word, less those of the goal; see
    `LANES`."""
    some, others = ZERO, ZERO
    for byte in range(sums.shape[1]):
        some += sums[0, byte, pegs & BYTE]
        others += sums[-1, byte, pegs & BYTE]
        pegs >>= EIGHT
    return some, others


def keep_unrefuted(tables: Any, sums: Any, jump: Any) -> Any:
    """Return whether no function refutes the position after a jump, given the sums before it."""
    some, others = sums
    return (some - tables.losses[0, jump]) & (others - tables.losses[-1, jump]) & EVEN == EVEN
