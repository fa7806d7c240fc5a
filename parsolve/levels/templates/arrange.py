"""Put the moves of a solution in order: a template that `Rules` specialises for a puzzle's rules.

`expand_far` and `solved` are injected.
"""

from collections.abc import Callable
from typing import Any

from parsolve.compiler.marks import injected
from parsolve.problem.states import NO_LIMIT

expand_far: Callable[..., Any] = injected("expand_far")
solved: Callable[..., Any] = injected("solved")


def arrange_moves(tables: Any, rows: Any, moves: Any) -> Any:
    """Put moves in the order of a solution: the next one is always the first possible move of those left.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + children, and what an expansion may overrun]: the root; the last state on return.
        moves: int64[n]: put in order.

    Returns:
        How many of them lead on, one after another, through states that are not solved; n + 1 if the last state is
        solved then.
    """
    for number in range(moves.size):
        if solved(tables, rows[0]):
            return number
        top = expand_far(tables, rows[0], NO_LIMIT, rows, 1)
        at, found = moves.size, 0
        for child in range(1, top):
            for place in range(number, at):
                if moves[place] == rows[child].move:
                    at, found = place, child
                    break
        if found == 0:
            return number
        move = moves[at]
        for place in range(at, number, -1):
            moves[place] = moves[place - 1]
        moves[number] = move
        rows[0] = rows[found]
    return moves.size + (1 if solved(tables, rows[0]) else 0)
