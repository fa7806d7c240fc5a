"""Search one layer breadth-first: templates that `Rules` specialises for a puzzle's rules.

`expand_far`, `solved` and `key` are injected. Duplicates are found by key, in an open-addressed hash table of three
arrays: the key, the least cost, and the layer in which the state was last (EMPTY: a free place). Keys are
uint64[n * words], with the same number of words each.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE
from parsolve.compiler.keys import copy_key, hash_at, same_key, store_words, words_of
from parsolve.compiler.marks import injected
from parsolve.problem.states import NO_LIMIT

EMPTY = -1

# The places of `tally`, int64[4].
READ, WRITTEN, STATES, AGAIN = range(4)

expand_far: Callable[..., Any] = injected("expand_far")
solved: Callable[..., Any] = injected("solved")
key: Callable[..., Any] = injected("key")
write: Callable[..., Any] = injected("write")


def expand_layer(
    tables: Any,
    rows: Any,
    out_rows: Any,
    out_parents: Any,
    out_keys: Any,
    tally: Any,
    room: Any,
    past: Any,
    most: Any,
) -> Any:
    """Expand rows in order, until all are expanded or the room for children is used up.

    Args:
        tables: the puzzle's lookups.
        rows: record[n].
        out_rows, out_parents, out_keys: record[m], int64[m], uint64[m * words], written from the start: the children,
            the places of their parents in `rows`, their keys.
        tally: int64[4]: READ is the row to start with, and is set to the first row that is not expanded; WRITTEN is
            set to the number of children.
        room: with more children than this, the next row is left to another call.
        past: whether solved rows are expanded too.
        most: maximum number of children of a row.

    Returns:
        False if a row has more; READ is its number.
    """
    at, top = tally[READ], 0
    while at < rows.size and top <= room:
        if past or not solved(tables, rows[at]):
            end = expand_far(tables, rows[at], NO_LIMIT, out_rows, top)
            if end - top > most:
                return False
            for child in range(top, end):
                out_parents[child] = at
                words = words_of(key(tables, out_rows[child]))
                store_words(out_keys, np.uint64(child) * np.uint64(len(words)), words)
            top = end
        at += 1
    tally[READ], tally[WRITTEN] = at, top
    return True


def merge_duplicates(
    rows: Any,
    keys: Any,
    table_keys: Any,
    table_costs: Any,
    table_layers: Any,
    tally: Any,
    cost: Any,
    layer: Any,
    like: Any,
) -> Any:
    """Merge the candidates of a layer in place: one row for each state, without states that are known at less cost.

    Args:
        rows: record[n], keys: uint64[n * words]: the candidates; the first STATES are the result.
        table_keys: uint64[2^k * words], table_costs: uint32[2^k], table_layers: int32[2^k].
        tally: int64[4]: STATES and AGAIN (states that an earlier layer has at the same cost) are set.
        cost, layer: cost and number of the layer.
        like: any key, as a tuple: its length is known when this is compiled.
    """
    mask = np.uint64(table_layers.size - 1)
    states, again = 0, 0
    for candidate in range(rows.size):
        place = hash_at(keys, candidate * len(like), like) & mask
        while table_layers[place] != EMPTY and not same_key(table_keys, place, keys, np.uint64(candidate), like):
            place = (place + ONE) & mask
        if table_layers[place] != EMPTY:
            if table_costs[place] < cost or table_layers[place] == layer:
                continue
            again += 1
        copy_key(table_keys, place, keys, np.uint64(candidate), like)
        table_costs[place], table_layers[place] = cost, layer
        if states != candidate:
            rows[states] = rows[candidate]
            copy_key(keys, np.uint64(states), keys, np.uint64(candidate), like)
        states += 1
    tally[STATES], tally[AGAIN] = states, again


def grow_table(
    keys: Any,
    costs: Any,
    layers: Any,
    new_keys: Any,
    new_costs: Any,
    new_layers: Any,
    like: Any,
) -> Any:
    """Copy a hash table into a larger, empty one; the arrays, and `like`, are those of `merge_duplicates`."""
    mask = np.uint64(new_layers.size - 1)
    for old in range(layers.size):
        if layers[old] != EMPTY:
            place = hash_at(keys, old * len(like), like) & mask
            while new_layers[place] != EMPTY:
                place = (place + ONE) & mask
            copy_key(new_keys, place, keys, np.uint64(old), like)
            new_costs[place], new_layers[place] = costs[old], layers[old]


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


def write_rows(tables: Any, rows: Any, ids: Any, flags: Any) -> Any:
    """Write the state of each id, uint64[rows], into its row, at cost 0, and whether it is solved into bool[rows].

    `write` is injected: the rule `unkey`, or `unindex`.
    """
    for row in range(rows.size):
        write(tables, ids[row], rows[row])
        rows[row].cost = 0
        flags[row] = solved(tables, rows[row])
