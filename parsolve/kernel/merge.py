"""Merge the chains of a level: each key once, with the sum of its counts; if they have costs, of those at the least."""

from typing import Any

import numpy as np

from parsolve.kernel.blocks import (
    BLOCK,
    HIGHEST,
    LOG,
    before_of,
    bucket_size,
    has_blocks,
    is_full,
    keep_block,
    last_of,
    open_block,
)
from parsolve.kernel.counts import add_count
from parsolve.kernel.keys import HALF, hash_at
from parsolve.kernel.marks import inlined
from parsolve.kernel.search import ONE, ZERO

# The places of `tally`, int64[TALLY]: the bucket to continue with; how many entries there are now; the most words of
# one; and where it has paused, how many words `table` and `scratch` need, and how many blocks `own` has room for.
NEXT, ENTRIES, WIDEST, TABLE, SCRATCH, ROOM = range(6)
TALLY = 6

NUMBER = np.uint64((1 << 32) - 1)
"""The bits of a table's word that say which entry it is; the others are of the hash."""

TAG = np.uint64(20)


def merge_buckets(
    blocks: Any,
    sets: Any,
    new: Any,
    last: Any,
    own: Any,
    table: Any,
    scratch: Any,
    tally: Any,
    form: Any,
    bits: Any,
) -> Any:
    """Merge buckets from NEXT to before `last`; pause before one for which there is too little room.

    Args:
        blocks: `Blocks`.
        sets: int64[n, buckets]: chains, which have no entry afterwards.
        new: int64[buckets]: chains without an entry; written.
        own: see `kernel.blocks`.
        table: uint64[any] of this thread: hash tables of a bucket, whose words are the number of an entry in `scratch`,
            from 1 on, and some of its hash; 0 if free.
        scratch: uint64[any] of this thread: the entries of a bucket, with more words for sums.
        tally: see above.
        form: `kernel.blocks.Form`.
        bits: of a bucket's number.

    Returns:
        False if the pool has too few blocks.
    """
    head, more = form.head, form.more
    for bucket in range(tally[NEXT], last):
        tally[NEXT] = bucket
        entries, number, widest = bucket_size(blocks, sets, bucket)
        if entries == 0:
            continue
        size = widest + more
        places = table_bits(entries)
        if 1 << places > table.size or entries * size > scratch.size:
            tally[TABLE], tally[SCRATCH], tally[ROOM] = 1 << places, entries * size, 0
            return True
        there = collect(blocks, sets, bucket, table, places, scratch, size, form, bits)
        width = widest_of(scratch, there, size, head)
        wanted = -(-there // (BLOCK // width)) - number
        if max(own[0], wanted) + number >= own.size:
            tally[TABLE], tally[SCRATCH], tally[ROOM] = 0, 0, max(own[0], wanted) + number + 1
            return True
        if not has_blocks(blocks, own, wanted):
            return False
        for number in range(sets.shape[0]):
            block, _ = last_of(sets[number, bucket])
            while block >= 0:
                keep_block(own, block)
                block, _ = before_of(blocks, block)
            sets[number, bucket] = 0
        write(blocks, own, new, bucket, scratch, there, size, width)
        tally[ENTRIES] += there
        tally[WIDEST] = max(tally[WIDEST], width)
    tally[NEXT] = last
    return True


def table_bits(entries: Any) -> Any:
    """Return k for a hash table of 2^k places, of which the entries take at most seven in eight."""
    places = 4
    while (1 << places) * 7 < entries * 8:
        places += 1
    return places


def collect(
    blocks: Any, sets: Any, bucket: Any, table: Any, places: Any, scratch: Any, size: Any, form: Any, bits: Any
) -> Any:
    """Collect the entries of a bucket in `scratch`, `size` words of each, each key once; return how many there are.

    Args:
        places: the table takes 2^places words.
    """
    like = form.like
    words = blocks.words
    up, down, mask = np.uint64(bits), HIGHEST + ONE - np.uint64(places), np.uint64((1 << places) - 1)
    for place in range(1 << places):
        table[place] = ZERO
    there = 0
    for number in range(sets.shape[0]):
        block, used = last_of(sets[number, bucket])
        while block >= 0:
            width = np.int64(blocks.width[block])
            start = block << LOG
            for at in range(start, start + used, width):
                mix = hash_at(words, at, like)
                place = (mix << up) >> down
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
                            combine(scratch, to, size, words, at, width, form)
                            break
                    place = (place + ONE) & mask
            block, used = before_of(blocks, block)
    return there


@inlined
def combine(scratch: Any, to: Any, size: Any, words: Any, at: Any, width: Any, form: Any) -> Any:
    """Merge an entry into one of the same key: only the least cost counts."""
    head, cost = form.head, len(form.like)
    if head > cost and words[at + cost] > scratch[to + cost]:
        return
    if head > cost and words[at + cost] < scratch[to + cost]:
        for word in range(cost, width):
            scratch[to + word] = words[at + word]
        for word in range(width, size):
            scratch[to + word] = ZERO
        return
    add_count(scratch, to + head, size - head, words, at + head, width - head, form.bits)


def widest_of(scratch: Any, there: Any, size: Any, head: Any) -> Any:
    """Return how many words an entry needs whose count is the greatest."""
    width = size
    while width > head + 1:
        some = ZERO
        for number in range(there):
            some |= scratch[number * size + width - 1]
        if some != ZERO:
            break
        width -= 1
    return width


def write(blocks: Any, own: Any, new: Any, bucket: Any, scratch: Any, there: Any, size: Any, width: Any) -> Any:
    """Write the entries of a bucket into a chain, `width` words of each."""
    words, at = blocks.words, np.int64(new[bucket])
    for number in range(there):
        if is_full(at, width):
            at = open_block(blocks, own, at, width)
        for word in range(width):
            words[at + word] = scratch[number * size + word]
        at += width
    new[bucket] = at
