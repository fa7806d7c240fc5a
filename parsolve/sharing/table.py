"""A part of a level as a hash table: keys, each with the number of ways to its state; and the memory of all of them."""

import threading
from typing import Any, NamedTuple

import numpy as np

from parsolve.breadth.layers import Array
from parsolve.errors import OutOfMemory
from parsolve.kernel import entries as kernel_code
from parsolve.kernel.entries import Children
from parsolve.kernel.sharing import merge_children, move_entries, pack_entries

SMALLEST = 64
"""Places of an empty table."""

LOAD = 0.75
"""The share of its places that a table fills at most."""


class Memory:
    """The bytes that the tables of one search may take, and those that they have taken; threads share it.

    Args:
        name: of the problem, for messages.
        most: bytes.
    """

    def __init__(self, name: str, most: int) -> None:
        self._name, self.most = name, most
        self.taken, self._lock = 0, threading.Lock()

    def take(self, size: int) -> None:
        """Note bytes that are taken or, if negative, given back.

        Raises:
            OutOfMemory: there are not as many.
        """
        with self._lock:
            self.taken += size
        if size > 0 and self.taken > self.most:
            raise OutOfMemory(
                f"{self._name}: the next states with their counts take more than the"
                f" {max(0, self.most) / 2**20:,.0f} MB that are left for them (--max-memory)"
            )


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
    memory: Memory


class Table:
    """A part of a level: `places` entries whose counts have `words`, `used` of them not free.

    Args:
        form: of its entries.
        places: a power of 2; if it is only to be expanded, any number.
        words: of a count.

    Raises:
        OutOfMemory: it does not fit.
    """

    def __init__(self, form: Form, places: int = SMALLEST, words: int = 1) -> None:
        self.form, self.places, self.words, self.used = form, places, words, 0
        self.entries: Array = self._room_for(places, words)  # uint64[places * words of an entry]

    def _room_for(self, places: int, words: int) -> Array:
        size = places * (self.form.head + words)
        self.form.memory.take(8 * size)
        return np.zeros(size, np.uint64)

    def packed(self) -> "Table":
        """Return its entries one after another, each with the count 1, and give its own memory back."""
        table = Table(self.form, self.used)
        pack_entries(self.entries, self.words, table.entries, self.form.head)
        table.used = self.used
        self.free()
        return table

    def free(self) -> None:
        """Give its memory back; it is of no use any more."""
        self.form.memory.take(-self.entries.nbytes)

    def merge(self, parents: "Table", children: Children, first: int) -> None:
        """Merge a chain of children into it, the first of which is given.

        Raises:
            OutOfMemory: they do not fit.
        """
        form, run = self.form, np.array([first, self.used])
        if self.words < parents.words:
            self._replace(self.places, parents.words)
        while True:
            ended = merge_children(
                self.entries,
                children,
                parents.entries,
                run,
                form.like,
                form.head,
                self.words,
                parents.words,
                form.bits,
                int(LOAD * self.places),
            )
            self.used = int(run[1])
            if ended == kernel_code.MERGED:
                return
            wider = ended == kernel_code.WIDER
            self._replace(self.places << (not wider), self.words + wider)

    def _replace(self, places: int, words: int) -> None:
        """Give it other numbers of places and of words of a count."""
        before, known = self.entries, self.words
        self.entries = self._room_for(places, words)
        self.places, self.words = places, words
        move_entries(before, known, self.entries, words, self.form.like, self.form.head, 0, 1)
        self.form.memory.take(-before.nbytes)

    def split(self, parts: int) -> list["Table"]:
        """Return its entries as tables for the parts of a level, a power of 2, and give its own memory back."""
        tables = []
        for part in range(parts):
            table = Table(self.form, self.places, self.words)
            moving = self.entries, self.words, table.entries, table.words, self.form.like, self.form.head
            table.used = int(move_entries(*moving, part, parts))
            tables.append(table)
        self.free()
        return tables


def used(tables: list[Table]) -> int:
    """Return how many entries some tables have."""
    return sum(table.used for table in tables)
