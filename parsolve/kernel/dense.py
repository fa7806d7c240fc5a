"""Search breadth-first over numbered states, 3 bits each: templates that `compile` specialises for a puzzle's rules.

A state is a bit in each of three arrays of words: `visited`, the frontier `now`, and the next one `following`. Several
threads run these on parts of the words at once; what they write outside of their part they write atomically. Children
are gathered in a batch and their words fetched ahead, so that cache misses overlap.

`expand_far`, `solved`, `index`, `unindex`, `entry` and `watch` are injected by `compile`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from parsolve.kernel.atomics import atomic_or, atomic_swap, prefetch
from parsolve.kernel.bits import bit_count, trailing_zeros
from parsolve.kernel.search import NO_LIMIT, ONE, ZERO

UNREACHED = 255
"""The distance of an entry that no state reached."""

# The places of `flags`, int64[FLAGS].
AGAIN, FREE, CROWDED, COSTLY = range(4)
FLAGS = 4

SIX, LOW = np.uint64(6), np.uint64(63)

expand_far: Callable[..., Any]
solved: Callable[..., Any]
index: Callable[..., Any]
unindex: Callable[..., Any]
entry: Callable[..., Any]
watch: bool


def expand_words(
    tables: Any,
    rows: Any,
    visited: Any,
    now: Any,
    following: Any,
    distances: Any,
    depth: Any,
    first: Any,
    end: Any,
    batch: Any,
    stack: Any,
    past: Any,
    most: Any,
    flags: Any,
) -> Any:
    """Expand the states of the frontier in some of its words, which are cleared.

    Args:
        tables: the puzzle's.
        rows: record[1 + most, and what an expansion may overrun]; this thread's own.
        batch, stack: uint64, the batch of more than `most`; this thread's own.
        visited, now, following: uint64[words], a bit a state.
        distances: uint8[entries], written where it still is UNREACHED; uint8[0] if nobody wants it.
        depth: of the frontier.
        first, end: which words.
        past: whether solved states are expanded too.
        most: how many children a state may have.
        flags: int64[FLAGS]: FREE is set if there are moves without cost; AGAIN, if they have led back into the
            frontier, so that it must be expanded once more; CROWDED, if a state has too many children; COSTLY, if a
            move costs more than 1.

    Returns:
        How many states were expanded.
    """
    done, gathered, stacked = 0, ZERO, ZERO
    room = np.uint64(batch.size - most)
    for word in range(np.uint64(first), np.uint64(end)):
        bits = ZERO
        if now[word] != ZERO:
            bits = atomic_swap(now, word, ZERO)
        while bits != ZERO or stacked > ZERO:
            if stacked > ZERO:
                stacked -= ONE
                number = stack[stacked]
            else:
                number = word << SIX | np.uint64(trailing_zeros(bits))
                bits &= bits - ONE
            here = rows[0]
            here.cost, here.bound = 0, 0
            unindex(tables, number, here)
            done += 1
            if distances.size:
                place = entry(tables, number)
                if distances[place] == UNREACHED:
                    distances[place] = depth
            if not past and solved(tables, here):
                continue
            top = expand_far(tables, here, NO_LIMIT, rows, 1)
            if top > most + 1:
                flags[CROWDED] = 1
                return done
            for child in range(1, top):
                other = index(tables, rows[child])
                if watch and rows[child].cost == 0:
                    flags[FREE] = 1
                    bit = ONE << (other & LOW)
                    if visited[other >> SIX] & bit == ZERO and atomic_or(visited, other >> SIX, bit) & bit == ZERO:
                        if stacked < np.uint64(stack.size):
                            stack[stacked] = other
                            stacked += ONE
                        else:
                            atomic_or(now, other >> SIX, bit)
                            flags[AGAIN] = 1
                    continue
                if watch and rows[child].cost > 1:
                    flags[COSTLY] = 1
                    return done
                batch[gathered] = other
                prefetch(visited, other >> SIX)
                prefetch(following, other >> SIX)
                gathered += ONE
            if gathered >= room:
                add_to(following, visited, batch, gathered)
                gathered = ZERO
    add_to(following, visited, batch, gathered)
    return done


@register_jitable
def add_to(following: Any, visited: Any, batch: Any, gathered: Any) -> Any:
    """Add states to the next frontier; a look first spares nearly every atomic write."""
    for i in range(gathered):
        place, bit = batch[i] >> SIX, ONE << (batch[i] & LOW)
        if (visited[place] | following[place]) & bit == ZERO:
            atomic_or(following, place, bit)


def close_words(visited: Any, following: Any, first: Any, end: Any) -> Any:
    """Drop from some words of the next frontier what is visited, and mark the rest as visited.

    Returns:
        How many states are left.
    """
    left = 0
    for word in range(first, end):
        fresh = following[word] & ~visited[word]
        following[word] = fresh
        visited[word] |= fresh
        left += bit_count(fresh)
    return left


def list_words(words: Any, numbers: Any) -> Any:
    """Write the numbers of the bits that are set, ascending, into uint64[as many]."""
    place = 0
    for word in range(words.size):
        bits = words[word]
        while bits != ZERO:
            numbers[place] = np.uint64(word) << SIX | np.uint64(trailing_zeros(bits))
            bits &= bits - ONE
            place += 1


def index_rows(tables: Any, rows: Any, numbers: Any) -> Any:
    """Write the number of each row, uint64[rows]."""
    for row in range(rows.size):
        numbers[row] = index(tables, rows[row])


def unindex_rows(tables: Any, rows: Any, numbers: Any) -> Any:
    """Write the state of each number, uint64[rows], into the row; its cost and bound stay."""
    for row in range(rows.size):
        unindex(tables, numbers[row], rows[row])


def itself(tables: Any, number: Any) -> Any:
    """`entry` where a puzzle has none."""
    return number
