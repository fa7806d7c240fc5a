"""How many solutions lie below each state: templates that take the layers of `entries` from the last to the first.

The entries of a layer are expanded again, and to each is added what the tables of later layers hold for its children.
In these tables a count says how many solutions are below; an entry without any is left out.

`expand`, `solved`, `key`, `level` and `leveled` are injected by `compile`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.kernel.entries import NONE, add_count, is_free, same_words
from parsolve.kernel.keys import hash_at, store_words, words_of
from parsolve.kernel.search import ONE, ZERO

# The places of `tally`, int64[2]: how many entries have solutions below them; words of the greatest count.
KEPT, WORDS = range(2)

expand: Callable[..., Any]
solved: Callable[..., Any]
key: Callable[..., Any]
level: Callable[..., Any]
leveled: bool  # whether the puzzle gives a level


def copy_keys(entries: Any, counts: Any, new: Any, head: Any) -> Any:
    """Copy the keys of a table's entries one after another, with what they cost, each as an entry with the count 1.

    Args:
        entries: uint64[places * words of an entry].
        counts: words of a count in `entries`.
        new: uint64[entries * (head + 1)].
        head: words of an entry before its count.
    """
    to = 0
    for at in range(0, entries.size, head + counts):
        if not is_free(entries, at + head, counts):
            for word in range(head):
                new[to + word] = entries[at + word]
            new[to + head] = ONE
            to += head + 1


def add_below(
    sums: Any, counts: Any, children: Any, first: Any, entries: Any, entry_counts: Any, like: Any, head: Any, bits: Any
) -> Any:
    """Add to the sums of parents what a table holds for their children, of those in a chain.

    Args:
        sums: uint64[parents * (head + counts)]; packed parents have their places there.
        counts: words of a count in `sums`, enough for any sum.
        children: `entries.Children`, of packed parents.
        first: the first child.
        entries: uint64[2^k * words of an entry]: the table.
        entry_counts: words of a count in `entries`.
        like: any key, as a tuple: its length is known when this is compiled.
        head: words of an entry before its count.
        bits: of a word of a count.
    """
    child = np.int64(first)
    while child != NONE:
        at = find_entry(entries, entry_counts, children.keys, child, children.costs[child], like, head)
        if at >= 0:
            parent = children.parents[child] // (head + 1)
            add_count(sums, parent * (head + counts) + head, counts, entries, at + head, entry_counts, bits)
        child = np.int64(children.link[child])


def finish_sums(sums: Any, counts: Any, packed: Any, ends: Any, tally: Any, head: Any, bits: Any) -> Any:
    """Write the keys of parents to their sums, and add the children that are solved themselves.

    Args:
        sums, counts, head, bits: see `add_below`.
        packed: uint64[parents * (head + 1)].
        ends: uint32[parents]: how many children of each are solved.
        tally: see above; written.
    """
    full = (ONE << np.uint64(bits)) - ONE
    kept, most = 0, 1
    for parent in range(ends.size):
        at = parent * (head + counts)
        for word in range(head):
            sums[at + word] = packed[parent * (head + 1) + word]
        carry = np.uint64(ends[parent])
        last = 0
        for word in range(counts):
            total = sums[at + head + word] + carry
            sums[at + head + word] = total & full
            carry = total >> np.uint64(bits)
            if total & full != ZERO:
                last = word + 1
        kept += last > 0
        most = max(most, last)
    tally[KEPT], tally[WORDS] = kept, most


def find_entry(entries: Any, counts: Any, keys: Any, child: Any, cost: Any, like: Any, head: Any) -> Any:
    """Return where the entry of a child begins; -1 if there is none, or if its state is reached at less cost.

    Args:
        entries: uint64[2^k * words of an entry].
        counts: words of a count.
        keys: uint64[n * words].
        child, cost: which key, and at what cost its state is reached.
        like, head: see `add_below`.
    """
    words = len(like)
    size = head + counts
    mask = np.uint64(entries.size // size - 1)
    place = hash_at(keys, child * words, like) & mask
    at = np.int64(place) * size
    while not is_free(entries, at + head, counts):
        if same_words(entries, at, keys, child * words, like):
            return at if head == words or entries[at + words] == np.uint64(cost) else np.int64(NONE)
        place = (place + ONE) & mask
        at = np.int64(place) * size
    return np.int64(NONE)


def write_ways(tables: Any, rows: Any, keys: Any, levels: Any, ends: Any, now: Any, limit: Any, most: Any) -> Any:
    """Write the children of a state, and return how many there are; -1 if there are too many.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + most, and what an expansion may overrun]: the state; its children are written behind it.
        keys: uint64[most * words]: their keys, written.
        levels: int64[most]: their levels, written.
        ends: bool[most]: whether they are solved, written.
        now: the level of the state.
        limit: children that cost more are left out.
        most: the most children of a state.
    """
    top = expand(tables, rows[0], limit, rows, 1)
    if top > most + 1:
        return -1
    for child in range(top - 1):
        row = rows[child + 1]
        ends[child] = solved(tables, row)
        levels[child] = np.int64(level(tables, row)) if leveled else now + 1
        words = words_of(key(tables, row))
        store_words(keys, np.uint64(child) * np.uint64(len(words)), words)
    return top - 1
