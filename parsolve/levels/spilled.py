"""Levels in files: written by bucket, and read back piece by piece."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from parsolve.levels.chains import Chains, Level
from parsolve.levels.files import PARTS, LevelFile, Packed, Room, end_of
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import put_entries
from parsolve.levels.pool import Array
from parsolve.levels.templates.blocks import BLOCK, FILES
from parsolve.search.budget import Budget

READ = 8
"""Pieces of files take at most a READ-th of the memory."""


class Spilled(Chains):
    """Levels in memory and in files; for `Levels`, which sets `folder`, `graph` and `_budget`."""

    folder: Path | None
    graph: Graph | None
    _budget: Budget

    @abstractmethod
    def make_room(self, wanted: int) -> None:
        """Free blocks; see `Levels`."""

    @property
    def settled(self) -> dict[int, Level]:
        """The settled levels that stay, by number."""
        return {} if self.graph is None else self.graph.levels

    def new_file(self, stays: bool) -> LevelFile:
        """Return a new file; one is for all settled levels, if none is ever forgotten, as there may be many."""
        assert self.folder is not None
        is_for_all = stays and self.graph is not None and self.graph.stays
        rooms = (each.file.room for each in self.settled.values() if is_for_all and each.file is not None)
        return LevelFile(next(rooms, None) or Room(self.folder), self.form)

    def read(self, level: Level) -> Iterator[Packed]:
        """Yield the entries of a level, in memory and in its file, in pieces."""
        yield from self.packed_of(level)
        if level.file is not None:
            yield from level.file.read_all(level.part, PARTS)

    def entries_of(self, level: Level) -> Array:
        """Return the entries of a level, packed: uint64[n * words]."""
        return np.concatenate([np.zeros(0, np.uint64), *(each.entries for each in self.read(level))])

    def write(self, level: Level, file: LevelFile | None = None) -> None:
        """Write a level's entries from memory to a file, by default its own."""
        if file is None:
            file = level.file = level.file or self.new_file(level in self.settled.values())
        pieces = [*self._pieces_of(level)]

        def write(thread: int, piece: int) -> None:
            ends, first, last = pieces[piece]
            packed = self._packed(ends, first, last)
            if len(packed.entries):
                file.write(packed)
            self.release_chains(thread, ends[first:last])

        self._threads.each(len(pieces), write)
        level.sets, level.merged, level.size = [], 0, 0

    @contextmanager
    def loaded(self, first: int, *groups: Sequence[Level]) -> Iterator[tuple[int, list[list[Level]]]]:
        """Give each group of levels in memory: in place of their files, parts of these from the first one on, as one
        level that is not merged. They are forgotten afterwards.

        Yields:
            The part with which to continue, PARTS if all were given, and the groups.
        """
        end, found = self.load(first, *groups)
        try:
            yield end, found
        finally:
            for level in (each for old, new in zip(groups, found, strict=True) for each in new if each not in old):
                self.release(level)

    def load(self, first: int, *groups: Sequence[Level]) -> tuple[int, list[list[Level]]]:
        """Return the same as `loaded` yields."""
        every, sizes, end = [level for group in groups for level in group], [-1], PARTS
        while True:
            for level in every:
                if level.file is not None and level.sets:
                    self.write(level)
            files = [level.file for level in every if level.file is not None]
            width = max((file.width for file in files), default=1)
            # The hashes of a part of a bucket are alike, and merging it takes longer.
            most, bucket = self.pool.most // READ * (BLOCK // width), max(1, PARTS >> self.bits)
            end = end_of(files, first, most, bucket) if files else PARTS
            before, sizes = sizes, [file.entries(first, end) for file in files]
            if sizes == before or not files:
                break
            chains = len(groups) * len(self.hands) * (2 + ((end - first) << self.bits >> FILES))
            self.make_room(sum(sizes) // (BLOCK // width) + chains)  # may write more to files
        found = [[level for level in group if level.file is None] for group in groups]
        work = []
        for group, new in zip(groups, found, strict=True):
            its = [level.file for level in group if level.file is not None]
            if its:
                size = sum(file.entries(first, end) for file in its)
                sets = [np.zeros(1 << self.bits, np.int64) for _ in self.hands if size]
                new.append(Level(sets, size=size))
                work += [(new[-1].sets, file, run) for file in its for run in file.runs(first, end)]

        def read(thread: int, piece: int) -> None:
            sets, file, run = work[piece]
            packed, at = file.read(run, first, end), 0
            blocks, ends, own, entries = self.pool.blocks, sets[thread], self.hands[thread].own, packed.entries
            size, last = self.form.head + packed.words, len(entries)
            while at < last:
                at = put_entries(blocks, ends, own, entries, at, last, size, width, self.form.like, self.bits)
                if at < last and not self.pool.grow():
                    raise self._budget.short()

        try:
            self._threads.each(len(work), read)
        except BaseException:
            for sets, _, _ in work:
                self.release(Level(sets))
            raise
        return end, found
