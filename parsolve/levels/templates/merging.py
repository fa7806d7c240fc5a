"""Delayed duplicate detection: merge the chains of a level, each key once, without keys of older levels.

Counts are added; if entries have costs, only those at the least cost. Without a payload a known key is dropped.
"""

from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import HALF, hash_words, store_words
from parsolve.compiler.marks import inlined, never_inline
from parsolve.levels.templates.blocks import (
    BLOCK,
    HIGHEST,
    LOG,
    Blocks,
    Form,
    add_count,
    before_of,
    fetch_blocks,
    is_full,
    last_of,
    level_size,
    open_block,
    release_chains,
    words_in,
)

TALLY = np.dtype([(name, "i8") for name in ("next", "last", "facing", "widest", "room", "table", "scratch")])
"""Where merging stands: the bucket to continue with, and the one after the last; the number of entries that face
others; the maximum words of an entry; and after a pause, the blocks for which `own` needs room, and the words that
`table` and `scratch` need."""

NUMBER = np.uint64((1 << 32) - 1)
"""The bits of a table's word for the number of an entry; the others are of the hash."""

KNOWN, MET, SHARED = (np.uint64(each) for each in range(3))
"""The marks of keys: known from an older level, met in this one alone, and shared with the other end's."""

TAG = np.uint64(20)


class Others(NamedTuple):
    """Other levels with which some are merged."""

    older: np.ndarray[Any, Any]  # int64[n, buckets]: chains whose keys are left out; for keys alone also `new`
    forgotten: "KeyTable"  # further keys that are left out, of forgotten levels
    facing: np.ndarray[Any, Any]  # int64[n, any power of 2]: chains of a level of a search from the other end
    least: Any  # MET, or SHARED if only keys are kept that are in the latter as well


class KeyTable(NamedTuple):
    """Keys by hash: those of a bucket, with their entries; or those of forgotten levels."""

    table: np.ndarray[Any, Any]  # uint64[any]: their numbers, from 1 on, and some of their hashes; 0 in a free place
    places: int  # it has 2^places of them
    scratch: np.ndarray[Any, Any]  # uint64[any]: the entries, each of which begins with its key
    stride: int  # words of each; one more than any has if counts are added
    number: int  # of entries


def merge_buckets(
    blocks: Blocks, others: Others, sets: Any, new: Any, own: Any, scratches: Any, tallies: Any, form: Form, bits: Any
) -> Any:
    """Merge buckets, from `next` to before `last`; pause before one for which there is too little room.

    Args:
        sets: int64[n, buckets]: chains, which have no entry afterwards.
        new: int64[buckets]: chains, added to; without an entry, unless they are among the others.
        own: see `templates.blocks`.
        scratches: of this thread: the `table` and the `scratch` of `KeyTable`, and after its entries the marks.
        tallies: TALLY[1].

    Returns:
        False if the pool has too few blocks.
    """
    table, scratch = scratches
    facing, tally = others.facing, tallies[0]
    for bucket in range(tally.next, tally.last):
        tally.next = bucket
        entries, number, widest = level_size(blocks, sets[:, bucket : bucket + 1])
        if entries == 0:
            continue
        stride = widest + (form.bits > 0)
        places = 4
        while 1 << places < 3 * entries:
            places += 1
        if 1 << places > table.size or entries * (stride + 1) > scratch.size:
            tally.table, tally.scratch, tally.room = 1 << places, entries * (stride + 1), 0
            return True
        for place in range(1 << places):
            table[place] = ZERO
        there = collect(blocks, sets, bucket, KeyTable(table, places, scratch, stride, 0), form, bits)
        marks = scratch[there * stride : there * (stride + 1)]
        marks[:] = MET
        keys = KeyTable(table, places, scratch, stride, there)
        left = there - mark(blocks, others.older[:, bucket : bucket + 1], keys, marks, KNOWN, form, bits)
        left -= mark_known(others.forgotten, keys, marks, form.like)
        chains = facing[:, bucket * facing.shape[1] >> bits : -(-(bucket + 1) * facing.shape[1] >> bits)]
        shared = mark(blocks, chains, keys, marks, SHARED, form, bits)
        if others.least == SHARED:
            left = shared
        width = widest_of(keys, marks, form.head, form.bits)
        wanted = -(-left // (BLOCK // width)) - number + (others.older.shape[0] > 0)
        if max(own[0], wanted) + number >= own.size:
            tally.table, tally.scratch, tally.room = 0, 0, max(own[0], wanted) + number + 1
            return True
        if not fetch_blocks(blocks, own, wanted):
            return False
        release_chains(blocks, sets[:, bucket], own, 0)
        new[bucket] = write(blocks, own, np.int64(new[bucket]), keys, marks, width, others.least, form.like)
        tally.facing += shared
        tally.widest = max(tally.widest, width)
    tally.next = tally.last
    return True


@inlined
def place_in(keys: KeyTable, mix: Any, key_words: Any) -> Any:
    """Return the place of a key with a hash in the table, or a free one for it."""
    table, places = keys.table, np.uint64(keys.places)
    place, mask = mix >> (HIGHEST + ONE - places), (ONE << places) - ONE
    while table[place] != ZERO:
        entry = ((table[place] & NUMBER) - ONE) * np.uint64(keys.stride)
        if table[place] & ~NUMBER == tag_of(mix) and words_in(keys.scratch, entry, key_words) == key_words:
            break
        place = (place + ONE) & mask
    return place


@inlined
def tag_of(mix: Any) -> Any:
    """Return the bits of a hash that a table has."""
    return mix << TAG >> HALF << HALF


def collect(blocks: Blocks, sets: Any, bucket: Any, keys: KeyTable, form: Form, bits: Any) -> Any:
    """Collect the entries of a bucket in an empty table, each key once; return their number."""
    words, there, table, scratch, stride = blocks.words, np.int64(0), keys.table, keys.scratch, keys.stride
    for number in range(sets.shape[0]):
        block, used = last_of(sets[number, bucket])
        while block >= 0:
            width = np.int64(blocks.width[block])
            start = block << LOG
            for at in range(start, start + used, width):
                key_words = words_in(words, at, form.like)
                mix = hash_words(key_words) << np.uint64(bits)
                place = place_in(keys, mix, key_words)
                to = (np.int64(table[place] & NUMBER) - 1) * stride
                if table[place] == ZERO:
                    to = there * stride
                    there += 1
                    table[place] = tag_of(mix) | np.uint64(there)
                    store_words(scratch, np.uint64(to), key_words)
                    if stride > len(key_words):
                        copy(scratch, to, stride, words, at, width, len(key_words))
                elif width > len(form.like):
                    combine(scratch, to, stride, words, at, width, form)
            block, used = before_of(blocks, block)
    return there


def copy(scratch: Any, to: Any, stride: Any, words: Any, at: Any, width: Any, first: Any) -> Any:
    """Copy the words of an entry from a number on, and fill the others with 0; inlined, it slows keys alone."""
    never_inline()
    for word in range(first, width):
        scratch[to + word] = words[at + word]
    for word in range(width, stride):
        scratch[to + word] = ZERO


def combine(scratch: Any, to: Any, stride: Any, words: Any, at: Any, width: Any, form: Form) -> Any:
    """Merge an entry into one of the same key: only the least cost counts."""
    never_inline()
    head, cost = form.head, len(form.like)
    if form.costs and words[at + cost] > scratch[to + cost]:
        return
    if form.costs and words[at + cost] < scratch[to + cost]:
        copy(scratch, to, stride, words, at, width, cost)
        return
    add_count(scratch, to + head, stride - head, words, at + head, width - head, form.bits)


def mark(blocks: Blocks, ends: Any, keys: KeyTable, marks: Any, new: Any, form: Form, bits: Any) -> Any:
    """Mark the entries that are in some chains, int64[n, m], and are not marked yet; return how many."""
    table, number = keys.table, np.int64(0)
    for each in range(ends.shape[0]):
        for chain in range(ends.shape[1]):
            block, used = last_of(ends[each, chain])
            while block >= 0:
                start = block << LOG
                for at in range(start, start + used, np.int64(blocks.width[block])):
                    key_words = words_in(blocks.words, at, form.like)
                    mix = hash_words(key_words) << np.uint64(bits)
                    place = place_in(keys, mix, key_words)
                    if table[place] != ZERO:
                        entry = (table[place] & NUMBER) - ONE
                        if marks[entry] == MET:
                            marks[entry] = new
                            number += 1
                block, used = before_of(blocks, block)
    return number


def mark_known(forgotten: KeyTable, keys: KeyTable, marks: Any, like: Any) -> Any:
    """Mark the entries whose keys are of forgotten levels as known, if they are not marked yet; return how many."""
    number = np.int64(0)
    for entry in range(keys.number if forgotten.places > 0 else 0):
        key_words = words_in(keys.scratch, entry * keys.stride, like)
        place = place_in(forgotten, hash_words(key_words), key_words)
        if forgotten.table[place] != ZERO and marks[entry] == MET:
            marks[entry] = KNOWN
            number += 1
    return number


def add_keys(keys: KeyTable, first: Any, like: Any) -> Any:
    """Put keys, from the number `first` on, into their table."""
    for number in range(first, keys.number):
        key_words = words_in(keys.scratch, number * keys.stride, like)
        mix = hash_words(key_words)
        place = place_in(keys, mix, key_words)
        keys.table[place] = tag_of(mix) | np.uint64(number + 1)


def widest_of(keys: KeyTable, marks: Any, head: Any, bits: Any) -> Any:
    """Return the number of words that the entry with the greatest count needs, of those that are not known."""
    width = keys.stride
    while bits > 0 and width > head + 1:
        some = ZERO
        for number in range(keys.number):
            if marks[number] >= MET:
                some |= keys.scratch[number * keys.stride + width - 1]
        if some != ZERO:
            break
        width -= 1
    return width


def write(blocks: Blocks, own: Any, at: Any, keys: KeyTable, marks: Any, width: Any, least: Any, like: Any) -> Any:
    """Write the entries that have at least a mark into a chain, `width` words each, and return its end."""
    scratch, stride = keys.scratch, keys.stride
    for number in range(keys.number):
        if marks[number] >= least:
            if is_full(at, width):
                at = open_block(blocks, own, at, width)
            store_words(blocks.words, np.uint64(at), words_in(scratch, number * stride, like))
            for word in range(len(like), width):
                blocks.words[at + word] = scratch[number * stride + word]
            at += width
    return at
