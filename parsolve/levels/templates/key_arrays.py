"""Arrays of keys: templates that convert them to states and find known keys, and the hash table of known keys.

`expand`, `solved`, `key`, `unkey` and `reverse` are injected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.atomics import prefetch
from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import hashed
from parsolve.compiler.marks import injected
from parsolve.problem.states import NO_LIMIT

AHEAD = 16
"""How many keys before a key's look-up its memory is prefetched."""

expand: Callable[..., Any] = injected("expand")
solved: Callable[..., Any] = injected("solved")
key: Callable[..., Any] = injected("key")
unkey: Callable[..., Any] = injected("unkey")
reverse: Callable[..., Any] = injected("reverse")


def reverse_keys(tables: Any, rows: Any, keys: Any) -> Any:
    """Replace each key, uint64[any], by the key of the state's image under `reverse`.

    Args:
        tables: the puzzle's lookups.
        rows: record[2].
    """
    for number in range(keys.size):
        unkey(tables, keys[number], rows[0])
        reverse(tables, rows[0], rows[1])
        keys[number] = key(tables, rows[1])


def mark_keys(
    tables: Any, rows: Any, keys: Any, known: Any, flags: Any, batch: Any, owners: Any, past: Any, most: Any
) -> Any:
    """Set the flag, bool[n], of each key, uint64[n], whose state is solved or has a known child.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + most, and what an expansion may overrun], of this thread.
        known: see `hash_keys`.
        batch, owners: uint64[n], int64[n] of this thread, n at least `most`.
        past: whether solved states are expanded too.
        most: maximum number of children of a state.

    Returns:
        False if a state has more children.
    """
    size = 0
    here = rows[0]
    for number in range(keys.size):
        here.bound = 0
        unkey(tables, keys[number], here)
        here.cost = 0
        if not past and solved(tables, here):
            flags[number] = True
            continue
        top = expand(tables, here, NO_LIMIT, rows, 1)
        if top > most + 1:
            return False
        if size + top > batch.size + 1:
            look_up(known, batch, owners, size, flags)
            size = 0
        for child in range(1, top):
            wanted = np.uint64(key(tables, rows[child]))
            prefetch(known, place_of(known, wanted))  # cache misses overlap
            batch[size], owners[size] = wanted, number
            size += 1
    look_up(known, batch, owners, size, flags)
    return True


def look_up(known: Any, batch: Any, owners: Any, size: Any, flags: Any) -> Any:
    """Set the flag of the owner of each known key, among the first `size` keys of a batch."""
    for number in range(size):
        if not flags[owners[number]] and contains(known, batch[number]):
            flags[owners[number]] = True


def hash_keys(keys: Any, table: Any) -> Any:
    """Put distinct keys into an empty hash table.

    Args:
        keys: uint64[n].
        table: uint64[2^k + 1], 2^k above n: each key takes the first free place at or after its hash. The last word
            is the value that marks a free place; it must not be a key.
    """
    mask = np.uint64(table.size - 2)
    for number in range(keys.size):
        place = place_of(table, keys[number])
        while table[place] != table[table.size - 1]:
            place = (place + ONE) & mask
        table[place] = keys[number]


def find_keys(keys: Any, known: Any, flags: Any) -> Any:
    """Set the flag, bool[n], of each key, uint64[n], that is in a hash table; see `hash_keys`."""
    for number in range(keys.size):
        if number + AHEAD < keys.size:
            prefetch(known, place_of(known, keys[number + AHEAD]))
        flags[number] = contains(known, keys[number])


def place_of(table: Any, wanted: Any) -> Any:
    """Return the place of a key by its hash; see `hash_keys`."""
    return hashed(wanted, ZERO) & np.uint64(table.size - 2)


def contains(table: Any, wanted: Any) -> Any:
    """Return whether a key is in a hash table; see `hash_keys`."""
    mask = np.uint64(table.size - 2)
    place = place_of(table, wanted)
    free = table[table.size - 1]
    while table[place] != free:
        if table[place] == wanted:
            return True
        place = (place + ONE) & mask
    return False
