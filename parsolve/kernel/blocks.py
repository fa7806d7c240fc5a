"""Entries in chains of blocks: what all templates do with them.

An entry is the words of a key, then a payload of any number of words. A pool of blocks holds all entries of a search;
those of a block have one width, in words, those of another block may have another one. A level's entries lie in buckets
by the highest bits of their keys' hashes, and a bucket is a chain of blocks. A chain is known by its end, one place
after its last entry in the pool: 0 without an entry, and negative if its last block takes no more. `link` gives the
block before each block, and `fill` how many of its words are used once it is not the last one.

Threads share the pool. Each has some blocks of its own, `own`: int64[any], the first one says how many. It takes more
from the pool while others do, and nobody gives any back to the pool meanwhile.
"""

from typing import Any, NamedTuple

import numpy as np

from parsolve.kernel.atomics import atomic_add
from parsolve.kernel.keys import hash_at
from parsolve.kernel.marks import inlined
from parsolve.kernel.search import ONE, ZERO

LOG = 9
BLOCK = 1 << LOG
"""Words of a block."""

NONE = -1
"""No block."""

# The places of `shared`, int64[SHARED]: how many blocks were given back; the first block that was never used; and how
# many may be used.
FREE, FRESH, MOST = range(3)
SHARED = 3

FILES = 8
"""Bits of a hash by which packed entries are put in order."""

HIGHEST = np.uint64(63)


class Blocks(NamedTuple):
    """The pool."""

    words: np.ndarray[Any, Any]  # uint64[blocks * BLOCK]
    link: np.ndarray[Any, Any]  # int32[blocks]: the block before in its chain
    fill: np.ndarray[Any, Any]  # int32[blocks]: how many words are used; not of the last one of a chain
    width: np.ndarray[Any, Any]  # int32[blocks]: words of an entry
    free: np.ndarray[Any, Any]  # int32[blocks]: those that were given back
    shared: np.ndarray[Any, Any]  # int64[SHARED]


class Form(NamedTuple):
    """What all entries of a count have in common."""

    like: tuple[Any, ...]  # any key, as a tuple: its length is known when a template is compiled
    head: int  # words before the count: those of the key, and one more if entries have a cost
    bits: int  # of a word of a count
    more: int  # words that a sum of 2^40 counts has more than the widest of them


# Blocks.


@inlined
def has_blocks(blocks: Any, own: Any, wanted: Any) -> Any:
    """Return whether a thread has `wanted` blocks of its own, if need be after it has taken more from the pool."""
    free, shared = blocks.free, blocks.shared
    while own[0] < wanted:
        place = atomic_add(shared, np.uint64(FREE), -1) - 1
        if place >= 0:
            own[own[0] + 1] = free[place]
        else:
            atomic_add(shared, np.uint64(FREE), 1)
            fresh = atomic_add(shared, np.uint64(FRESH), 1)
            if fresh >= shared[MOST]:
                atomic_add(shared, np.uint64(FRESH), -1)
                return False
            own[own[0] + 1] = fresh
        own[0] += 1
    return True


@inlined
def keep_block(own: Any, block: Any) -> Any:
    """Add a block that holds nothing any more to those of a thread, which has room for it."""
    own[0] += 1
    own[own[0]] = block


@inlined
def last_of(end: Any) -> Any:
    """Return the last block of a chain, NONE if it has none, and how many of its words are used."""
    at = abs(np.int64(end))
    block = (at - 1) >> LOG
    return block, at - (block << LOG)


@inlined
def before_of(blocks: Any, block: Any) -> Any:
    """Return the block before one in its chain, NONE if there is none, and how many of its words are used."""
    before = np.int64(blocks.link[block])
    return before, np.int64(blocks.fill[before]) if before >= 0 else np.int64(0)


@inlined
def end_at(block: Any, used: Any) -> Any:
    """Return the end of a chain by its last block, and how many of its words are used."""
    return (block << LOG) + used if block >= 0 else np.int64(0)


@inlined
def is_full(end: Any, width: Any) -> Any:
    """Return whether the next entry of a chain, of this width, needs a new block: else it is written at its end."""
    return end <= 0 or ((end - 1) & (BLOCK - 1)) + 1 + width > BLOCK


def open_block(blocks: Any, own: Any, end: Any, width: Any) -> Any:
    """Return where the next entry of a chain is written, in a new block, which the thread must have."""
    before, used = last_of(end)
    block = np.int64(own[own[0]])
    own[0] -= 1
    blocks.link[block], blocks.width[block] = before, width
    if before >= 0:
        blocks.fill[before] = used
    return block << LOG


@inlined
def bucket_of(mix: Any, bits: Any) -> Any:
    """Return the number of a bucket, int64: the first `bits` of a hash."""
    return np.int64(mix >> ONE >> (HIGHEST - np.uint64(bits)))


# Whole chains.


def bucket_size(blocks: Any, sets: Any, bucket: Any) -> Any:
    """Return how many entries and blocks a bucket has in several sets of chains, and the words of the widest entry.

    Args:
        sets: int64[n, buckets], ends of chains.
    """
    widest: Any = 0
    entries, number = 0, 0
    for each in range(sets.shape[0]):
        block, used = last_of(sets[each, bucket])
        while block >= 0:
            width = np.int64(blocks.width[block])
            entries += used // width
            number += 1
            widest = max(widest, width)
            block, used = before_of(blocks, block)
    return entries, number, widest


def level_size(blocks: Any, sets: Any) -> Any:
    """Return how many entries and blocks several sets of chains have, and the words of the widest entry."""
    widest: Any = 0
    entries, number = 0, 0
    for bucket in range(sets.shape[1]):
        more, used, width = bucket_size(blocks, sets, bucket)
        entries, number, widest = entries + more, number + used, max(widest, width)
    return entries, number, widest


def release_chains(blocks: Any, ends: Any, own: Any, first: Any) -> Any:
    """Make the blocks of some chains, int64[n], a thread's own, as many as it has room for.

    Returns:
        The chain to continue with, n if all are done.
    """
    for chain in range(first, ends.size):
        block, used = last_of(ends[chain])
        while block >= 0:
            if own[0] + 1 == own.size:
                ends[chain] = end_at(block, used)
                return chain
            keep_block(own, block)
            block, used = before_of(blocks, block)
        ends[chain] = 0
    return ends.size


def put_entries(
    blocks: Any, ends: Any, own: Any, array: Any, first: Any, last: Any, size: Any, width: Any, like: Any, bits: Any
) -> Any:
    """Add entries to the chains of a level.

    Args:
        ends: int64[2^bits]: its chains; one that is open has entries of `width`.
        array: uint64[...], which holds the entries from place `first` to before `last`, one after another.
        size: words of each there.
        width: words of each in the chains, at least as many.
        like: any key, as a tuple: its length is known when this is compiled.
        bits: of a bucket's number.

    Returns:
        The place to continue with: `last`, unless the thread's blocks and those of the pool are used up.
    """
    words = blocks.words
    for at in range(first, last, size):
        if own[0] == 0 and not has_blocks(blocks, own, 1):
            return at
        to = bucket_of(hash_at(array, at, like), bits)
        place = np.int64(ends[to])
        if is_full(place, width):
            place = open_block(blocks, own, place, width)
        for word in range(size):
            words[place + word] = array[at + word]
        for word in range(size, width):
            words[place + word] = ZERO
        ends[to] = place + width
    return last


def split_chains(blocks: Any, ends: Any, new: Any, own: Any, widest: Any, like: Any, bits: Any) -> Any:
    """Move the entries of some chains to others of more buckets.

    Args:
        ends: int64[any], zeros afterwards.
        new: int64[2^bits], zeros.
        own: of this thread, which needs no more blocks than it has: one a bucket, and what the entries take more there.
        widest: the most words of an entry: all get as many.
    """
    for bucket in range(ends.size):
        block, used = last_of(ends[bucket])
        while block >= 0:
            start = block << LOG
            size = np.int64(blocks.width[block])
            put_entries(blocks, new, own, blocks.words, start, start + used, size, widest, like, bits)
            keep_block(own, block)
            block, used = before_of(blocks, block)
        ends[bucket] = 0


def pack_chains(blocks: Any, ends: Any, first: Any, last: Any, packed: Any, starts: Any, like: Any, size: Any) -> Any:
    """Write the entries of some buckets of a level one after another, by the first bits of their hashes.

    Args:
        ends: int64[buckets]; they stay as they are.
        first, last: the first bucket, and the one after the last.
        packed: uint64[entries * size], written.
        starts: int64[2^FILES + 1], zeros; written: by these bits, which entry is the first; and how many they are.
        like: any key, as a tuple: its length is known when this is compiled.
        size: words of an entry in `packed`: those that it has more are left out, others are 0.
    """
    words = blocks.words
    for bucket in range(first, last):
        block, used = last_of(ends[bucket])
        while block >= 0:
            start = block << LOG
            for at in range(start, start + used, np.int64(blocks.width[block])):
                starts[bucket_of(hash_at(words, at, like), FILES) + 1] += 1
            block, used = before_of(blocks, block)
    for part in range(1 << FILES):
        starts[part + 1] += starts[part]
    following = starts.copy()
    for bucket in range(first, last):
        block, used = last_of(ends[bucket])
        while block >= 0:
            start = block << LOG
            width = np.int64(blocks.width[block])
            for at in range(start, start + used, width):
                part = bucket_of(hash_at(words, at, like), FILES)
                to = following[part] * size
                following[part] += 1
                for word in range(min(size, width)):
                    packed[to + word] = words[at + word]
                for word in range(width, size):
                    packed[to + word] = ZERO
            block, used = before_of(blocks, block)
