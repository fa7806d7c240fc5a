"""The levels that are not expanded yet: tables in memory and, where a folder is given, files with what does not fit."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parsolve.breadth.layers import Array
from parsolve.breadth.threads import Threads
from parsolve.errors import OutOfMemory
from parsolve.kernel.entries import BUCKETS
from parsolve.sharing.files import LevelFile
from parsolve.sharing.table import SMALLEST, Form, Packed, Table, used

WHOLE = 2
"""A level is expanded from its file if its tables take more than the memory divided by this."""

READ = 8
"""At once the memory divided by this is read: counts may get longer, and then a table is there twice."""

AT_ONCE, FEWEST = 1 << 12, 1 << 6
"""Packed entries that are merged at once, and where memory is short: any part might get all of them."""

LONGER = 3
"""How many times as much it takes then, at most."""


@dataclass
class Level:
    """The states of a level that are not expanded: a table for each part, and a file with what memory did not hold,
    from a bucket on."""

    tables: list[Table]
    file: LevelFile | None = None
    bucket: int = 0


class More(NamedTuple):
    """Entries that are to be merged: at most how many, with counts of how many words, into which part of a level."""

    level: int
    part: int
    number: int
    words: int


class Levels:
    """Levels by number. Whenever a method ends, by an error or not, each entry is there once, except for `put` and
    `enlarge`.

    Args:
        form: of all entries.
        threads: that share the work.
        folder: for files; None for no files.

    Attributes:
        parts: tables of a level, a power of 2.
    """

    def __init__(self, form: Form, threads: Threads, folder: Path | None) -> None:
        self._form, self._threads, self.folder = form, threads, folder
        self._lock = threading.Lock()
        self.parts = 1
        self._levels: dict[int, Level] = {}

    def __bool__(self) -> bool:
        return bool(self._levels)

    def __contains__(self, number: int) -> bool:
        return number in self._levels

    @property
    def numbers(self) -> list[int]:
        """The levels that have entries."""
        return [*self._levels]

    @property
    def used(self) -> int:
        """How many entries are in memory."""
        return sum(used(level.tables) for level in self._levels.values())

    @property
    def size(self) -> int:
        """The bytes of all that `packed` yields."""
        tables = [table for level in self._levels.values() for table in level.tables]
        files = [level.file.size(level.bucket) for level in self._levels.values() if level.file is not None]
        return sum(self._form.bytes_of(table.used, table.words) for table in tables) + sum(files)

    def packed(self) -> Iterator[tuple[int, Packed]]:
        """Yield all entries, some of them at once, each time with their level. One that was written to a file may be
        there several times, each time with other ways to it."""
        for number, level in self._levels.items():
            for table in level.tables:
                yield from ((number, packed) for packed in table.packed())
            if level.file is not None:
                yield from ((number, packed) for packed in level.file.packed(level.bucket, BUCKETS))

    def at(self, number: int) -> Level:
        """Return a level, made if it is not there."""
        if number not in self._levels:
            self._levels[number] = Level([Table(self._form) for _ in range(self.parts)])
        return self._levels[number]

    def split(self, parts: int) -> None:
        """Divide each level, which has one part, into several, if there is memory for it."""
        if self._form.memory.left < 2 * parts * self._form.memory.taken:
            return
        self.parts = parts
        for level in self._levels.values():
            (table,) = level.tables
            level.tables = [Table(self._form, table.places, table.words) for _ in range(parts)]
            for part, new in enumerate(level.tables):
                new.merge_packed(table.entries, table.words, np.zeros(1, np.int64), part, parts)
            table.free()

    def put(self, number: int, entries: Array, words: int) -> None:
        """Merge packed entries, whose counts have `words`, into a level.

        Raises:
            OutOfMemory: they do not fit.
        """
        width = self._form.head + words
        at, step = 0, AT_ONCE
        while at < len(entries) // width:
            some = entries[at * width : (at + step) * width]
            try:
                self.reserve([More(number, part, step, words) for part in range(self.parts)])
            except OutOfMemory:
                if step <= FEWEST:
                    raise
                step //= 4
                continue
            level = self._levels[number]
            for part, table in enumerate(level.tables):
                run = np.zeros(1, np.int64)
                if table.words < words:
                    table.change(table.places, words)
                while came := table.merge_packed(some, words, run, part, self.parts):
                    self.enlarge(level, table, came)
            at += step

    def close(self) -> None:
        """Give back what the files take."""
        for level in self._levels.values():
            if level.file is not None:
                level.file.close()

    # Memory.

    def reserve(self, wanted: Sequence[More]) -> None:
        """See to it that there is memory for entries: others are written to files where it is short.

        Raises:
            OutOfMemory: there is not.
        """
        new = {more.level for more in wanted if more.level not in self._levels}
        self._make_room(len(new) * self.parts * self._form.bytes_of(SMALLEST, 1))
        tables = [(self.at(more.level).tables[more.part], more) for more in wanted]
        # A table that is written is small afterwards, and may have to grow.
        while (needed := sum(table.needs(more.number, more.words) for table, more in tables)) > self._form.memory.left:
            self._make_room(needed)

    def enlarge(self, level: Level, table: Table, came: int) -> None:
        """Give a table room for more entries or longer counts, or, where memory is short, write it to a file. Several
        threads may, each with its table.

        Args:
            level, table: which.
            came: FULL or WIDER.

        Raises:
            OutOfMemory: it does not fit.
        """
        try:
            table.enlarge(came)
        except OutOfMemory:
            if self.folder is None:
                raise
            self._file(level).take(table)

    def _make_room(self, needed: int) -> None:
        """Where what is needed is not free, write tables to files, the largest first, until half of the memory is, too.

        Raises:
            OutOfMemory: there is no folder, or it has no room, or no table is left.
        """
        memory = self._form.memory
        if needed <= memory.left:
            return
        every = [(level, table) for level in self._levels.values() for table in level.tables if table.used]
        if self.folder is None or not every:
            raise memory.short()
        every.sort(key=lambda each: -each[1].entries.nbytes)
        chosen, left = 0, memory.left
        while chosen < len(every) and left < max(needed, memory.most // 2):
            left += every[chosen][1].entries.nbytes
            chosen += 1
        self._write(every[:chosen])

    def _write(self, tables: Sequence[tuple[Level, Table]]) -> None:
        def write(_: int, number: int) -> None:
            level, table = tables[number]
            self._file(level).take(table)

        self._threads.each(len(tables), write)

    def _file(self, level: Level) -> LevelFile:
        """Return the file of a level, made if it has none."""
        assert self.folder is not None
        with self._lock:
            level.file = level.file or LevelFile(self.folder, self._form)
            return level.file

    # A level's turn.

    def lowest(self) -> Iterator[tuple[int, list[Table], float, float]]:
        """Take the lowest level out and yield its number and its tables: all at once or, where some are in a file or
        take too much of the memory, some after others. And the share of the level before them, and that of their own.

        Raises:
            OutOfMemory: they do not fit.
        """
        memory, number = self._form.memory, min(self._levels)
        level = self._levels[number]
        large = sum(table.entries.nbytes for table in level.tables) > memory.most // WHOLE
        if level.file is not None or (large and self.folder is not None):
            yield from self._read(number, level)
        else:
            del self._levels[number]
            yield number, level.tables, 0.0, 1.0

    def _read(self, number: int, level: Level) -> Iterator[tuple[int, list[Table], float, float]]:
        """Yield the tables of a level by way of its file, as many at once as there are threads."""
        memory, threads, file = self._form.memory, self._threads, self._file(level)
        self._write([(level, table) for table in level.tables])
        for table in level.tables:
            table.free()
        level.tables = []
        ranges = file.ranges(memory.most // READ // threads.number)
        for at in range(0, len(ranges), threads.number):
            now = ranges[at : at + threads.number]
            needed = LONGER * sum(file.needs(first, end) for first, end in now)
            with contextlib.suppress(OutOfMemory):  # most likely it takes a third of it
                self._make_room(needed)
            tables, before = self._load(file, now), level.bucket
            level.bucket = now[-1][1]
            if level.bucket == BUCKETS:
                del self._levels[number]
                file.close()
            yield number, tables, before / BUCKETS, (level.bucket - before) / BUCKETS

    def _load(self, file: LevelFile, ranges: Sequence[tuple[int, int]]) -> list[Table]:
        """Return a table for each range of buckets, each read by one thread."""
        tables: dict[int, Table] = {}

        def load(_: int, number: int) -> None:
            tables[number] = file.load(*ranges[number])

        self._threads.each(len(ranges), load)
        return [tables[number] for number in range(len(ranges))]
