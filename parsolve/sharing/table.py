"""A part of a level as a hash table: keys, each with the number of ways to its state."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from parsolve.breadth.layers import Array
from parsolve.kernel.entries import BUCKETS, FULL, WIDER, Children
from parsolve.kernel.sharing import copy_keys, merge_children, merge_entries, pack_entries
from parsolve.search.budget import Budget

SMALLEST = 64
"""Places of an empty table."""

LOAD = 0.75
"""The share of its places that a table fills at most."""

PACKED = 8 << 20
"""Bytes of entries that are packed at once, at most."""


class Form(NamedTuple):
    """What all tables of a search have in common.

    Attributes:
        like: any key, as a tuple of as many words.
        head: words of an entry before its count: those of its key, and one more if it has a cost.
        bits: of a word of a count.
        memory: that they take.
    """

    like: tuple[Any, ...]
    head: int
    bits: int
    memory: Budget

    def bytes_of(self, places: int, words: int) -> int:
        """Return the bytes of `places` entries whose counts have `words`."""
        return 8 * places * (self.head + words)


class Packed(NamedTuple):
    """Entries without a free place between them.

    Attributes:
        entries: uint64[n * words of an entry], by bucket.
        words: of a count.
        starts: int64[BUCKETS + 1]: by bucket, which entry is the first; and how many they are.
    """

    entries: Array
    words: int
    starts: Array


class Table:
    """A part of a level: `places` entries whose counts have `words`, `used` of them not free.

    Args:
        form: of its entries.
        places: a power of 2; where it is only expanded, any number.
        words: of a count.

    Raises:
        OutOfMemory: it does not fit.
    """

    def __init__(self, form: Form, places: int = SMALLEST, words: int = 1) -> None:
        self.form, self.places, self.words, self.used = form, places, words, 0
        self.entries: Array = self._room_for(places, words)  # uint64[places * words of an entry]

    def _room_for(self, places: int, words: int) -> Array:
        size = self.form.bytes_of(places, words)
        self.form.memory.take(size)
        return np.zeros(size // 8, np.uint64)

    def free(self) -> None:
        """Give its memory back; it has no place any more."""
        self.form.memory.take(-self.entries.nbytes)
        self.entries, self.places, self.used = self.entries[:0], 0, 0

    def with_keys(self) -> "Table":
        """Return its keys one after another, as a table to be expanded, and give its own memory back."""
        table = Table(self.form, int(self.used))
        copy_keys(self.entries, self.words, table.entries, self.form.head)
        table.used = self.used
        self.free()
        return table

    def restart(self) -> None:
        """Leave its entries to others, which have them."""
        self.free()
        self.places = SMALLEST
        self.entries = self._room_for(self.places, self.words)

    def needs(self, more: int, words: int) -> int:
        """Return the bytes that it takes besides, at most, while it gets `more` entries with counts of `words`; 0 if it
        has room for them."""
        places, words = max(self.places, places_for(self.used + more)), max(self.words, words)
        if (places, words) == (self.places, self.words):
            return 0
        return self.form.bytes_of(places, words) * 3 // 2  # it gets there twice as large each time

    def change(self, places: int, words: int) -> None:
        """Give it other numbers of places and of words of a count, which its entries fit.

        Raises:
            OutOfMemory: it does not fit memory; nothing has changed.
        """
        before, known = self.entries, self.words
        self.entries = self._room_for(places, words)
        self.places, self.words, self.used = places, words, 0
        self.merge_packed(before, known, np.zeros(1, np.int64))
        self.form.memory.take(-before.nbytes)

    def enlarge(self, came: int) -> None:
        """Give it room for more entries, FULL, or longer counts, WIDER.

        Raises:
            OutOfMemory: it does not fit memory; nothing has changed.
        """
        self.change(self.places << (came == FULL), self.words + (came == WIDER))

    def merge(self, children: Children, parents: "Table", run: Array) -> int:
        """Merge a chain of children into it; its counts have as many words as theirs, at least.

        Args:
            children: with the chain.
            parents: the table of their parents.
            run: int64[1], the child to begin with; afterwards the one to continue with.

        Returns:
            FULL or WIDER where it must be enlarged before it continues; 0 if all are merged.
        """
        form, both = self.form, np.array([run[0], self.used])
        came = merge_children(
            self.entries,
            children,
            parents.entries,
            both,
            form.like,
            form.head,
            self.words,
            parents.words,
            form.bits,
            int(LOAD * self.places),
        )
        run[0], self.used = both
        return int(came)

    def merge_packed(self, entries: Array, words: int, run: Array, part: int = 0, parts: int = 1) -> int:
        """Merge the entries of one part of others, packed or with free places between them; `run`, the place to begin
        with, and what is returned are as `merge` has them."""
        form, both = self.form, np.array([run[0], self.used])
        came = merge_entries(
            self.entries,
            entries,
            both,
            form.like,
            form.head,
            self.words,
            words,
            form.bits,
            int(LOAD * self.places),
            part,
            parts,
        )
        run[0], self.used = both
        return int(came)

    def packed(self, first: int = 0, end: int | None = None) -> Iterator[Packed]:
        """Yield the entries in some places, by default all, some of them at once."""
        if not self.used:
            return
        size = self.form.head + self.words
        step = max(SMALLEST, PACKED // (8 * size))
        last = self.places if end is None else end
        for begin in range(first, last, step):
            stop = min(begin + step, last)
            entries, starts = np.empty(min(stop - begin, self.used) * size, np.uint64), np.zeros(BUCKETS + 1, np.int64)
            pack_entries(self.entries, begin, stop, entries, starts, self.form.like, self.form.head, self.words)
            if starts[-1]:
                yield Packed(entries[: int(starts[-1]) * size], self.words, starts)


def places_for(entries: int) -> int:
    """Return the places of a table that has room for `entries`."""
    return 1 << (max(SMALLEST, math.ceil(entries / LOAD)) - 1).bit_length()


def used(tables: list[Table]) -> int:
    """Return how many entries some tables have."""
    return sum(int(table.used) for table in tables)
