"""Search breadth-first over numbered states, 3 bits each: templates that `CompiledRules` specialises.

A state is a bit in each of three sets: the states visited, the frontier, and the next frontier. Several threads work at
once, each on its own words; they write to other words atomically. Children are gathered in a batch and their words
prefetched, so that cache misses overlap.

`expand`, `solved`, `index`, `index_far`, `unindex`, `entry` and `has_cost` are injected.

Each number that a rule returns is checked against what the puzzle declares, so that no access is outside the arrays.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.atomics import atomic_or, atomic_swap, prefetch
from parsolve.compiler.bits import ONE, ZERO, bit_count, trailing_zeros
from parsolve.compiler.keys import choose, hash_of_id
from parsolve.compiler.marks import injected
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand, has_cost, solved

UNREACHED = 255
"""The distance of an unreached entry."""

# The places of `flags`, int64[FLAGS]; CULPRIT places after each of the last three is the number at fault.
AGAIN, FREE, CROWDED, COSTLY, SOLVED, BEYOND, OUTSIDE, UNLIKE = range(8)
CULPRIT = 3
FLAGS = UNLIKE + CULPRIT + 1

SIX, LOW = np.uint64(6), np.uint64(63)

SETS = np.uint64(3)
"""Adjacent words for 64 states, mostly in one cache line: the states visited, and the frontiers of two levels."""

index: Callable[..., Any] = injected("index")
index_far: Callable[..., Any] = injected("index_far")
unindex: Callable[..., Any] = injected("unindex")
entry: Callable[..., Any] = injected("entry")


class Sets(NamedTuple):
    """The states."""

    bits: Any  # uint64[SETS * words]: for 64 states each the states visited, and two frontiers
    now: Any  # uint64, 1 or 2: which of the SETS is the frontier
    following: Any  # uint64, 2 or 1: which of them is the next frontier
    distances: Any  # uint8[entries], written where UNREACHED; uint8[0] without distances


class Memory(NamedTuple):
    """The memory of a thread."""

    batch: Any  # uint64[n, and what an expansion may overrun]: numbers of children
    stack: Any  # uint64[any]: states reached without cost, which are expanded next
    chosen: Any  # uint64[any]; see `keys.choose`


class How(NamedTuple):
    """How to expand a frontier."""

    depth: int  # depth of the frontier
    most: int  # maximum number of children of a state
    size: Any  # uint64: all numbers are below it
    check_up_to: Any  # uint64: for states with at most this hash, the number is computed again from the state
    choose_up_to: Any  # uint64: of these, states with at most this hash are written into `chosen`


def expand_words(tables: Any, rows: Any, sets: Sets, first: Any, end: Any, memory: Memory, how: How, flags: Any) -> Any:
    """Expand the states of the frontier in some of its words, which are cleared.

    Args:
        tables: the puzzle's lookups.
        rows: record[n, and what an expansion may overrun] of this thread, n above 1 + most.
        first, end: the first word, and the end.
        memory: of this thread.
        flags: int64[FLAGS], written. FREE: some moves have no cost; AGAIN: they have led back into the frontier, which
            must be expanded once more; SOLVED: a state is solved. The others are errors, which end the pass. CROWDED:
            a state has too many children; COSTLY: a move costs more than 1; BEYOND: a child's number is not below
            `size`; OUTSIDE: an entry is beyond the end of `distances`; UNLIKE: the state of a number has another
            number. CULPRIT is the number of the child, or of the state.

    Returns:
        How many states were expanded.
    """
    bits, now, following, distances = sets
    batch, stack, chosen = memory
    depth, most, size, check_up_to, choose_up_to = how
    done, stacked, top = 0, ZERO, np.int64(1)  # a constant would have `expand` compiled twice
    last = rows.size - most
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
            here.bound = 0
            unindex(tables, number, here)
            here.cost = 0
            done += 1
            mix = hash_of_id(number)
            if mix <= check_up_to:
                if np.uint64(index_far(tables, here)) != number:
                    flags[UNLIKE], flags[UNLIKE + CULPRIT] = 1, number
                    return done
                if mix <= choose_up_to:
                    choose(chosen, number)
            if distances.size:
                place = np.uint64(entry(tables, number))
                if place >= np.uint64(distances.size):
                    flags[OUTSIDE], flags[OUTSIDE + CULPRIT] = 1, number
                    return done
                if distances[place] == UNREACHED:
                    distances[place] = depth
            if solved(tables, here):
                flags[SOLVED] = 1
            new = expand(tables, here, NO_LIMIT, rows, top)
            if new > top + most:
                flags[CROWDED] = 1
                return done
            if has_cost:
                child = top
                while child < new:
                    if rows[child].cost > 1:
                        flags[COSTLY] = 1
                        return done
                    if rows[child].cost == 1:
                        child += 1
                        continue
                    flags[FREE] = 1
                    other = np.uint64(index(tables, rows[child]))
                    if other >= size:
                        flags[BEYOND], flags[BEYOND + CULPRIT] = 1, other
                        return done
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
            if top > last:
                for row in range(1, top):  # a loop of its own, so that the compiler can vectorise it
                    batch[row] = index(tables, rows[row])
                if not add_to(bits, following, batch, top, size, flags):
                    return done
                top = np.int64(1)
    for row in range(1, top):  # a loop of its own, so that the compiler can vectorise it
        batch[row] = index(tables, rows[row])
    add_to(bits, following, batch, top, size, flags)
    return done


def add_to(bits: Any, following: Any, batch: Any, end: Any, size: Any, flags: Any) -> Any:
    """Add the states from `batch[1]` on to the next frontier; return False, and add none, if a number is too large."""
    greatest = ZERO
    for row in range(1, end):
        greatest = max(greatest, batch[row])
    if greatest >= size:
        flags[BEYOND], flags[BEYOND + CULPRIT] = 1, greatest
        return False
    for row in range(1, end):
        prefetch(bits, (batch[row] >> SIX) * SETS)
    for row in range(1, end):
        place, bit = (batch[row] >> SIX) * SETS, ONE << (batch[row] & LOW)
        if (bits[place] | bits[place + following]) & bit == ZERO:  # checking first saves nearly every atomic write
            atomic_or(bits, place + following, bit)
    return True


def close_words(bits: Any, following: Any, first: Any, end: Any) -> Any:
    """Remove the visited states from some words of the next frontier, and mark the rest as visited.

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
    """Write the numbers of a set's states, ascending.

    Args:
        bits: see `expand_words`.
        chosen: which of the SETS, uint64.
        numbers: uint64[states of the set], written.
    """
    place = 0
    for word in range(np.uint64(bits.size) // SETS):
        left = bits[word * SETS + chosen]
        while left != ZERO:
            numbers[place] = word << SIX | np.uint64(trailing_zeros(left))
            left &= left - ONE
            place += 1


def itself(tables: Any, number: Any) -> Any:
    """Return the number: the rule `entry` of a puzzle without one."""
    return number
