"""Nodes to the first solution of a 15-puzzle, in the order and by the count of Korf's paper."""

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

PUBLISHED = {2: 15_300_442, 12: 546_344, 79: 540_860}
"""By number of the position: R. E. Korf, Depth-first iterative-deepening, Artificial Intelligence 27 (1985) 97–109."""

UP, LEFT, RIGHT, DOWN = range(4)


def nodes_to_first(tiles: Sequence[int]) -> int:
    """Return the nodes that iterative deepening with Manhattan distance generates up to its first solution.

    The blank goes up, left, right and down; every child is counted but the one that takes the last move back, before it
    is pruned, and the root once.

    Args:
        tiles: by cell, the blank 0; the goal has it first.
    """
    board = np.array(tiles, np.int64)
    cells = np.arange(16)
    distance = abs(cells[:, None] // 4 - cells // 4) + abs(cells[:, None] % 4 - cells % 4)
    limit: int = sum(int(distance[cell, tile]) for cell, tile in enumerate(tiles) if tile)
    generated: int = 1
    while True:
        more, following = map(int, search(board.copy(), int(np.flatnonzero(board == 0)[0]), distance, limit))
        generated += more
        if following == limit:
            return generated
        limit = following


@numba.njit
def search(board: Any, blank: Any, distance: Any, limit: Any) -> Any:
    """Search one iteration.

    Args:
        board: int64[16], changed.
        blank: its cell.
        distance: int64[16, 16]: from cell to cell.
        limit: on moves and distance.

    Returns:
        The nodes generated, and the least sum of moves and distance above the limit; the limit if a solution is found.
    """
    steps = np.array([-4, -1, 1, 4])
    nexts, moves = np.zeros(100, np.int64), np.zeros(100, np.int64)
    bound = 0
    for cell in range(16):
        if board[cell]:
            bound += distance[cell, board[cell]]
    generated, least, depth = 0, 1 << 30, 0
    moves[0] = -1
    while True:
        move = nexts[depth]
        if bound == 0:
            return generated, limit
        if move == 4:
            if depth == 0:
                return generated, least
            back = blank - steps[moves[depth]]
            tile = board[back]
            bound += distance[blank, tile] - distance[back, tile]
            board[blank], board[back] = tile, 0
            blank = back
            depth -= 1
            continue
        nexts[depth] += 1
        if moves[depth] == 3 - move:
            continue
        if (
            (move == UP and blank < 4)
            or (move == DOWN and blank > 11)
            or (move == LEFT and blank % 4 == 0)
            or (move == RIGHT and blank % 4 == 3)
        ):
            continue
        generated += 1
        cell = blank + steps[move]
        tile = board[cell]
        after = bound + distance[blank, tile] - distance[cell, tile]
        if depth + 1 + after > limit:
            least = min(least, depth + 1 + after)
            continue
        board[blank], board[cell] = tile, 0
        blank, bound = cell, after
        depth += 1
        nexts[depth], moves[depth] = 0, move
