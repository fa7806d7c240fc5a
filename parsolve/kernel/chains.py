"""Search breadth-first over keys alone: templates that `compile` specialises for a puzzle's rules.

The keys of a layer are divided into buckets by their hash. A bucket is a chain of blocks from one pool: its head is the
block being filled, `link` gives the previous block, and all blocks except the head are full. A layer is made in two
passes. In the first, each thread expands some buckets and adds the children's keys to chains of its own; the threads
share only the pool. In the second, a thread takes one bucket from all of these chains and from the older layers that
may hold a child; the hash table of a bucket fits the processor's cache. New keys overwrite the children's blocks, and
the remaining blocks return to the pool.

The pool has entries of 8 bytes, the keys themselves, or of 4 bytes: the hash is one to one (`entry_of`, `key_of`), its
first bits are the number of the bucket, and where the others fit 32 bits only they are kept.

An entry of 8 bytes may have the cost of the state above a key below 2^56. Then the least entry of each key is kept
(`keep_least`).

`expand`, `solved`, `key`, `key_far`, `unkey`, `watch`, `costly` and `keep` are injected by `compile`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.kernel.atomics import atomic_add
from parsolve.kernel.keys import HALF, MIX
from parsolve.kernel.marks import inlined
from parsolve.kernel.sampling import choose, hash_of_id
from parsolve.kernel.search import NO_LIMIT, ONE, ZERO

BLOCK = 512
"""Entries in a block."""

NONE = -1
"""No block."""

# The places of `shared`, int64[SHARED]: the number of free blocks; whether there were too few; whether a state had too
# many children; whether the cost of a move does not suit; whether a key was too large; whether a state was solved;
# whether the state of a key has another key, and which key that was.
FREE, FULL, CROWDED, COSTLY, LARGE, SOLVED, UNLIKE, CULPRIT = range(8)
SHARED = 8

SIXTYFOUR = np.uint64(64)
UNMIX = np.uint64(pow(int(MIX), -1, 1 << 64))

COST, KEY = np.uint64(56), np.uint64((1 << 56) - 1)
"""The lowest bit of an entry's cost, and the bits of its key."""

HIGHEST = 255
"""All costs of entries are below it."""

FREE_ENTRY = np.uint64((1 << 64) - 1)
"""Marks a free place; it is not a valid entry."""


class Blocks(NamedTuple):
    """The pool of blocks."""

    entries: np.ndarray[Any, Any]  # uint64[blocks * BLOCK], or uint32
    link: np.ndarray[Any, Any]  # int32[blocks]: the previous block of a chain
    free: np.ndarray[Any, Any]  # int32[blocks]: the numbers of the free blocks
    shared: np.ndarray[Any, Any]  # int64[SHARED]


class Chains(NamedTuple):
    """The chains of a layer, or several sets of chains: int32[buckets], or int32[sets, buckets]."""

    heads: np.ndarray[Any, Any]  # of each bucket the block being filled; NONE without keys
    fills: np.ndarray[Any, Any]  # how many entries that block has


expand: Callable[..., Any]
solved: Callable[..., Any]
key: Callable[..., Any]
key_far: Callable[..., Any]
unkey: Callable[..., Any]
watch: bool
costly: bool  # whether the keys are entries, which have a cost
keep: Callable[..., Any]


@inlined
def largest_key(blocks: Any, shift: Any) -> Any:
    """Return the largest key that an entry can stand for: uint64."""
    return ~ZERO if blocks.entries.itemsize == 8 else (ONE << (SIXTYFOUR + HALF - shift)) - ONE


@inlined
def entry_of(blocks: Any, shift: Any, known: Any) -> Any:
    """Return the bucket of a key and the entry that stands for it there, uint64 each."""
    if blocks.entries.itemsize == 8:
        return known * MIX >> shift, known
    mix = (known << (shift - HALF)) * MIX
    return mix >> shift, mix << (SIXTYFOUR - shift) >> HALF


@inlined
def key_of(blocks: Any, shift: Any, bucket: Any, entry: Any) -> Any:
    """Return the key, uint64, that an entry, uint64, of a bucket stands for."""
    if blocks.entries.itemsize == 8:
        return entry
    return (np.uint64(bucket) << shift | entry << HALF >> (SIXTYFOUR - shift)) * UNMIX >> (shift - HALF)


@inlined
def hash_of_entry(blocks: Any, entry: Any, up: Any) -> Any:
    """Return the hash of an entry, uint64, without the number of its bucket: `up` is how many bits that has."""
    return entry * MIX << up if blocks.entries.itemsize == 8 else entry << HALF


def expand_buckets(
    tables: Any,
    rows: Any,
    blocks: Any,
    layer: Any,
    first: Any,
    end: Any,
    children: Any,
    shift: Any,
    chosen: Any,
    past: Any,
    most: Any,
    proved: Any,
    sampled: Any,
) -> Any:
    """Expand the keys in some buckets of a layer, and add the children's keys to this thread's chains.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + most, and what an expansion may overrun], of this thread.
        blocks: `Blocks`.
        layer: `Chains` of the layer.
        first, end: the first bucket, and the end.
        children: `Chains` of this thread.
        shift: 64 minus the number of bits of a bucket's number.
        chosen: uint64[any] of this thread; see `sampling.choose`.
        past: whether solved states are expanded too.
        most: the most children of a state.
        proved, sampled: see `dense.expand_words`.
    """
    block: Any
    head: Any
    fill: Any
    size: Any
    here = rows[0]
    pool, link, free, shared = blocks
    out_heads, out_fills = children
    largest = KEY if costly else largest_key(blocks, shift)
    for bucket in range(first, end):
        block, size = np.int64(layer.heads[bucket]), np.int64(layer.fills[bucket])
        while block != NONE:
            for entry in range(size):
                here.bound = 0
                known, cost = np.uint64(pool[block * BLOCK + entry]), ZERO
                if costly:
                    known, cost = known & KEY, known >> COST
                else:
                    known = key_of(blocks, shift, bucket, known)
                unkey(tables, known, here)
                here.cost = cost
                mix = hash_of_id(known)
                if mix <= proved:
                    if np.uint64(key_far(tables, here)) != known:
                        shared[UNLIKE], shared[CULPRIT] = 1, known
                        return
                    if mix <= sampled:
                        choose(chosen, known)
                if solved(tables, here):
                    shared[SOLVED] = 1
                    if not past:
                        continue
                top = expand(tables, here, NO_LIMIT, rows, 1)
                if top > most + 1:
                    shared[CROWDED] = 1
                    return
                for child in range(1, top):
                    new = np.uint64(key(tables, rows[child]))
                    spent = rows[child].cost
                    if not cost <= spent < HIGHEST if costly else watch and spent != 1:
                        shared[COSTLY] = 1
                        return
                    if new > largest:
                        shared[LARGE] = 1
                        return
                    to, new = entry_of(blocks, shift, new)
                    if costly:
                        new |= np.uint64(spent) << COST
                    head, fill = np.int64(out_heads[to]), np.int64(out_fills[to])
                    if head == NONE or fill == BLOCK:
                        place = atomic_add(shared, np.uint64(FREE), -1) - 1
                        if place < 0:
                            shared[FULL] = 1
                            return
                        link[free[place]] = head
                        head, fill = np.int64(free[place]), 0
                        out_heads[to] = head
                    pool[head * BLOCK + fill] = new
                    out_fills[to] = fill + 1
            block, size = np.int64(link[block]), BLOCK


def merge_buckets(
    blocks: Any,
    older: Any,
    children: Any,
    new: Any,
    first: Any,
    end: Any,
    shift: Any,
    table: Any,
    copy: Any,
    spare: Any,
    pause: Any,
) -> Any:
    """Make some buckets of the next layer from the threads' chains: `keep`, which is injected, chooses the keys.

    Args:
        blocks, shift: see `expand_buckets`.
        older: `Chains` of the layers that may hold a child.
        children: `Chains` of the threads.
        new: `Chains`, added to: empty, or of a part of the layer, which is among `older` then.
        first, end: the first bucket, and the end.
        table, copy, spare: of this thread: entries[any], entries[BLOCK] and int32[any].
        pause: int64[2], written: `end`; or, if `table` or `spare` is too small, the bucket to continue with and the
            size that both need.

    Returns:
        How many keys were kept.
    """
    kept = 0
    free, shared = blocks.free, blocks.shared
    for bucket in range(first, end):
        keys, used = bucket_size(blocks, children, bucket)
        if keys == 0:
            continue
        bits = table_bits(keys + bucket_size(blocks, older, bucket)[0])
        size = 1 << bits
        if size > table.size or used > spare.size:
            pause[0], pause[1] = bucket, max(size, used)
            return kept
        up, down = SIXTYFOUR - shift, SIXTYFOUR - np.uint64(bits)
        more, head, fill, spares = keep(blocks, older, children, new, bucket, up, down, table[:size], copy, spare)
        if more > 0:
            new.heads[bucket], new.fills[bucket] = head, fill
        kept += more
        for number in range(spares):
            free[atomic_add(shared, np.uint64(FREE), 1)] = spare[number]
    pause[0] = end
    return kept


def keep_new(
    blocks: Any, older: Any, children: Any, new: Any, bucket: Any, up: Any, down: Any, table: Any, copy: Any, spare: Any
) -> Any:
    """Keep the children in a bucket that are in no older layer, each once.

    Args:
        blocks, older, children, new, table, copy, spare: see `merge_buckets`.
        bucket: its number.
        up, down: by how much a hash is shifted left, then right, to give its place in the table.

    Returns:
        How many keys were kept, the head of their chain, how many keys it has, and how many spare blocks are left.
    """
    block: Any
    fill: Any
    filled: Any
    kept, spares, head, filled = 0, 0, np.int64(new.heads[bucket]), np.int64(new.fills[bucket])
    if head == NONE:
        filled = np.int64(BLOCK)
    pool, link = blocks.entries, blocks.link
    mask = np.uint64(table.size - 1)
    table[:] = ZERO
    has_zero = False  # whether an entry was 0: in the table it marks a free place
    for layer in range(older.heads.shape[0]):
        block, fill = np.int64(older.heads[layer, bucket]), np.int64(older.fills[layer, bucket])
        while block != NONE:
            for number in range(fill):
                known = np.uint64(pool[block * BLOCK + number])
                has_zero = has_zero or known == ZERO
                place = hash_of_entry(blocks, known, up) >> down
                while table[place] != ZERO and table[place] != known:
                    place = (place + ONE) & mask
                table[place] = known
            block, fill = np.int64(link[block]), BLOCK
    for thread in range(children.heads.shape[0]):
        block, fill = np.int64(children.heads[thread, bucket]), np.int64(children.fills[thread, bucket])
        while block != NONE:
            before = np.int64(link[block])
            for number in range(fill):  # new keys overwrite the children
                copy[number] = pool[block * BLOCK + number]
            spare[spares] = block
            spares += 1
            for number in range(fill):
                child = np.uint64(copy[number])
                place = hash_of_entry(blocks, child, up) >> down
                while table[place] != ZERO and table[place] != child:
                    place = (place + ONE) & mask
                if table[place] == child and (child != ZERO or has_zero):
                    continue
                has_zero = has_zero or child == ZERO
                table[place] = child
                if filled == BLOCK:
                    spares -= 1
                    link[spare[spares]] = head
                    head, filled = np.int64(spare[spares]), 0
                pool[head * BLOCK + filled] = child
                filled += 1
                kept += 1
            block, fill = before, BLOCK
    return kept, head, filled, spares


def keep_least(
    blocks: Any, older: Any, children: Any, new: Any, bucket: Any, up: Any, down: Any, table: Any, copy: Any, spare: Any
) -> Any:
    """Keep the least entry of each key in a bucket; see `keep_new` for the arguments and results. `new` is empty."""
    block: Any
    fill: Any
    kept, spares, head, filled = 0, 0, np.int64(NONE), BLOCK
    pool, link = blocks.entries, blocks.link
    mask = np.uint64(table.size - 1)
    table[:] = FREE_ENTRY
    for thread in range(children.heads.shape[0]):
        block, fill = np.int64(children.heads[thread, bucket]), np.int64(children.fills[thread, bucket])
        while block != NONE:
            for number in range(fill):
                child = pool[block * BLOCK + number]
                place = ((child & KEY) * MIX << up) >> down
                while table[place] != FREE_ENTRY and (table[place] ^ child) & KEY != ZERO:
                    place = (place + ONE) & mask
                table[place] = min(table[place], child)
            spare[spares] = block
            spares += 1
            block, fill = np.int64(link[block]), BLOCK
    for number in range(table.size):
        if table[number] != FREE_ENTRY:
            if filled == BLOCK:
                spares -= 1
                link[spare[spares]] = head
                head, filled = np.int64(spare[spares]), 0
            pool[head * BLOCK + filled] = table[number]
            filled += 1
            kept += 1
    return kept, head, filled, spares


def bucket_size(blocks: Any, chains: Any, bucket: Any) -> Any:
    """Return how many keys and blocks a bucket has in several sets of chains."""
    block: Any
    fill: Any
    keys, used = 0, 0
    for number in range(chains.heads.shape[0]):
        block, fill = np.int64(chains.heads[number, bucket]), np.int64(chains.fills[number, bucket])
        while block != NONE:
            keys, used = keys + fill, used + 1
            block, fill = np.int64(blocks.link[block]), BLOCK
    return keys, used


def table_bits(keys: Any) -> Any:
    """Return k for a hash table of 2^k places, of which the keys take at most seven in eight."""
    bits = 6
    while (1 << bits) * 7 < keys * 8:
        bits += 1
    return bits


def release_chains(blocks: Any, chains: Any) -> Any:
    """Return all blocks of a layer to the pool."""
    free, shared = blocks.free, blocks.shared
    for bucket in range(chains.heads.size):
        block = np.int64(chains.heads[bucket])
        while block != NONE:
            free[shared[FREE]] = block
            shared[FREE] += 1
            block = np.int64(blocks.link[block])


def list_chains(blocks: Any, chains: Any, shift: Any, keys: Any) -> Any:
    """Write all keys of a layer into an array, uint64[number of keys]."""
    block: Any
    fill: Any
    place = 0
    for bucket in range(chains.heads.size):
        block, fill = np.int64(chains.heads[bucket]), np.int64(chains.fills[bucket])
        while block != NONE:
            for number in range(fill):
                entry = np.uint64(blocks.entries[block * BLOCK + number])
                keys[place] = key_of(blocks, shift, bucket, entry)
                place += 1
            block, fill = np.int64(blocks.link[block]), BLOCK


def largest_bucket(blocks: Any, chains: Any) -> Any:
    """Return how many keys the largest bucket of a layer has."""
    block: Any
    most: Any = 0
    for bucket in range(chains.heads.size):
        keys = np.int64(chains.fills[bucket])
        block = np.int64(chains.heads[bucket])
        while block != NONE and blocks.link[block] != NONE:
            keys, block = keys + BLOCK, np.int64(blocks.link[block])
        most = max(most, keys)
    return most


def list_common(blocks: Any, chains: Any, others: Any, first: Any, end: Any, shift: Any, table: Any, keys: Any) -> Any:
    """Write the keys in some buckets of a layer that another layer has as well.

    Args:
        blocks, first, end, shift: see `expand_buckets`.
        chains, others: `Chains` of the two layers.
        table: entries[2^k], with more places than any of the buckets of `chains` has keys.
        keys: uint64[any], written: at least as many as the buckets of `chains` have.

    Returns:
        How many were written.
    """
    block: Any
    fill: Any
    found = 0
    up = SIXTYFOUR - shift
    down = SIXTYFOUR - np.uint64(table_bits(table.size // 8 * 7))
    mask = np.uint64(table.size - 1)
    for bucket in range(first, end):
        if chains.heads[bucket] == NONE or others.heads[bucket] == NONE:
            continue
        table[:] = ZERO
        has_zero = False  # see `keep_new`
        block, fill = np.int64(chains.heads[bucket]), np.int64(chains.fills[bucket])
        while block != NONE:
            for number in range(fill):
                known = np.uint64(blocks.entries[block * BLOCK + number])
                has_zero = has_zero or known == ZERO
                place = hash_of_entry(blocks, known, up) >> down
                while table[place] != ZERO and table[place] != known:
                    place = (place + ONE) & mask
                table[place] = known
            block, fill = np.int64(blocks.link[block]), BLOCK
        block, fill = np.int64(others.heads[bucket]), np.int64(others.fills[bucket])
        while block != NONE:
            for number in range(fill):
                wanted = np.uint64(blocks.entries[block * BLOCK + number])
                place = hash_of_entry(blocks, wanted, up) >> down
                while table[place] != ZERO and table[place] != wanted:
                    place = (place + ONE) & mask
                if table[place] == wanted and (wanted != ZERO or has_zero):
                    keys[found] = key_of(blocks, shift, bucket, wanted)
                    found += 1
            block, fill = np.int64(blocks.link[block]), BLOCK
    return found


def add_keys(blocks: Any, chains: Any, shift: Any, keys: Any) -> Any:
    """Add distinct keys, uint64[any], none too large, to the chains of a layer; there must be enough free blocks."""
    free, shared = blocks.free, blocks.shared
    for number in range(keys.size):
        to, entry = entry_of(blocks, shift, keys[number])
        if chains.heads[to] == NONE or chains.fills[to] == BLOCK:
            shared[FREE] -= 1
            blocks.link[free[shared[FREE]]] = chains.heads[to]
            chains.heads[to], chains.fills[to] = free[shared[FREE]], 0
        blocks.entries[np.int64(chains.heads[to]) * BLOCK + chains.fills[to]] = entry
        chains.fills[to] += 1
