"""The entries of a level: in chains of blocks, packed, and in its file."""

from collections.abc import Iterable, Iterator

import numpy as np

from parsolve.levels.chains import Chains, pieces
from parsolve.levels.files import PARTS, LevelFile, Packed
from parsolve.levels.pool import Array


class Level:
    """Entries of a level. Whenever a method ends, with an error or without, each entry exists once.

    Args:
        chains: what it has in common with the other levels of the search.

    Attributes:
        sets: int64[buckets] each: chains; see `templates.blocks`. A key may be in several.
        merged: number of entries in the first set, if each key occurs once in it; otherwise 0.
        size: maximum number of entries in all sets.
        file: the entries that memory did not hold, from `part` on.
    """

    def __init__(
        self, chains: Chains, sets: Iterable[Array] = (), size: int = 0, file: LevelFile | None = None
    ) -> None:
        self.chains, self.sets, self.merged, self.size, self.file, self.part = chains, [*sets], 0, size, file, 0

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries(self.part, PARTS) if self.file is not None else 0)

    # Its entries.

    def packed(self, words: int = 0) -> Iterator[Packed]:
        """Yield the entries that a level has in memory, in pieces, with counts of `words`, or as many as needed."""
        for ends, first, last in self._pieces():
            packed = self.chains.pack(ends, first, last, words)
            if len(packed.entries):
                yield packed

    def read(self) -> Iterator[Packed]:
        """Yield the entries of a level, in memory and in its file, in pieces."""
        yield from self.packed()
        if self.file is not None:
            yield from self.file.read_all(self.part, PARTS)

    def read_keys(self) -> Iterator[Array]:
        """Yield the keys of a level in pieces: uint64[n, words]."""
        form = self.chains.form
        for packed in self.read():
            yield packed.entries.reshape(-1, form.head + packed.words)[:, : len(form.like)]

    def keys(self) -> Array:
        """Return the keys of one word of a level: uint64[n]."""
        return np.concatenate([np.zeros(0, np.uint64), *(keys[:, 0] for keys in self.read_keys())])

    def _pieces(self) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level in pieces: a set, its first bucket, and the one after the last."""
        words = (self.chains.form.head + self.chains.counts) * self.size
        return ((ends, *piece) for ends in self.sets for piece in pieces(ends, words))

    # Change it.

    def strip(self, size: int) -> None:
        """Keep only the first words of each entry of a level in memory that is expanded."""
        chains = self.chains
        if self.file is not None or not self.sets or size == chains.form.least:
            return
        every = [*self._pieces()]

        def strip(thread: int, piece: int) -> None:
            ends, first, last = every[piece]
            chains.rewrite(thread, ends, first, last, ends, size)

        chains.threads.each(len(every), strip, self.size, stoppable=False)
        chains.give_back()

    def write(self, file: LevelFile) -> None:
        """Write a level's entries from memory to a file."""
        chains, every = self.chains, [*self._pieces()]

        def write(thread: int, piece: int) -> None:
            ends, first, last = every[piece]
            packed = chains.pack(ends, first, last)
            if len(packed.entries):
                file.write(packed)
            chains.release(thread, ends[first:last])

        chains.threads.each(len(every), write)
        self.sets, self.merged, self.size = [], 0, 0

    def release(self) -> None:
        """Give the blocks of a level back."""
        for ends in self.sets:
            self.chains.release(0, ends)
        self.sets, self.merged, self.size = [], 0, 0
        self.chains.give_back()
