"""Expand the entries of a level: templates that `CompiledRules` specialises for a puzzle's rules.

An entry is a key and, depending on the search, a payload: the least cost at which its state is reached, its row where
there is no way back from a key, the number of ways to it, or several of these. Entries are taken from their chains one
after another. Each child is written, with its parent's count, into a chain of its own level, of the expanding thread.
When that level is next, its chains are merged; see `templates.merging`.

If ways are counted, a solved child is counted without becoming an entry. Otherwise it becomes an entry as well, and is
recognised as solved when it is expanded, once for each state.

If moves may lead back, a state's level is its cost, and its number of moves at that cost: later levels are merged with
the expanded ones, whose entries stay.

`expand`, `expand_far`, `solved`, `key`, `key_far`, `unkey`, `level`, `level_of`, `digest`, `has_cost`, `counted`,
`costed`, `shortest` and `rowed` are injected.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.atomics import prefetch
from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import SPREAD, choose, folded, hash_of_id, hash_words, hashed, key_of, store_words, words_of
from parsolve.compiler.marks import injected, inlined
from parsolve.levels.templates.blocks import (
    LOG,
    Blocks,
    Form,
    add_count,
    before_of,
    bucket_of,
    end_at,
    fetch_blocks,
    is_full,
    keep_block,
    last_of,
    open_block,
    words_in,
)
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand, expand_far, has_cost, key, solved

TALLY = np.dtype([(name, "i8") for name in ("next", "last", "expanded", "levels", "best", "solved", "fault", "where")])
"""Where an expansion stands: the bucket to continue with, and the one after the last; the number of expanded entries;
the number of levels of children; the least cost of solved children; whether an entry is solved; the error, and the
level or the key where it is."""

# The errors: none; too many children; a cost that falls; a level that does not rise; the state of a key has another
# key; the state of a key has other moves than a state with that key.
RIGHT, CROWDED, FALLS, LEVEL, UNKEYED, UNLIKE = range(6)

# Reasons for a pause of an expansion: it is finished; blocks, room for empty blocks, or levels of children are used up.
DONE, SHORT, FULL, MANY = range(4)

BATCH = 16
"""Blocks that a thread takes from the pool at once, in addition to those that one entry may need."""

LINE = 8
"""Words of a cache line."""

FREE_BITS = 24
"""Bits of a level by cost for the number of moves without cost before a state."""


def cost_of(number: int) -> int:
    """Return the cost of a level by its number."""
    return number >> FREE_BITS


def first_of(cost: int) -> int:
    """Return the number of the first level of a cost."""
    return cost << FREE_BITS


class Scratch(NamedTuple):
    """What a thread has besides its rows."""

    flat: np.ndarray[Any, Any]  # uint8[any]: their bytes
    spare: np.ndarray[Any, Any]  # record[2 + most, and what an expansion may overrun]


class Children(NamedTuple):
    """The children written by a thread."""

    levels: np.ndarray[Any, Any]  # int64[m]: their levels, in no order
    sizes: np.ndarray[Any, Any]  # int64[m]: the number of children in each
    ends: np.ndarray[Any, Any]  # int64[m * buckets]: their chains, by level and bucket


class Found(NamedTuple):
    """Results of a thread."""

    total: np.ndarray[Any, Any]  # uint64[words]: the sum of the counts of solved children, at the least of their costs
    below: np.ndarray[Any, Any]  # uint32[n], or uint32[0]: the number of solved children, by the count of their parent
    chosen: np.ndarray[Any, Any]  # uint64[any]: see `keys.choose`


class Asked(NamedTuple):
    """How to expand a level."""

    form: Form
    bits: int  # bits of a bucket's number
    counts: int  # words of a child's count, as many as any entry has; 0 if nothing is counted
    now: int  # the level
    limit: int  # children that cost more are dropped
    most: int  # maximum number of children of a state
    check_up_to: Any  # uint64: a key with at most this hash is compared with that of the state made from it
    choose_up_to: Any  # uint64: of these, keys with at most this hash are written into `chosen`; not for rising levels
    past: bool  # whether solved entries are expanded too
    stay: bool  # whether the blocks of expanded entries stay in use


key_far: Callable[..., Any] = injected("key_far")
unkey: Callable[..., Any] = injected("unkey")
level: Callable[..., Any] = injected("level")
level_of: Callable[..., Any] = injected("level_of")
digest: Callable[..., Any] = injected("digest")
fault_of_key: Callable[..., Any] = injected("fault_of_key")
counted: bool = injected("counted")  # whether ways are counted
costed: bool = injected("costed")  # whether entries have a cost
shortest: bool = injected("shortest")  # whether a level is a cost, and then moves without cost
rowed: bool = injected("rowed")  # whether entries have their rows


def expand_entries(
    tables: Any,
    rows: Any,
    scratch: Scratch,
    blocks: Blocks,
    ends: Any,
    out: Children,
    own: Any,
    tallies: Any,
    found: Found,
    asked: Asked,
) -> Any:
    """Expand the entries of some buckets of a level, and take them from their chains.

    Args:
        tables: the puzzle's lookups.
        rows: record[2 + most, and what an expansion may overrun].
        scratch, out: of this thread, as `rows`; the open chains of `out` have entries as wide as the new ones.
        own: see `templates.blocks`.
        ends: int64[buckets]: the level's chains, whose blocks become the thread's own unless they stay.
        tallies: TALLY[1].
        found: added to. If solutions differ in cost, only children of the cost `best` are counted.

    Returns:
        Why it has paused, see above. Each entry was expanded as a whole or not at all, unless there is a fault.
    """
    form, bits, counts, now, limit, most, check_up_to, choose_up_to, past, stay = asked
    words, count_bits = len(form.like), form.bits
    head = form.head if rowed else words + (1 if costed else 0)
    at_row, row_size = 8 * (words + (1 if costed else 0)), rows.itemsize
    flat, spare = scratch
    octets = blocks.words.view(np.uint8) if rowed else flat
    width = head + counts if counted else head  # a compile-time constant if possible
    pool, by_cost = blocks.words, shortest and (counted or has_cost)
    here, tally = rows[0], tallies[0]
    levels, expanded = tally.levels, tally.expanded
    for bucket in range(tally.next, tally.last):
        block, used = last_of(ends[bucket])
        while block >= 0:
            start = block << LOG
            own_width = np.int64(blocks.width[block]) if counted else np.int64(head)
            entry = start + used
            while entry > start:
                why = DONE
                if own[0] < most and not fetch_blocks(blocks, own, most + BATCH) and own[0] < most:
                    why = SHORT
                elif own[0] + most + BATCH + 2 > own.size:
                    why = FULL
                elif levels + most > out.levels.size:
                    why = MANY
                if why != DONE:
                    ends[bucket] = end_at(block, entry - start)
                    tally.next, tally.expanded, tally.levels = bucket, expanded, levels
                    return why
                entry -= own_width
                expanded += 1
                if rowed:
                    copy_bytes(flat, 0, octets, 8 * entry + at_row, row_size)
                else:
                    here.bound = 0
                    key_words = words_in(pool, entry, form.like)
                    unkey(tables, key_of(key_words), here)
                    here.cost = pool[entry + words] if costed else np.uint64(now >> FREE_BITS) if by_cost else ZERO
                if not rowed and shortest:
                    mix = hash_of_id(folded(key_words))
                    if mix <= check_up_to:
                        if words_of(key_far(tables, here)) != key_words:
                            tally.fault, tally.where = UNKEYED, np.int64(key_words[0])
                            return DONE
                        if mix <= choose_up_to:
                            choose(found.chosen, key_words[0])
                if not counted and solved(tables, here):
                    tally.solved = 1
                    if not past:
                        continue
                top = expand(tables, here, limit, rows, 1)
                if top > most + 1:
                    tally.fault = CROWDED
                    return DONE
                for child in range(1, top):
                    row = rows[child]
                    if (costed or by_cost) and row.cost < here.cost:
                        tally.fault = FALLS
                        return DONE
                    if counted and solved(tables, row):
                        if not has_cost or row.cost <= tally.best:
                            count_solved(found, tally, row, has_cost, pool, entry + head, own_width - head, count_bits)
                        continue
                    if shortest and row.cost > tally.best:  # a move without cost may follow
                        continue
                    new, made = level_of(tables, row, now), words_of(key(tables, row))
                    fault = LEVEL if new <= now else RIGHT
                    if counted and not shortest and not rowed and hash_words(made) <= check_up_to and fault == RIGHT:
                        fault = fault_of_key(tables, made, row, spare)
                    if fault != RIGHT:
                        tally.fault, tally.where = fault, new
                        return DONE
                    to = bucket_of(hash_words(made), bits)
                    at, levels = place_for(blocks, own, out, levels, new, to, bits, width)
                    store_words(pool, np.uint64(at), made)
                    if costed:
                        pool[at + words] = row.cost
                    if rowed:
                        copy_bytes(octets, 8 * at + at_row, flat, child * row_size, row_size)
                    if counted:
                        for word in range(head, own_width):
                            pool[at + word] = pool[entry + word]
                        for word in range(own_width, width):
                            pool[at + word] = ZERO
                    prefetch(pool, np.uint64(at + width + LINE))  # for its next child, some thousand children later
            if not stay:
                keep_block(own, block)
            block, used = before_of(blocks, block)
            ends[bucket] = end_at(block, used)
    tally.next, tally.expanded, tally.levels = tally.last, expanded, levels
    return DONE


@inlined
def place_for(blocks: Blocks, own: Any, out: Children, levels: Any, new: Any, to: Any, bits: Any, width: Any) -> Any:
    """Return the place for a child of a level, `new`, in its bucket `to`; and the number of levels, with this one."""
    number = 0
    while number < levels and out.levels[number] != new:
        number += 1
    if number == levels:
        levels += 1
        out.levels[number], out.sizes[number] = new, 0
        out.ends[number << bits : levels << bits] = 0
    out.sizes[number] += 1
    chain = np.uint64((number << bits) + to)
    at = np.int64(out.ends[chain])
    if is_full(at, width):
        at = open_block(blocks, own, at, width)
    out.ends[chain] = at + width
    return at, levels


def count_solved(found: Found, tally: Any, row: Any, has_cost: Any, pool: Any, at: Any, words: Any, bits: Any) -> None:
    """Count a solved child: once for each way to its parent, whose count of some words is at a place of the pool."""
    if has_cost and row.cost < tally.best:
        tally.best = row.cost
        found.total[:] = ZERO
    if found.below.size > 0:
        found.below[np.int64(pool[at])] += np.uint32(1)
    add_count(found.total, 0, found.total.size, pool, at, words, bits)


def key_fault(tables: Any, made: Any, row: Any, spare: Any) -> Any:
    """Return the error of a child's key: its state has another one, or other moves than the child."""
    again = spare[0]
    again.bound = 0
    unkey(tables, key_of(made), again)
    again.cost = row.cost
    if words_of(key_far(tables, again)) != made:
        return UNKEYED
    return RIGHT if digest(tables, again, spare) == digest(tables, row, spare) else UNLIKE


def digest_state(tables: Any, here: Any, rows: Any) -> Any:
    """Return one word for the ways on from a state: uint64, equal for states with the same children.

    Args:
        tables: the puzzle's lookups.
        here: the state.
        rows: record[2 + most, and what an expansion may overrun]; the first is not changed.
    """
    if solved(tables, here):
        return ONE
    mix = np.uint64(np.int64(level(tables, here))) * SPREAD
    top = expand_far(tables, here, NO_LIMIT, rows, 1)
    for child in range(1, top):
        more = np.uint64(rows[child].cost) - np.uint64(here.cost)
        mix += hashed(folded(words_of(key_far(tables, rows[child]))), more)  # keys themselves may have equal sums
    return mix


def no_level(tables: Any, here: Any) -> Any:
    """Stands in for the rule `level` of a puzzle without one."""
    return 0


def no_way_back(tables: Any, key: Any, row: Any) -> Any:
    """Stands in for the rule `unkey` where entries have their rows."""


def level_by_rule(tables: Any, row: Any, now: Any) -> Any:
    """Return the level of a child of a state in the level `now`: by the rule `level`."""
    return np.int64(level(tables, row))


def level_by_steps(tables: Any, row: Any, now: Any) -> Any:
    """Return the next level."""
    return now + 1


def level_by_cost(tables: Any, row: Any, now: Any) -> Any:
    """Return the level by cost, and by the number of moves since it has risen."""
    return max(np.int64(row.cost) << FREE_BITS, now + 1)


def level_by_moves(tables: Any, row: Any, now: Any) -> Any:
    """Return the next cost, where moves have none: each counts as one."""
    return ((now >> FREE_BITS) + 1) << FREE_BITS


@inlined
def copy_bytes(to: Any, at: Any, source: Any, start: Any, size: Any) -> Any:
    """Copy some bytes, uint8[any], from one array to another."""
    for byte in range(size):
        to[at + byte] = source[start + byte]
