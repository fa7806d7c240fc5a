"""Search breadth-first over keys alone: templates that `compile` specialises for a puzzle's rules.

The keys of a layer are divided into buckets by their hash. A bucket is a chain of blocks from one pool: its head is the
block being filled, `link` gives the block before, and all but the head are full. A layer is made in two passes. In the
first, threads expand buckets and add the children's keys to chains of their own, which only takes blocks from the pool.
In the second, one thread takes a bucket of all of these chains and of the older layers in which a child may lie: its
hash table fits the processor's cache. New keys are written back over the children's own blocks, and the blocks left
over go back to the pool.

A bucket may hold entries instead of keys: a key below 2^56 with the cost of the state above it. Then the least entry of
each key is kept (`keep_least`).

`expand`, `solved`, `key`, `key_far`, `unkey`, `watch`, `costly` and `keep` are injected by `compile`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.kernel.atomics import atomic_add
from parsolve.kernel.keys import MIX
from parsolve.kernel.marks import inlined
from parsolve.kernel.sampling import choose, hash_of_id
from parsolve.kernel.search import NO_LIMIT, ONE, ZERO

BLOCK = 512
"""Keys in a block: one page."""

NONE = -1
"""No block."""

# The places of `shared`, int64[SHARED]: how many blocks are free; whether there were too few, a state had too many
# children, a move did not cost 1, a state was solved, or the state of a key has another one: which key.
FREE, FULL, CROWDED, COSTLY, SOLVED, UNLIKE, CULPRIT = range(7)
SHARED = 7

SIXTYFOUR = np.uint64(64)

COST, KEY = np.uint64(56), np.uint64((1 << 56) - 1)
"""Where the cost of an entry begins, and the bits of its key."""

HIGHEST = 255
"""Above the cost of any entry."""

FREE_ENTRY = np.uint64((1 << 64) - 1)
"""No entry."""

expand: Callable[..., Any]
solved: Callable[..., Any]
key: Callable[..., Any]
key_far: Callable[..., Any]
unkey: Callable[..., Any]
watch: bool
costly: bool  # whether keys have the cost above them
keep: Callable[..., Any]


def expand_buckets(
    tables: Any,
    rows: Any,
    pool: Any,
    link: Any,
    free: Any,
    shared: Any,
    heads: Any,
    fills: Any,
    first: Any,
    end: Any,
    out_heads: Any,
    out_fills: Any,
    shift: Any,
    chosen: Any,
    past: Any,
    most: Any,
    proved: Any,
    sampled: Any,
) -> Any:
    """Expand the keys in some buckets of a layer, and add the children's keys to this thread's chains.

    Args:
        tables: the puzzle's.
        rows: record[1 + most, and what an expansion may overrun]: this thread's own.
        pool: uint64[blocks * BLOCK]; link: int32[blocks]; free: int32[blocks], the numbers of free blocks.
        shared: int64[SHARED].
        heads, fills: int32[buckets], of the layer: the head of each bucket's chain, and how many keys it has.
        first, end: which buckets.
        out_heads, out_fills: the same of this thread's chains.
        shift: 64 - the bits of a bucket's number.
        chosen: uint64[any], see `sampling.choose`: this thread's own.
        past: whether solved states are expanded too.
        most: the most children of a state.
        proved, sampled: see `dense.expand_words`.
    """
    block: Any
    head: Any
    fill: Any
    size: Any
    here = rows[0]
    for bucket in range(first, end):
        block, size = np.int64(heads[bucket]), np.int64(fills[bucket])
        while block != NONE:
            for entry in range(size):
                here.bound = 0
                known, cost = pool[block * BLOCK + entry], ZERO
                if costly:
                    known, cost = known & KEY, known >> COST
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
                    if (rows[child].cost >= HIGHEST or new > KEY) if costly else watch and rows[child].cost != 1:
                        shared[COSTLY] = 1
                        return
                    to = new * MIX >> shift
                    if costly:
                        new |= np.uint64(rows[child].cost) << COST
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
    pool: Any,
    link: Any,
    free: Any,
    shared: Any,
    old_heads: Any,
    old_fills: Any,
    heads: Any,
    fills: Any,
    new_heads: Any,
    new_fills: Any,
    first: Any,
    end: Any,
    shift: Any,
    table: Any,
    copy: Any,
    spare: Any,
    pause: Any,
) -> Any:
    """Make the next layer, in some buckets, of the threads' chains: `keep`, which is injected, says of what.

    Args:
        pool, link, free, shared, shift: see `expand_buckets`.
        old_heads, old_fills: int32[older layers, buckets], the layers in which a child may lie.
        heads, fills: int32[threads, buckets], the children.
        new_heads, new_fills: int32[buckets], written.
        first, end: which buckets.
        table: uint64[any]; copy: uint64[BLOCK]; spare: int32[any]: this thread's own.
        pause: int64[2]: where `table` or `spare` is too small, the bucket to continue with and the size that is wanted
            of both; else `end`.

    Returns:
        How many keys were kept.
    """
    kept = 0
    for bucket in range(first, end):
        new_heads[bucket], new_fills[bucket] = NONE, 0
        children, blocks = bucket_size(link, heads, fills, bucket)
        if children == 0:
            continue
        bits = table_bits(children + bucket_size(link, old_heads, old_fills, bucket)[0])
        size = 1 << bits
        if size > table.size or blocks > spare.size:
            pause[0], pause[1] = bucket, max(size, blocks)
            return kept
        up, down = SIXTYFOUR - shift, SIXTYFOUR - np.uint64(bits)
        new, spares = keep(
            pool,
            link,
            old_heads,
            old_fills,
            heads,
            fills,
            new_heads,
            new_fills,
            bucket,
            up,
            down,
            table[:size],
            copy,
            spare,
        )
        kept += new
        for number in range(spares):
            free[atomic_add(shared, np.uint64(FREE), 1)] = spare[number]
    pause[0] = end
    return kept


def keep_new(
    pool: Any,
    link: Any,
    old_heads: Any,
    old_fills: Any,
    heads: Any,
    fills: Any,
    new_heads: Any,
    new_fills: Any,
    bucket: Any,
    up: Any,
    down: Any,
    table: Any,
    copy: Any,
    spare: Any,
) -> Any:
    """Keep of the children in a bucket, each once, those that lie in no older layer.

    Args:
        pool, link, old_heads, old_fills, heads, fills, new_heads, new_fills, table, copy, spare: see `merge_buckets`.
        bucket: its number.
        up, down: by how much a hash is shifted to leave its place in the table.

    Returns:
        How many keys were kept, and how many blocks stand in `spare` and are left over.
    """
    block: Any
    fill: Any
    kept, spares = 0, 0
    mask = np.uint64(table.size - 1)
    table[:] = ZERO
    has_zero = False  # the key 0, which marks a free place, is remembered here
    for layer in range(old_heads.shape[0]):
        block, fill = np.int64(old_heads[layer, bucket]), np.int64(old_fills[layer, bucket])
        while block != NONE:
            for entry in range(fill):
                known = pool[block * BLOCK + entry]
                has_zero = has_zero or known == ZERO
                place = (known * MIX << up) >> down
                while table[place] != ZERO and table[place] != known:
                    place = (place + ONE) & mask
                table[place] = known
            block, fill = np.int64(link[block]), BLOCK
    for thread in range(heads.shape[0]):
        block, fill = np.int64(heads[thread, bucket]), np.int64(fills[thread, bucket])
        while block != NONE:
            before = np.int64(link[block])
            for entry in range(fill):  # what is kept is written over the children
                copy[entry] = pool[block * BLOCK + entry]
            spare[spares] = block
            spares += 1
            for entry in range(fill):
                child = copy[entry]
                place = (child * MIX << up) >> down
                while table[place] != ZERO and table[place] != child:
                    place = (place + ONE) & mask
                if table[place] == child and (child != ZERO or has_zero):
                    continue
                has_zero = has_zero or child == ZERO
                table[place] = child
                spares = append(pool, link, new_heads, new_fills, bucket, spare, spares, child)
                kept += 1
            block, fill = before, BLOCK
    return kept, spares


def keep_least(
    pool: Any,
    link: Any,
    old_heads: Any,
    old_fills: Any,
    heads: Any,
    fills: Any,
    new_heads: Any,
    new_fills: Any,
    bucket: Any,
    up: Any,
    down: Any,
    table: Any,
    copy: Any,
    spare: Any,
) -> Any:
    """Keep of the children in a bucket the least entry of each key; for the arguments see `keep_new`."""
    block: Any
    fill: Any
    kept, spares = 0, 0
    mask = np.uint64(table.size - 1)
    table[:] = FREE_ENTRY
    for thread in range(heads.shape[0]):
        block, fill = np.int64(heads[thread, bucket]), np.int64(fills[thread, bucket])
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
            spares = append(pool, link, new_heads, new_fills, bucket, spare, spares, table[number])
            kept += 1
    return kept, spares


@inlined
def append(pool: Any, link: Any, heads: Any, fills: Any, bucket: Any, spare: Any, spares: Any, new: Any) -> Any:
    """Add a key to the chain of a bucket, with the last of the spare blocks where the head is full.

    Returns:
        How many spare blocks are left.
    """
    if heads[bucket] == NONE or fills[bucket] == BLOCK:
        spares -= 1
        link[spare[spares]] = heads[bucket]
        heads[bucket], fills[bucket] = spare[spares], 0
    pool[np.int64(heads[bucket]) * BLOCK + fills[bucket]] = new
    fills[bucket] += 1
    return spares


def bucket_size(link: Any, heads: Any, fills: Any, bucket: Any) -> Any:
    """Return how many keys and how many blocks a bucket has in several sets of chains, int32[sets, buckets]."""
    block: Any
    fill: Any
    keys, blocks = 0, 0
    for number in range(heads.shape[0]):
        block, fill = np.int64(heads[number, bucket]), np.int64(fills[number, bucket])
        while block != NONE:
            keys, blocks = keys + fill, blocks + 1
            block, fill = np.int64(link[block]), BLOCK
    return keys, blocks


def table_bits(keys: Any) -> Any:
    """Return the bits of a place in a hash table for so many keys, which take at most seven in eight places."""
    bits = 6
    while (1 << bits) * 7 < keys * 8:
        bits += 1
    return bits


def release_chains(link: Any, free: Any, shared: Any, heads: Any) -> Any:
    """Give all blocks of a layer back to the pool."""
    for bucket in range(heads.size):
        block = np.int64(heads[bucket])
        while block != NONE:
            free[shared[FREE]] = block
            shared[FREE] += 1
            block = np.int64(link[block])


def list_chains(pool: Any, link: Any, heads: Any, fills: Any, keys: Any) -> Any:
    """Write all keys of a layer into uint64[as many]."""
    block: Any
    fill: Any
    place = 0
    for bucket in range(heads.size):
        block, fill = np.int64(heads[bucket]), np.int64(fills[bucket])
        while block != NONE:
            for entry in range(fill):
                keys[place] = pool[block * BLOCK + entry]
                place += 1
            block, fill = np.int64(link[block]), BLOCK


def add_keys(pool: Any, link: Any, free: Any, shared: Any, heads: Any, fills: Any, shift: Any, keys: Any) -> Any:
    """Add different keys, uint64[any], to the chains of a layer; there must be enough free blocks."""
    for number in range(keys.size):
        to = keys[number] * MIX >> shift
        if heads[to] == NONE or fills[to] == BLOCK:
            shared[FREE] -= 1
            link[free[shared[FREE]]] = heads[to]
            heads[to], fills[to] = free[shared[FREE]], 0
        pool[np.int64(heads[to]) * BLOCK + fills[to]] = keys[number]
        fills[to] += 1
