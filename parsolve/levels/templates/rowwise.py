"""Expand rows, and inspect them: templates that `CompiledRules` specialises for a puzzle's rules.

`expand_far`, `solved` and `key` are injected. Keys are uint64[n * words], with the same number of words each.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.keys import key_in, store_words, words_of
from parsolve.compiler.marks import injected
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand_far, key, solved

write: Callable[..., Any] = injected("write")


def expand_level(
    tables: Any, rows: Any, out_rows: Any, out_parents: Any, out_keys: Any, first: Any, past: Any, most: Any
) -> Any:
    """Expand rows in order, until all are expanded or there may be no room for the children of the next one.

    Args:
        tables: the puzzle's lookups.
        rows: record[n].
        out_rows, out_parents, out_keys: record[m], int64[m], uint64[m * words], written from the start: the children,
            the places of their parents in `rows`, their keys.
        first: the row to start with.
        past: whether solved rows are expanded too.
        most: maximum number of children of a row.

    Returns:
        The first row that is not expanded, and the number of children; -1 if this row has more.
    """
    at, top = np.int64(first), np.int64(0)  # a constant would have `expand` compiled twice
    while at < rows.size and top + most <= out_parents.size:
        if past or not solved(tables, rows[at]):
            end = expand_far(tables, rows[at], NO_LIMIT, out_rows, top)
            if end - top > most:
                return at, np.int64(-1)
            for child in range(top, end):
                out_parents[child] = at
                words = words_of(key(tables, out_rows[child]))
                store_words(out_keys, np.uint64(child) * np.uint64(len(words)), words)
            top = end
        at += 1
    return at, top


def inspect_rows(tables: Any, rows: Any, keys: Any, flags: Any) -> Any:
    """Write the key of each row, uint64[n * words or more], and its flag, bool[n]: whether it is solved.

    Returns:
        How many words a key has; 0 without rows.
    """
    number = 0
    for row in range(rows.size):
        words = words_of(key(tables, rows[row]))
        number = len(words)
        store_words(keys, np.uint64(row) * np.uint64(number), words)
        flags[row] = solved(tables, rows[row])
    return number


def write_rows(tables: Any, rows: Any, ids: Any, flags: Any, like: Any) -> Any:
    """Write the state of each id, uint64[rows * words], into its row, at cost 0, and whether it is solved into
    bool[rows].

    `write` is injected: the rule `unkey`, or `unindex`. `like` is any id, as a tuple.
    """
    for row in range(rows.size):
        write(tables, key_in(ids, row * len(like), like), rows[row])
        rows[row].cost = 0
        flags[row] = solved(tables, rows[row])
