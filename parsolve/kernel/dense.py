"""Search breadth-first over numbered states, 3 bits each: templates that `compile` specialises for a puzzle's rules.

A state is a bit in each of three sets: those visited, the frontier, and the next one. Several threads run these on
parts of the words at once; what they write outside of their part they write atomically. Children are gathered in a
batch and their words fetched ahead, so that cache misses overlap.

`expand`, `solved`, `index`, `unindex`, `entry` and `watch` are injected by `compile`.
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
AGAIN, FREE, CROWDED, COSTLY, SOLVED = range(5)
FLAGS = 5

SIX, LOW = np.uint64(6), np.uint64(63)

SETS = np.uint64(3)
"""Words that stand together for 64 states, mostly in one cache line: those visited, and the frontiers of two layers."""

expand: Callable[..., Any]
solved: Callable[..., Any]
index: Callable[..., Any]
unindex: Callable[..., Any]
entry: Callable[..., Any]
watch: bool


def expand_words(
    tables: Any,
    rows: Any,
    bits: Any,
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
        rows: record[any, more than 1 + most, and what an expansion may overrun].
        batch: uint64, as many; stack: uint64[any]. All three are this thread's own.
        bits: uint64[SETS * words]: for 64 states each those visited, and two frontiers.
        now, following: uint64: which one of the SETS is the frontier, 1 or 2, and the next one.
        distances: uint8[entries], written where it still is UNREACHED; uint8[0] if nobody wants it.
        depth: of the frontier.
        first, end: which words.
        past: whether solved states are expanded too.
        most: how many children a state may have.
        flags: int64[FLAGS]: FREE is set if there are moves without cost; AGAIN, if they have led back into the
            frontier, so that it must be expanded once more; CROWDED, if a state has too many children; COSTLY, if a
            move costs more than 1; SOLVED, if a state is solved and `past` does not say to go on.

    Returns:
        How many states were expanded.
    """
    done, stacked, top = 0, ZERO, 1
    room = rows.size - most
    here = rows[0]
    for word in range(np.uint64(first), np.uint64(end)):
        left = bits[word * SETS + now]
        if left != ZERO:
            left = atomic_swap(bits, word * SETS + now, ZERO)
        while left != ZERO or stacked > ZERO:
            if stacked > ZERO:
                stacked -= ONE
                number = stack[stacked]
            else:
                number = word << SIX | np.uint64(trailing_zeros(left))
                left &= left - ONE
            here.cost, here.bound = 0, 0
            unindex(tables, number, here)
            done += 1
            if distances.size:
                place = entry(tables, number)
                if distances[place] == UNREACHED:
                    distances[place] = depth
            if not past and solved(tables, here):
                flags[SOLVED] = 1
                continue
            new = expand(tables, here, NO_LIMIT, rows, top)
            if new > top + most:
                flags[CROWDED] = 1
                return done
            if watch:
                child = top
                while child < new:
                    if rows[child].cost > 1:
                        flags[COSTLY] = 1
                        return done
                    if rows[child].cost == 1:
                        child += 1
                        continue
                    flags[FREE] = 1
                    other = index(tables, rows[child])
                    new -= 1
                    rows[child] = rows[new]
                    place, bit = (other >> SIX) * SETS, ONE << (other & LOW)
                    if bits[place] & bit == ZERO and atomic_or(bits, place, bit) & bit == ZERO:
                        if stacked < np.uint64(stack.size):
                            stack[stacked] = other
                            stacked += ONE
                        else:
                            atomic_or(bits, place + now, bit)
                            flags[AGAIN] = 1
            top = new
            if top > room:
                for row in range(1, top):  # by itself, so that the compiler does several at once
                    batch[row] = index(tables, rows[row])
                add_to(bits, following, batch, top)
                top = 1
    for row in range(1, top):  # by itself, so that the compiler does several at once
        batch[row] = index(tables, rows[row])
    add_to(bits, following, batch, top)
    return done


@register_jitable
def add_to(bits: Any, following: Any, batch: Any, end: Any) -> Any:
    """Add the states from `batch[1]` on to the next frontier."""
    for row in range(1, end):
        prefetch(bits, (batch[row] >> SIX) * SETS)
    for row in range(1, end):
        place, bit = (batch[row] >> SIX) * SETS, ONE << (batch[row] & LOW)
        if (bits[place] | bits[place + following]) & bit == ZERO:  # a look spares nearly every atomic write
            atomic_or(bits, place + following, bit)


def close_words(bits: Any, following: Any, first: Any, end: Any) -> Any:
    """Drop from some words of the next frontier what is visited, and mark the rest as visited.

    Returns:
        How many states are left.
    """
    left = 0
    for word in range(np.uint64(first), np.uint64(end)):
        place = word * SETS
        fresh = bits[place + following] & ~bits[place]
        bits[place + following] = fresh
        bits[place] |= fresh
        left += bit_count(fresh)
    return left


def list_words(bits: Any, chosen: Any, numbers: Any) -> Any:
    """Write the numbers of a set's states, ascending, into uint64[as many].

    Args:
        bits: see `expand_words`.
        chosen: which set, uint64.
        numbers: written.
    """
    place = 0
    for word in range(np.uint64(bits.size) // SETS):
        left = bits[word * SETS + chosen]
        while left != ZERO:
            numbers[place] = word << SIX | np.uint64(trailing_zeros(left))
            left &= left - ONE
            place += 1


def index_rows(tables: Any, rows: Any, numbers: Any) -> Any:
    """Write the number of each row, uint64[rows]."""
    for row in range(rows.size):
        numbers[row] = index(tables, rows[row])


def unindex_rows(tables: Any, rows: Any, numbers: Any, flags: Any) -> Any:
    """Write the state of each number, uint64[rows], into the row, but for cost and bound; and whether it is solved into
    bool[rows]."""
    for row in range(rows.size):
        unindex(tables, numbers[row], rows[row])
        flags[row] = solved(tables, rows[row])


def itself(tables: Any, number: Any) -> Any:
    """`entry` where a puzzle has none."""
    return number
