"""Entries in chains of blocks: operations for all templates.

An entry is the words of a key, then a payload of any number of words. A pool of blocks holds all entries of a search;
those of a block have one width, in words, those of another block may have another one. Where entries are keys of one
word alone, the pool may have words of 4 bytes: the hash is one to one then (`entry_of`, `known_in`), its first bits are
the number of the bucket, and if the others fit 32 bits only these are kept. A level's entries lie in buckets
by the highest bits of their keys' hashes, and a bucket is a chain of blocks. A chain is known by its end, one place
after its last entry in the pool: 0 without an entry, and negative if its last block takes no more. `link` gives the
block before each block, and `fill` how many of its words are used once it is not the last one.

Threads share the pool. Each has some blocks of its own, `own`: int64[any], the first one says how many. It takes more
from the pool while others do, and no thread gives any back meanwhile.
"""

from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.atomics import atomic_add
from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import HALF, MIX, hash_words, key_in, with_first, words_of
from parsolve.compiler.marks import inlined

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
"""Bits of the hash by which packed entries are sorted."""

HIGHEST = np.uint64(63)

UNMIX = np.uint64(pow(int(MIX), -1, 1 << 64))


class Blocks(NamedTuple):
    """The pool."""

    words: np.ndarray[Any, Any]  # uint64[blocks * BLOCK], or uint32
    link: np.ndarray[Any, Any]  # int32[blocks]: the block before in its chain
    fill: np.ndarray[Any, Any]  # int32[blocks]: number of words used; undefined for the last one of a chain
    width: np.ndarray[Any, Any]  # int32[blocks]: words of an entry
    free: np.ndarray[Any, Any]  # int32[blocks]: blocks given back
    shared: np.ndarray[Any, Any]  # int64[SHARED]


class Form(NamedTuple):
    """The common form of all entries of a search."""

    like: tuple[Any, ...]  # any key, as a tuple: its length is known when a template is compiled
    head: int  # words before the count: the key's, one more if entries have a cost, and those of the row, if any
    bits: int  # bits in a word of a count; 0 if entries have none
    more: int  # maximum number of further words of a sum of 2^40 counts
    costs: int = 0  # whether entries have a cost: the word after the key

    @property
    def least(self) -> int:
        """Words of the narrowest entry."""
        return self.head + (self.bits > 0)


# Blocks.


@inlined
def has_blocks(blocks: Any, own: Any, wanted: Any) -> Any:
    """Return whether a thread has `wanted` blocks of its own, if necessary after taking more from the pool."""
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
def before_of(blocks: Any, block: Any) -> Any:
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


def open_block(blocks: Any, own: Any, end: Any, width: Any) -> Any:
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
def largest_key(blocks: Any, bits: Any) -> Any:
    """Return the largest key of one word that fits in an entry: uint64."""
    return ~ZERO if blocks.words.itemsize == 8 else (ONE << (HALF + np.uint64(bits))) - ONE


@inlined
def entry_of(blocks: Any, bits: Any, words: Any) -> Any:
    """Return the bucket of a key, a tuple, int64, and the first word of its entry, uint64; the rest is the key's."""
    if blocks.words.itemsize == 8:
        return bucket_of(hash_words(words), bits), words[0]
    mix = (words[0] << (HALF - np.uint64(bits))) * MIX
    return bucket_of(mix, bits), mix << np.uint64(bits) >> HALF


@inlined
def known_in(blocks: Any, bits: Any, bucket: Any, at: Any, like: Any) -> Any:
    """Return the key, as a tuple, of the entry at a place of the pool, in a bucket."""
    words = words_of(key_in(blocks.words, at, like))
    return words if blocks.words.itemsize == 8 else with_first(words, long_key(bits, bucket, words[0]))


@inlined
def long_key(bits: Any, bucket: Any, entry: Any) -> Any:
    """Return the key, uint64, of an entry of 4 bytes."""
    mix = np.uint64(bucket) << HALF | np.uint64(entry)
    return (mix << (HALF - np.uint64(bits))) * UNMIX >> (HALF - np.uint64(bits))


@inlined
def store_entry(words: Any, at: Any, first: Any, key: Any) -> Any:
    """Write a key into the pool, from a place on; `first` is the first word of its entry."""
    words[at] = first
    for number in range(1, len(key)):
        words[at + np.uint64(number)] = key[number]


@inlined
def hash_in(words: Any, at: Any, like: Any, bits: Any) -> Any:
    """Return the hash of the entry at a place of the pool, without the `bits` of its bucket's number."""
    if words.itemsize == 8:
        return hash_words(words_of(key_in(words, at, like))) << np.uint64(bits)
    return np.uint64(words[at]) << HALF


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


def bucket_size(blocks: Any, sets: Any, bucket: Any) -> Any:
    """Return the numbers of entries and blocks of a bucket in several sets of chains, and the widest entry's words.

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
    """Return the numbers of entries and blocks of several sets of chains, and the words of the widest entry."""
    widest: Any = 0
    entries, number = 0, 0
    for bucket in range(sets.shape[1]):
        more, used, width = bucket_size(blocks, sets, bucket)
        entries, number, widest = entries + more, number + used, max(widest, width)
    return entries, number, widest


def largest_bucket(blocks: Any, ends: Any) -> Any:
    """Return the number of entries of the largest bucket of a set of chains."""
    most: Any = 0
    for bucket in range(ends.shape[1]):
        most = max(most, bucket_size(blocks, ends, bucket)[0])
    return most


def release_chains(blocks: Any, ends: Any, own: Any, first: Any) -> Any:
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
    blocks: Any, ends: Any, own: Any, array: Any, first: Any, last: Any, size: Any, width: Any, like: Any, bits: Any
) -> Any:
    """Add entries to the chains of a level.

    Args:
        ends: int64[2^bits]: its chains; an open one has entries of `width`.
        array: uint64[...], with the entries from place `first` to before `last`, one after another.
        size: words of each there.
        width: words of each in the chains, at least as many.
        like: any key, as a tuple: its length is known when this is compiled.
        bits: bits of a bucket's number.

    Returns:
        The place to continue with: `last`, unless the thread's blocks and those of the pool are used up.
    """
    words = blocks.words
    for at in range(first, last, size):
        if own[0] == 0 and not has_blocks(blocks, own, 1):
            return at
        known = words_of(key_in(array, at, like))
        to, begin = entry_of(blocks, bits, known)
        place = np.int64(ends[to])
        if is_full(place, width):
            place = open_block(blocks, own, place, width)
        store_entry(words, np.uint64(place), begin, known)
        for word in range(len(like), size):
            words[place + word] = array[at + word]
        for word in range(size, width):
            words[place + word] = ZERO
        ends[to] = place + width
    return last


def split_chains(blocks: Any, ends: Any, new: Any, own: Any, widest: Any, like: Any, bits: Any) -> Any:
    """Move the entries of some chains to chains of more buckets.

    Args:
        ends: int64[any], zeros afterwards.
        new: int64[2^bits], zeros.
        own: this thread's blocks, which are enough: one for each bucket, and those for wider entries.
        widest: maximum words of an entry: all get as many.
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


def pack_chains(
    blocks: Any, ends: Any, first: Any, last: Any, packed: Any, starts: Any, like: Any, size: Any, bits: Any
) -> Any:
    """Write the entries of some buckets of a level one after another, sorted by the first bits of their hashes.

    Args:
        ends: int64[2^bits]; they stay as they are.
        first, last: the first bucket, and the one after the last.
        packed: uint64[entries * size], written; keys are whole.
        starts: int64[2^FILES + 1], zeros; written: by these bits, the number of the first entry; and the number of all
            entries.
        like: any key, as a tuple: its length is known when this is compiled.
        size: words of an entry in `packed`: longer entries are cut, shorter ones padded with 0.
        bits: bits of a bucket's number.
    """
    words = blocks.words
    for bucket in range(first, last):
        block, used = last_of(ends[bucket])
        while block >= 0:
            start = block << LOG
            for at in range(start, start + used, np.int64(blocks.width[block])):
                starts[part_of(words, at, like, bits, bucket) + 1] += 1
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
                part = part_of(words, at, like, bits, bucket)
                to = following[part] * size
                following[part] += 1
                known = known_in(blocks, bits, bucket, at, like)
                for word in range(len(like)):
                    packed[to + word] = known[word]
                for word in range(len(like), min(size, width)):
                    packed[to + word] = words[at + word]
                for word in range(width, size):
                    packed[to + word] = ZERO
            block, used = before_of(blocks, block)


@inlined
def part_of(words: Any, at: Any, like: Any, bits: Any, bucket: Any) -> Any:
    """Return the first FILES bits of the hash of a bucket's entry, int64; with 4 bytes, only the bucket's bits."""
    if words.itemsize == 8:
        return bucket_of(hash_words(words_of(key_in(words, at, like))), FILES)
    return bucket >> (bits - FILES) if bits > FILES else bucket << (FILES - bits)


def list_common(
    blocks: Any, ends: Any, others: Any, first: Any, last: Any, table: Any, places: Any, keys: Any, like: Any, bits: Any
) -> Any:
    """Write the keys in some buckets of a level that are also in another level; entries are keys of one word.

    Args:
        ends, others: int64[2^bits]: the chains of the two levels.
        first, last: the first bucket, and the one after the last.
        table: words of the pool[2^places], more than the entries of any bucket of `ends`.
        keys: uint64[any], written: at least as many as the entries of these buckets.
        like: any key, as a tuple: its length is known when this is compiled.
        bits: bits of a bucket's number.

    Returns:
        How many were written.
    """
    words, found = blocks.words, 0
    down, mask = HIGHEST + ONE - np.uint64(places), (ONE << np.uint64(places)) - ONE
    for bucket in range(first, last):
        if ends[bucket] == 0 or others[bucket] == 0:
            continue
        table[:] = ZERO
        has_zero = False  # whether an entry is 0, which marks a free place in the table
        block, used = last_of(ends[bucket])
        while block >= 0:
            for at in range(block << LOG, (block << LOG) + used):
                known = np.uint64(words[at])
                has_zero = has_zero or known == ZERO
                place = hash_in(words, at, like, bits) >> down
                while table[place] != ZERO and table[place] != known:
                    place = (place + ONE) & mask
                table[place] = known
            block, used = before_of(blocks, block)
        block, used = last_of(others[bucket])
        while block >= 0:
            for at in range(block << LOG, (block << LOG) + used):
                wanted = np.uint64(words[at])
                place = hash_in(words, at, like, bits) >> down
                while table[place] != ZERO and table[place] != wanted:
                    place = (place + ONE) & mask
                if table[place] == wanted and (wanted != ZERO or has_zero):
                    keys[found] = known_in(blocks, bits, bucket, at, like)[0]
                    found += 1
            block, used = before_of(blocks, block)
    return found
