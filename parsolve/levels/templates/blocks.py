"""Entries in chains of blocks: operations for all templates.

An entry is the words of a key, then a payload of any number of words. A pool of blocks holds all entries of a search;
those of a block have one width, in words, those of another block may have another one. A level's entries lie in buckets
by the highest bits of their keys' hashes, and a bucket is a chain of blocks. A chain is known by its end, one place
after its last entry in the pool: 0 without an entry, and negative if its last block takes no more. `link` gives the
block before each block, and `fill` how many of its words are used once it is not the last one.

Threads share the pool. Each has some blocks of its own, `own`: int64[any], the first one says how many. It takes more
from the pool while others do, and no thread gives any back meanwhile.

In all templates a bucket's number has `bits`, and `like` is any key; see `Form`.
"""

from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.atomics import atomic_add
from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import hash_words, key_in, store_words, words_of
from parsolve.compiler.marks import inlined

LOG = 9
BLOCK = 1 << LOG
"""Words of a block."""

NONE = -1
"""No block."""

# The places of `shared`, int64[PLACES]: how many blocks were given back; the first block that was never used; and how
# many are allowed.
GIVEN, FRESH, ALLOWED, PLACES = range(4)

FILES = 8
"""Bits of the hash by which packed entries are sorted."""

HIGHEST = np.uint64(63)


class Blocks(NamedTuple):
    """The pool."""

    words: np.ndarray[Any, Any]  # uint64[blocks * BLOCK]
    link: np.ndarray[Any, Any]  # int32[blocks]: the block before in its chain
    fill: np.ndarray[Any, Any]  # int32[blocks]: number of words used; undefined for the last one of a chain
    width: np.ndarray[Any, Any]  # int32[blocks]: words of an entry
    free: np.ndarray[Any, Any]  # int32[blocks]: blocks given back
    shared: np.ndarray[Any, Any]  # int64[PLACES]


class Form(NamedTuple):
    """The common form of all entries of a search."""

    like: tuple[Any, ...]  # any key, as a tuple: its length is known when a template is compiled
    head: int  # words before the count: the key's, one more if entries have a cost, and those of the row, if any
    bits: int  # bits in a word of a count; 0 if entries have none
    costs: int = 0  # whether entries have a cost: the word after the key

    @property
    def least(self) -> int:
        """Words of the narrowest entry."""
        return self.head + (self.bits > 0)


# Blocks.


@inlined
def fetch_blocks(blocks: Blocks, own: Any, wanted: Any) -> Any:
    """Take blocks from the pool until a thread has `wanted` of its own, and return whether it has them."""
    free, shared = blocks.free, blocks.shared
    while own[0] < wanted:
        place = atomic_add(shared, np.uint64(GIVEN), -1) - 1
        if place >= 0:
            own[own[0] + 1] = free[place]
        else:
            atomic_add(shared, np.uint64(GIVEN), 1)
            fresh = atomic_add(shared, np.uint64(FRESH), 1)
            if fresh >= shared[ALLOWED]:
                atomic_add(shared, np.uint64(FRESH), -1)
                return False
            own[own[0] + 1] = fresh
        own[0] += 1
    return True


@inlined
def keep_block(own: Any, block: Any) -> Any:
    """Add an empty block to a thread's own, which have room for it."""
    own[0] += 1
    own[own[0]] = block


@inlined
def last_of(end: Any) -> Any:
    """Return the last block of a chain, NONE if it is empty, and its number of used words."""
    at = abs(np.int64(end))
    block = (at - 1) >> LOG
    return block, at - (block << LOG)


@inlined
def before_of(blocks: Blocks, block: Any) -> Any:
    """Return the block before one in its chain, NONE if it is the first, and its number of used words."""
    before = np.int64(blocks.link[block])
    return before, np.int64(blocks.fill[before]) if before >= 0 else np.int64(0)


@inlined
def end_at(block: Any, used: Any) -> Any:
    """Return the end of a chain from its last block and its number of used words."""
    return (block << LOG) + used if block >= 0 else np.int64(0)


@inlined
def is_full(end: Any, width: Any) -> Any:
    """Return whether the next entry of a chain, of this width, needs a new block, instead of the end of the last."""
    return end <= 0 or ((end - 1) & (BLOCK - 1)) + 1 + width > BLOCK


def open_block(blocks: Blocks, own: Any, end: Any, width: Any) -> Any:
    """Return the place for the next entry of a chain in a new block, which the thread must have."""
    before, used = last_of(end)
    block = np.int64(own[own[0]])
    own[0] -= 1
    blocks.link[block], blocks.width[block] = before, width
    if before >= 0:
        blocks.fill[before] = used
    return block << LOG


# Keys and entries.


@inlined
def bucket_of(mix: Any, bits: Any) -> Any:
    """Return the number of a bucket, int64: the first `bits` of a hash."""
    return np.int64(mix >> ONE >> (HIGHEST - np.uint64(bits)))


@inlined
def words_in(words: Any, at: Any, like: Any) -> Any:
    """Return the key, as a tuple, of the entry that begins at a place."""
    return words_of(key_in(words, at, like))


# Counts of several words: some bits each, the lowest first.


def add_count(sums: Any, at: Any, words: Any, others: Any, start: Any, other_words: Any, bits: Any) -> Any:
    """Add a count, `other_words` of `others`, uint64[n], from a place on, to a sum with enough words."""
    full = (ONE << np.uint64(bits)) - ONE
    carry = ZERO
    word = 0
    while word < other_words:
        total = sums[at + word] + others[start + word] + carry
        sums[at + word] = total & full
        carry = total >> np.uint64(bits)
        word += 1
    while carry != ZERO and word < words:
        total = sums[at + word] + carry
        sums[at + word] = total & full
        carry = total >> np.uint64(bits)
        word += 1


# Whole chains.


def level_size(blocks: Blocks, sets: Any) -> Any:
    """Return the numbers of entries and blocks of several sets of chains, and the words of the widest entry.

    Args:
        sets: int64[n, buckets], ends of chains.
    """
    widest: Any = 0
    entries, number = 0, 0
    for each in range(sets.shape[0]):
        for bucket in range(sets.shape[1]):
            block, used = last_of(sets[each, bucket])
            while block >= 0:
                width = np.int64(blocks.width[block])
                entries += used // width
                number += 1
                widest = max(widest, width)
                block, used = before_of(blocks, block)
    return entries, number, widest


def release_chains(blocks: Blocks, ends: Any, own: Any, first: Any) -> Any:
    """Give the blocks of some chains, int64[n], to a thread, as many as it has room for.

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
    blocks: Blocks, ends: Any, own: Any, array: Any, first: Any, size: Any, width: Any, like: Any, bits: Any
) -> Any:
    """Add entries to the chains of a level.

    Args:
        ends: int64[2^bits]: its chains.
        array: uint64[...], with the entries from place `first` on, one after another.
        size: words of each there.
        width: words of each in the chains, at least as many.

    Returns:
        The place to continue with: the end, unless the thread's blocks and those of the pool are used up.
    """
    words = blocks.words
    for at in range(first, array.size, size):
        if own[0] == 0 and not fetch_blocks(blocks, own, 1):
            return at
        key_words = words_in(array, at, like)
        to = bucket_of(hash_words(key_words), bits)
        place = np.int64(ends[to])
        if is_full(place, width) or blocks.width[last_of(place)[0]] != width:
            place = open_block(blocks, own, place, width)
        store_words(words, np.uint64(place), key_words)
        for word in range(len(like), size):
            words[place + word] = array[at + word]
        for word in range(size, width):
            words[place + word] = ZERO
        ends[to] = place + width
    return array.size


def pack_chains(
    blocks: Blocks, ends: Any, first: Any, last: Any, packed: Any, starts: Any, like: Any, size: Any
) -> Any:
    """Write the entries of some buckets of a level one after another, sorted by the first bits of their hashes.

    Args:
        ends: int64[2^bits]; they stay as they are.
        first, last: the first bucket, and the one after the last.
        packed: uint64[entries * size], written.
        starts: int64[2^FILES + 1], zeros; written: by these bits, the number of the first entry; and the number of all
            entries.
        size: words of an entry in `packed`: longer entries are cut, shorter ones padded with 0.
    """
    words = blocks.words
    for bucket in range(first, last):
        block, used = last_of(ends[bucket])
        while block >= 0:
            start = block << LOG
            for at in range(start, start + used, np.int64(blocks.width[block])):
                starts[bucket_of(hash_words(words_in(words, at, like)), FILES) + 1] += 1
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
                part = bucket_of(hash_words(words_in(words, at, like)), FILES)
                to = following[part] * size
                following[part] += 1
                for word in range(min(size, width)):
                    packed[to + word] = words[at + word]
                for word in range(width, size):
                    packed[to + word] = ZERO
            block, used = before_of(blocks, block)
