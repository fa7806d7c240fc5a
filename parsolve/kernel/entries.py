"""Count by what is left to do: templates that `compile` specialises for a puzzle's rules.

A layer holds entries: a key; where solutions differ in cost, the least cost at which its state is reached; and in how
many ways it is. They lie in hash tables, uint64[2^k * words of an entry], with open addressing. A count is one or
several words of `bits` bits each, the lowest first; a place whose count is 0 is free.

A layer is made in two passes. In the first each thread expands some places of a layer and writes the children down, in
chains by level and part; a key's hash says which part it belongs to. In the second a thread takes one part of one level
from the chains of all threads, so that none of them shares a table. Entries that leave their table, to a file or a
journal, are packed: no place between them is free, and those of a bucket lie together; a hash says which one.

`expand`, `expand_far`, `solved`, `key`, `key_far`, `unkey`, `level`, `leveled`, `digest` and `watch` are injected by
`compile`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.kernel.atomics import prefetch
from parsolve.kernel.keys import equal_words, hash_at, hashed, key_in, mixed, store_words, words_of
from parsolve.kernel.marks import inlined
from parsolve.kernel.sampling import SPREAD
from parsolve.kernel.search import NO_LIMIT, ONE, ZERO

NONE = -1
"""The end of a chain."""

MOST_LEVELS = 64
"""Levels of children after which an expansion pauses."""

# The places of `tally`, int64[TALLY]: the place to continue with; how many entries were expanded; how many children
# there are; of how many levels; the least cost of those that are solved; what is wrong, and the level where it is.
NEXT, EXPANDED, WRITTEN, LEVELS, BEST, FAULT, WHERE = range(7)
TALLY = 7

# What may be wrong: nothing; too many children; a cost that falls; a level that does not rise; the state of a key has
# another key; the state of a key can be continued in other ways than one that has it.
RIGHT, CROWDED, FALLS, LEVEL, UNKEYED, UNLIKE = range(6)

# What has happened to an entry that was put into a table: its count was added; it is a new one there; or nothing has
# changed, because the table is full, or because a sum needs another word.
ADDED, NEW, FULL, WIDER = range(4)

PART = np.uint64(40)
"""The lowest bit of a hash that says which part a key belongs to; those below choose the place in a table."""

BUCKET = np.uint64(56)
"""The lowest bit of a hash that says which bucket of packed entries a key belongs to."""

BUCKETS = 256


class Children(NamedTuple):
    """The children that one expansion has written down."""

    keys: np.ndarray[Any, Any]  # uint64[n * words]
    costs: np.ndarray[Any, Any]  # uint32[n]
    parents: np.ndarray[Any, Any]  # int64[n]: where the parent's entry begins
    link: np.ndarray[Any, Any]  # int32[n]: the next child of the same level and part
    levels: np.ndarray[Any, Any]  # int64[m]: the levels of the children, in no order
    heads: np.ndarray[Any, Any]  # int32[m * parts]: by level and part, the first child
    lengths: np.ndarray[Any, Any]  # int32[m * parts]: and how many they are


expand: Callable[..., Any]
expand_far: Callable[..., Any]
solved: Callable[..., Any]
key: Callable[..., Any]
key_far: Callable[..., Any]
unkey: Callable[..., Any]
level: Callable[..., Any]
digest: Callable[..., Any]
leveled: bool  # whether the puzzle gives a level
watch: bool  # whether solutions differ in cost


def expand_entries(
    tables: Any,
    rows: Any,
    spare: Any,
    entries: Any,
    children: Any,
    tally: Any,
    found: Any,
    ends: Any,
    like: Any,
    end: Any,
    counts: Any,
    bits: Any,
    room: Any,
    parts: Any,
    now: Any,
    limit: Any,
    most: Any,
    sampled: Any,
) -> Any:
    """Expand the entries of a table from place NEXT on, until all are expanded or there is no room for more children.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + most, and what an expansion may overrun], of this thread.
        spare: record[2 + most, and what an expansion may overrun], of this thread.
        entries: uint64[places * words of an entry].
        children: `Children`, written.
        tally: see above.
        found: uint64[words]: the number of solutions among the children is added; where solutions differ in cost, of
            those that cost BEST.
        ends: uint32[places], to which the number of each entry's children that are solved is added; or uint32[0].
        like: any key, as a tuple: its length is known when this is compiled.
        end: the last place, and one more.
        counts: words of a count in `entries`.
        bits: of a word.
        room: children after which it pauses.
        parts: of a level, a power of 2.
        now: the level.
        limit: children that cost more are of no use.
        most: the most children of a state.
        sampled: the greatest hash of a key whose state is compared with that of `unkey`.
    """
    words = len(like)
    head = words + (1 if watch else 0)
    size = head + counts
    written, levels, expanded = tally[WRITTEN], tally[LEVELS], tally[EXPANDED]
    place = tally[NEXT]
    here = rows[0]
    while place < end and written <= room and levels <= MOST_LEVELS:
        at = place * size
        place += 1
        if is_free(entries, at + head, counts):
            continue
        expanded += 1
        here.bound = 0
        unkey(tables, key_in(entries, at, like), here)
        here.cost = entries[at + words] if watch else ZERO
        top = expand(tables, here, limit, rows, 1)
        if top > most + 1:
            tally[FAULT] = CROWDED
            return
        for child in range(1, top):
            row = rows[child]
            if watch and row.cost < here.cost:
                tally[FAULT] = FALLS
                return
            if solved(tables, row):
                if watch:
                    if row.cost > tally[BEST]:
                        continue
                    if row.cost < tally[BEST]:
                        tally[BEST] = row.cost
                        found[:] = ZERO
                if ends.size > 0:
                    ends[place - 1] += np.uint32(1)
                add_count(found, 0, found.size, entries, at + head, counts, bits)
                continue
            new = now + 1
            if leveled:
                new = np.int64(level(tables, row))
                if new <= now:
                    tally[FAULT], tally[WHERE] = LEVEL, new
                    return
            made = words_of(key(tables, row))
            store_words(children.keys, np.uint64(written) * np.uint64(words), made)
            mix = hash_at(children.keys, written * words, like)
            if mix <= sampled:
                again = spare[0]
                again.bound = 0
                unkey(tables, key_in(children.keys, written * words, like), again)
                again.cost = row.cost
                if not equal_words(children.keys, np.uint64(written * words), words_of(key_far(tables, again))):
                    tally[FAULT], tally[WHERE] = UNKEYED, new
                    return
                if digest(tables, again, spare) != digest(tables, row, spare):
                    tally[FAULT], tally[WHERE] = UNLIKE, new
                    return
            number = 0
            while number < levels and children.levels[number] != new:
                number += 1
            if number == levels:
                levels += 1
                children.levels[number] = new
                for part in range(parts):
                    children.heads[number * parts + part] = NONE
                    children.lengths[number * parts + part] = 0
            chain = number * parts + part_of(mix, parts)
            children.costs[written], children.parents[written] = row.cost, at
            children.link[written] = children.heads[chain]
            children.heads[chain] = written
            children.lengths[chain] += 1
            written += 1
    tally[NEXT], tally[EXPANDED], tally[WRITTEN], tally[LEVELS] = place, expanded, written, levels


def digest_state(tables: Any, here: Any, rows: Any) -> Any:
    """Return one word that says how a state can be continued: uint64, equal for two with the same children.

    Args:
        tables: the puzzle's lookups.
        here: the state.
        rows: record[2 + most, and what an expansion may overrun]; the first is left as it is.
    """
    if solved(tables, here):
        return ONE
    mix = np.uint64(np.int64(level(tables, here))) * SPREAD
    top = expand_far(tables, here, NO_LIMIT, rows, 1)
    for child in range(1, top):
        more = np.uint64(rows[child].cost) - np.uint64(here.cost)
        mix += hashed(mixed(words_of(key_far(tables, rows[child]))), more)  # keys themselves may have one sum
    return mix


def no_level(tables: Any, here: Any) -> Any:
    """Stand in for the rule `level` of a puzzle that has none."""
    return 0


def merge_children(
    entries: Any,
    children: Any,
    parents: Any,
    run: Any,
    like: Any,
    head: Any,
    counts: Any,
    parent_counts: Any,
    bits: Any,
    most: Any,
) -> Any:
    """Merge a chain of children into a table.

    Args:
        entries: uint64[2^k * words of an entry].
        children: `Children`.
        parents: uint64[...]: the table in which their parents are.
        run: int64[2]: the child to continue with, NONE at the end; and how many entries the table has.
        like: any key, as a tuple: its length is known when this is compiled.
        head: words of an entry before its count: those of its key, and one more if it has a cost.
        counts: words of a count in `entries`, at least those in `parents`.
        parent_counts: words of a count in `parents`.
        bits: of a word.
        most: entries that the table may have.

    Returns:
        FULL or WIDER where it has stopped; ADDED if all are merged.
    """
    words = len(like)
    size = head + counts
    mask = np.uint64(entries.size // size - 1)
    child = run[0]
    while child != NONE:
        following = np.int64(children.link[child])
        if following != NONE:
            ahead = hash_at(children.keys, following * words, like) & mask
            prefetch(entries, ahead * np.uint64(size))
        at = child * words
        place = hash_at(children.keys, at, like) & mask
        cost, start = np.uint64(children.costs[child]), np.int64(children.parents[child]) + head
        full = run[1] >= most
        came = put(
            entries, place, children.keys, at, cost, parents, start, parent_counts, like, head, counts, bits, full
        )
        if came >= FULL:
            run[0] = child
            return came
        run[1] += came
        child = following
    run[0] = NONE
    return ADDED


def merge_entries(
    entries: Any,
    others: Any,
    run: Any,
    like: Any,
    head: Any,
    counts: Any,
    other_counts: Any,
    bits: Any,
    most: Any,
    part: Any,
    parts: Any,
) -> Any:
    """Merge the entries of one part of another table, or packed ones, into a table.

    Args:
        entries, like, head, counts, bits, most: see `merge_children`.
        others: uint64[places * words of an entry].
        run: int64[2]: the place to continue with; and how many entries the table has.
        other_counts: words of a count in `others`, at most those in `entries`.
        part, parts: which one, and of how many, a power of 2.

    Returns:
        See `merge_children`.
    """
    words = len(like)
    size, other_size = head + counts, head + other_counts
    mask = np.uint64(entries.size // size - 1)
    for number in range(run[0], others.size // other_size):
        at = number * other_size
        mix = hash_at(others, at, like)
        if part_of(mix, parts) != part or is_free(others, at + head, other_counts):
            continue
        cost = others[at + words] if head > words else ZERO
        full = run[1] >= most
        came = put(
            entries, mix & mask, others, at, cost, others, at + head, other_counts, like, head, counts, bits, full
        )
        if came >= FULL:
            run[0] = number
            return came
        run[1] += came
    return ADDED


@inlined
def put(
    entries: Any,
    place: Any,
    keys: Any,
    key_at: Any,
    cost: Any,
    others: Any,
    start: Any,
    other_counts: Any,
    like: Any,
    head: Any,
    counts: Any,
    bits: Any,
    full: Any,
) -> Any:
    """Put an entry into a table, or add it to that of its key; the least cost stays.

    Args:
        entries, like, head, counts, bits: see `merge_children`.
        place: the first where it may be, by its hash.
        keys, key_at: where its key begins.
        cost: uint64, its own; not looked at where entries have none.
        others, start, other_counts: where its count begins, and how many words it has.
        full: whether the table has no room for a new one.

    Returns:
        ADDED, NEW, FULL or WIDER.
    """
    words = len(like)
    size = head + counts
    mask = np.uint64(entries.size // size - 1)
    at = np.int64(place) * size
    while not is_free(entries, at + head, counts):
        if same_words(entries, at, keys, key_at, like):
            if head > words and cost > entries[at + words]:
                return ADDED
            if head > words and cost < entries[at + words]:
                entries[at + words] = cost
                copy_count(entries, at + head, counts, others, start, other_counts)
                return ADDED
            added = add_count(entries, at + head, counts, others, start, other_counts, bits)
            return ADDED if added else WIDER
        place = (place + ONE) & mask
        at = np.int64(place) * size
    if full:
        return FULL
    for word in range(words):
        entries[at + word] = keys[key_at + word]
    if head > words:
        entries[at + words] = cost
    copy_count(entries, at + head, counts, others, start, other_counts)
    return NEW


def pack_entries(
    entries: Any, first: Any, end: Any, packed: Any, starts: Any, like: Any, head: Any, counts: Any
) -> Any:
    """Pack the entries in some places of a table.

    Args:
        entries, like, head, counts: see `merge_children`.
        first, end: the places.
        packed: uint64[entries * words of an entry], written, by bucket.
        starts: int64[BUCKETS + 1], zeros: by bucket, which entry is the first; and how many they are.
    """
    size = head + counts
    for place in range(first, end):
        if not is_free(entries, place * size + head, counts):
            starts[bucket_of(hash_at(entries, place * size, like)) + 1] += 1
    for bucket in range(BUCKETS):
        starts[bucket + 1] += starts[bucket]
    following = starts.copy()
    for place in range(first, end):
        at = place * size
        if not is_free(entries, at + head, counts):
            bucket = bucket_of(hash_at(entries, at, like))
            to = following[bucket] * size
            following[bucket] += 1
            for word in range(size):
                packed[to + word] = entries[at + word]


@inlined
def bucket_of(mix: Any) -> Any:
    """Return which bucket of packed entries a key belongs to by its hash."""
    return np.int64(mix >> BUCKET)


@inlined
def part_of(mix: Any, parts: Any) -> Any:
    """Return which of some parts, a power of 2, a key belongs to by its hash."""
    return np.int64(mix >> PART & np.uint64(parts - 1))


@inlined
def same_words(array: Any, at: Any, others: Any, start: Any, like: Any) -> Any:
    """Return whether two arrays hold the same key from these places on; see `hash_at`."""
    same = True
    for number in range(len(like)):
        same &= array[at + number] == others[start + number]
    return same


@inlined
def is_free(entries: Any, at: Any, counts: Any) -> Any:
    """Return whether the count that begins at a word is 0."""
    some = entries[at]
    for word in range(1, counts):
        some |= entries[at + word]
    return some == ZERO


def copy_count(entries: Any, at: Any, counts: Any, others: Any, start: Any, other_counts: Any) -> Any:
    """Write a count, uint64[other_counts], into one of as many words or more."""
    for word in range(counts):
        entries[at + word] = others[start + word] if word < other_counts else ZERO


def add_count(entries: Any, at: Any, counts: Any, others: Any, start: Any, other_counts: Any, bits: Any) -> Any:
    """Add a count, uint64[other_counts], to one of as many words or more; return False, with nothing changed, if it
    might not fit."""
    full = (ONE << np.uint64(bits)) - ONE
    last = entries[at + counts - 1]
    if other_counts == counts:
        last += others[start + counts - 1]
    if last >= full:
        return False
    carry = ZERO
    for word in range(counts):
        total = entries[at + word] + carry
        if word < other_counts:
            total += others[start + word]
        entries[at + word] = total & full
        carry = total >> np.uint64(bits)
    return True
