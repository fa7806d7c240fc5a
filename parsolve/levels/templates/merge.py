"""Merge the chains of a level: each key once, without keys of older levels, with the combined payload of its entries.

Counts are added; if entries have costs, only those at the least cost. Without a payload a known key is dropped.
"""

from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import HALF
from parsolve.compiler.marks import inlined
from parsolve.levels.templates.blocks import (
    BLOCK,
    HIGHEST,
    LOG,
    add_count,
    before_of,
    bucket_size,
    has_blocks,
    hash_in,
    is_full,
    keep_block,
    last_of,
    open_block,
)

# The places of `tally`, int64[TALLY]: the bucket to continue with; the number of additional entries; the maximum words
# of an entry; and after a pause, the words that `table` and `scratch` need, and the blocks for which `own` has room.
NEXT, ENTRIES, WIDEST, TABLE, SCRATCH, ROOM = range(6)
TALLY = 6

NUMBER = np.uint64((1 << 32) - 1)
"""The bits of a table's word for the number of an entry; the others are of the hash."""

TAG = np.uint64(20)


def merge_buckets(
    blocks: Any,
    older: Any,
    sets: Any,
    new: Any,
    last: Any,
    own: Any,
    scratches: Any,
    tally: Any,
    form: Any,
    bits: Any,
) -> Any:
    """Merge buckets from NEXT to before `last`; pause before one for which there is too little room.

    Args:
        blocks: `Blocks`.
        older: int64[n, buckets]: the chains of the levels that have a key already if it is none of this level; and of
            this one, if entries are keys alone: `new`.
        sets: int64[n, buckets]: chains, which have no entry afterwards.
        new: int64[buckets]: chains, added to; without an entry, unless they are among `older`.
        own: see `templates.blocks`.
        scratches: of this thread. `table`, uint64[any]: hash tables of a bucket, whose words are the number of an entry
            in `scratch`, from 1 on, and some of its hash; 0 if free. `scratch`, uint64[any]: the entries of a bucket,
            with more words for sums.
        tally: see above.
        form: `templates.blocks.Form`.
        bits: bits of a bucket's number.

    Returns:
        False if the pool has too few blocks.
    """
    table, scratch = scratches
    head, more = form.head, form.more
    for bucket in range(tally[NEXT], last):
        tally[NEXT] = bucket
        entries, number, widest = bucket_size(blocks, sets, bucket)
        if entries == 0:
            continue
        known = bucket_size(blocks, older, bucket)[0]
        size = widest + more
        places = table_bits(known + entries)
        if 1 << places > table.size or (known + entries) * size > scratch.size:
            tally[TABLE], tally[SCRATCH], tally[ROOM] = 1 << places, (known + entries) * size, 0
            return True
        for place in range(1 << places):
            table[place] = ZERO
        known = collect(blocks, older, bucket, table, places, scratch, np.int64(0), size, form, bits)
        there = collect(blocks, sets, bucket, table, places, scratch, known, size, form, bits)
        width = widest_of(scratch, known, there, size, head, form.bits)
        wanted = -(-(there - known) // (BLOCK // width)) - number + (known > 0)
        if max(own[0], wanted) + number >= own.size:
            tally[TABLE], tally[SCRATCH], tally[ROOM] = 0, 0, max(own[0], wanted) + number + 1
            return True
        if not has_blocks(blocks, own, wanted):
            return False
        take_blocks(blocks, sets, bucket, own)
        write(blocks, own, new, bucket, scratch, known, there, size, width)
        tally[ENTRIES] += there - known
        tally[WIDEST] = max(tally[WIDEST], width)
    tally[NEXT] = last
    return True


@inlined
def take_blocks(blocks: Any, sets: Any, bucket: Any, own: Any) -> Any:
    """Give the blocks of a bucket to a thread, which has room for them."""
    for each in range(sets.shape[0]):
        block, _ = last_of(sets[each, bucket])
        while block >= 0:
            keep_block(own, block)
            block, _ = before_of(blocks, block)
        sets[each, bucket] = 0


def table_bits(entries: Any) -> Any:
    """Return k for a hash table of 2^k places, at most seven in eight of which the entries take."""
    places = 4
    while (1 << places) * 7 < entries * 8:
        places += 1
    return places


def collect(
    blocks: Any,
    sets: Any,
    bucket: Any,
    table: Any,
    places: Any,
    scratch: Any,
    there: Any,
    size: Any,
    form: Any,
    bits: Any,
) -> Any:
    """Collect the entries of a bucket in `scratch`, `size` words each, each key once; return their number.

    Args:
        places: the table takes 2^places words.
        there: number of present entries: with one of these no entry is merged if entries have no payload.
    """
    like = form.like
    words = blocks.words
    down, mask = HIGHEST + ONE - np.uint64(places), np.uint64((1 << places) - 1)
    for number in range(sets.shape[0]):
        block, used = last_of(sets[number, bucket])
        while block >= 0:
            width = np.int64(blocks.width[block])
            start = block << LOG
            for at in range(start, start + used, width):
                mix = hash_in(words, at, like, bits)
                place = mix >> down
                tag = mix << TAG >> HALF << HALF
                while True:
                    known = table[place]
                    if known == ZERO:
                        there += 1
                        table[place] = tag | np.uint64(there)
                        to = (there - 1) * size
                        for word in range(width):
                            scratch[to + word] = words[at + word]
                        for word in range(width, size):
                            scratch[to + word] = ZERO
                        break
                    if known & ~NUMBER == tag:
                        to = (np.int64(known & NUMBER) - 1) * size
                        same = True
                        for word in range(len(like)):
                            same &= scratch[to + word] == words[at + word]
                        if same:
                            if width > len(like):
                                combine(scratch, to, size, words, at, width, form)
                            break
                    place = (place + ONE) & mask
            block, used = before_of(blocks, block)
    return there


@inlined
def combine(scratch: Any, to: Any, size: Any, words: Any, at: Any, width: Any, form: Any) -> Any:
    """Merge an entry into one of the same key: only the least cost counts."""
    head, cost = form.head, len(form.like)
    if form.costs and words[at + cost] > scratch[to + cost]:
        return
    if form.costs and words[at + cost] < scratch[to + cost]:
        for word in range(cost, width):
            scratch[to + word] = words[at + word]
        for word in range(width, size):
            scratch[to + word] = ZERO
        return
    add_count(scratch, to + head, size - head, words, at + head, width - head, form.bits)


def widest_of(scratch: Any, first: Any, there: Any, size: Any, head: Any, bits: Any) -> Any:
    """Return the number of words that the entry with the greatest count needs, from the entry `first` on."""
    if bits == 0:
        return size
    width = size
    while width > head + 1:
        some = ZERO
        for number in range(first, there):
            some |= scratch[number * size + width - 1]
        if some != ZERO:
            break
        width -= 1
    return width


def write(
    blocks: Any, own: Any, new: Any, bucket: Any, scratch: Any, first: Any, there: Any, size: Any, width: Any
) -> Any:
    """Write the entries of a bucket from `first` on into a chain, `width` words each."""
    words, at = blocks.words, np.int64(new[bucket])
    for number in range(first, there):
        if is_full(at, width):
            at = open_block(blocks, own, at, width)
        for word in range(width):
            words[at + word] = scratch[number * size + word]
        at += width
    new[bucket] = at
