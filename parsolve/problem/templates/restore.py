"""Replay the moves of a branch: a template that `CompiledRules` specialises.

`expand_far` is injected.
"""

from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import ONE
from parsolve.compiler.rows import copy_row
from parsolve.problem.templates.injected import expand_far


class Stack(NamedTuple):
    """The stack of a depth-first walk, whose rows lie in blocks of siblings, level after level."""

    nexts: np.ndarray[Any, Any]  # uint64[levels or more]: the row after the current one of a level
    ends: np.ndarray[Any, Any]  # uint64[levels or more]: the end of its block


def restore(
    tables: Any,
    rows: Any,
    stack: Any,
    limit: Any,
    room: Any,
    path: Any,
    first: Any,
    pending: Any,
) -> Any:
    """Rebuild the stack of a branch by replaying its moves from the root in `rows[0]`.

    Args:
        tables: the puzzle's lookups.
        rows: record[rows], written.
        stack: `Stack`, written.
        limit: limit of the branch's iteration.
        room: the last row at which a block may end.
        path: int64[levels - 1]: the move of the current row of each level except the last, the root's first.
        first: int64[levels + 1]: level d's pending rows are `pending[first[d]:first[d + 1]]`.
        pending: int64[...]: the moves of the pending rows of each level, in the order of their block.

    Returns:
        The last level; -1 - d if a move of level d is missing, because the branch belongs to another puzzle;
        `first.size` if there are more rows than the puzzle declares.
    """
    nexts, ends = stack
    block, end = np.int64(0), np.int64(1)
    for level in range(first.size - 1):
        if level > 0:
            block = end
            end = np.int64(expand_far(tables, rows[nexts[level - 1] - ONE], limit, rows, np.int64(block)))
            if end > room:
                return first.size
        # Move the pending rows to the end of the block, with the current one before them. Rows that are finished or
        # belong to another branch are never reached; the block keeps its size, from which the share of each row
        # follows.
        place = end
        wanted = first[level + 1] - 1
        row = end - 1
        while row >= block and wanted >= first[level]:
            if rows[row].move == pending[wanted]:
                place -= 1
                if place != row:
                    copy_row(rows, place, row)
                wanted -= 1
            row -= 1
        if wanted >= first[level]:
            return -1 - level
        nexts[level] = place
        ends[level] = end
        if level < path.size:
            while row >= block and rows[row].move != path[level]:
                row -= 1
            if row < block:
                return -1 - level
            if place - 1 != row:
                copy_row(rows, place - 1, row)
    return first.size - 2
