"""The levels of a search: entries in chains of blocks and, with a folder, in files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.chains import FEW, Chains, Level
from parsolve.levels.files import PARTS, LevelFile, Packed, ranges
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import level_size, put_entries
from parsolve.levels.pool import Array, Pool
from parsolve.levels.templates.blocks import BLOCK, Form
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

EARLY, GROWTH, GROWTH_OF_KEYS = 64 << 20, 2.5, 1.5
"""Levels are merged early if blocks take more than EARLY bytes, and GROWTH times as much as after the last merge; a
smaller factor applies to keys alone, because known keys are dropped."""

LEFT, FEWEST = 32, 4
"""A search ends if merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files if
it leaves less than a FEWEST-th."""

WHOLE, READ = 2, 8
"""A level is expanded from its file if it takes more than a WHOLE-th of the memory; it is then read in pieces of at
most a READ-th of the memory."""


class Levels(Chains):
    """Levels by number. Whenever a method other than `put` ends, with an error or without, each entry exists once.

    Args:
        form: the form of all entries.
        threads: that share the work.
        budget: budget of all that the search stores.
        children: maximum number of children of a state.
        folder: for files; None for no files.
        few: maximum number of entries that one thread takes alone.
        bits: fixed number of bits of a bucket's number; None to begin with one bucket, and divide it when it gets
            large.
        pool: the blocks; by default as many as the budget holds.
        graph: the levels that stay after they were expanded; None for none.

    Attributes:
        now: the rest of the level that is being expanded.
        is_shared: whether its blocks belong to a level that stays.

    Raises:
        OutOfMemory: there is hardly any memory.
    """

    def __init__(
        self,
        form: Form,
        threads: Threads,
        budget: Budget,
        children: int,
        folder: Path | None = None,
        few: int = FEW,
        bits: int | None = None,
        pool: Pool | None = None,
        graph: Graph | None = None,
    ) -> None:
        super().__init__(form, threads, pool or Pool(budget), children, few, bits)
        self.folder, self._budget, self._graph = folder, budget, graph
        self.now, self.is_shared = Level(), False
        self._waiting: dict[int, Level] = {}
        if not self.pool.grow():
            raise budget.short()
        self._after = 0  # blocks in use after levels were last merged early

    # The contents.

    @property
    def numbers(self) -> set[int]:
        """The levels with entries, without the one that is being expanded."""
        return {*self._waiting, *(level for hand in self.hands for level in hand.levels.tolist())}

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def __contains__(self, number: int) -> bool:
        return number in self.numbers

    @property
    def waiting(self) -> int:
        """The number of entries in memory; a key may occur several times in levels that are not merged."""
        levels = (self.now, *self._waiting.values())
        children = sum(int(hand.children.sizes[: len(hand.levels)].sum()) for hand in self.hands)
        return sum(level.size for level in levels) + children

    @property
    def size(self) -> int:
        """Maximum number of bytes that `packed` yields."""
        entries = self.waiting + sum(
            each.file.entries(each.part, PARTS) for each in self._waiting.values() if each.file
        )
        if self._graph is not None:
            entries += sum(level.size for level in self._graph.levels.values())
            entries += sum(file.entries(0, PARTS) for file in self._graph.files)
        return 8 * (self.form.head + self.counts) * entries

    def packed(self, level: int) -> Iterator[tuple[int, Packed]]:
        """Yield all entries that are not expanded, in pieces, each with its level. A key may occur several times, each
        time with other ways to it.

        Args:
            level: the level that is being expanded.
        """
        yield from ((level, packed) for packed in self.packed_of(self.now))
        for number in self.numbers:
            waiting = self._gathered(number)
            yield from ((number, packed) for packed in self.packed_of(waiting))
            if waiting.file is not None:
                yield from ((number, packed) for packed in waiting.file.read_all(waiting.part, PARTS))

    def expanded(self) -> Iterator[tuple[int, Packed]]:
        """Yield the entries of the levels that stay, in the same way."""
        if self._graph is not None:
            for number, level in self._graph.levels.items():
                yield from ((number, packed) for packed in self.packed_of(level))
            for file, number in self._graph.files.items():
                yield from ((number, packed) for packed in file.read_all(0, PARTS))

    # Add and remove levels.

    def put(self, number: int, entries: Array, words: int) -> None:
        """Add packed entries, whose counts have `words`, to a level.

        Raises:
            OutOfMemory: they do not fit.
        """
        self._put(self._waiting.setdefault(number, Level()), entries, words)

    def put_expanded(self, number: int, entries: Array, words: int) -> None:
        """Add packed entries to a level that an earlier run has expanded.

        Raises:
            OutOfMemory: they do not fit.
        """
        assert self._graph is not None
        self._put(self._graph.restore(number), entries, words)

    def _put(self, level: Level, entries: Array, words: int) -> None:
        """Add entries to a level, in new sets of chains."""
        self._widen(words)
        width, at, last = self.form.head + words, 0, len(entries)
        while at < last:
            level.sets.append(np.zeros(1 << self.bits, np.int64))
            while at < last:
                first, own = at, self.hands[0].own
                at = put_entries(
                    self.pool.blocks, level.sets[-1], own, entries, at, last, width, width, self.form.like, self.bits
                )
                level.size += (at - first) // width
                if at < last and not self.pool.grow():
                    self.make_room(1)  # may merge what is there
                    break

    def level_of(self, entries: Array, words: int) -> Level:
        """Return a level of packed entries of different keys, without adding it to those that wait.

        Raises:
            OutOfMemory: they do not fit.
        """
        level, older, self.older = Level(), self.older, ()
        try:
            self._put(level, entries, words)
            self._merge(level)
        except BaseException:
            self.release(level)
            raise
        finally:
            self.older = older
        return self._filled(level)

    def _filled(self, level: Level) -> Level:
        """Return a merged level with one set of chains, possibly empty."""
        level.sets = level.sets or [np.zeros(1 << self.bits, np.int64)]
        return level

    def replace(self, entries: Array, words: int) -> None:
        """Expand other entries instead of those of the current level."""
        self.release(self.now)
        self.now = Level()
        self._put(self.now, entries, words)
        self._merge(self.now)

    def empty(self) -> None:
        """Forget all that was put."""
        for level in self._waiting.values():
            self.release(level)
        self._waiting = {}

    def close(self) -> None:
        """Free memory and files; nothing can be expanded afterwards."""
        for file in (level.file for level in self._waiting.values()):
            if file is not None:
                file.close()
        if self._graph is not None:
            self._graph.close()
        self._waiting, self.now = {}, Level()
        self.pool.close()

    def lowest(self) -> Iterator[tuple[int, float, float]]:
        """Make the lowest level the current one: all at once or, if it is in a file or takes too much memory, piece by
        piece. Yield its number, the share of the level before the piece, and the share of the piece.

        Raises:
            OutOfMemory: it does not fit.
        """
        numbers = self.numbers
        number = min(numbers)
        level = self._gathered(number)
        if self._graph is not None:
            self._look_back(self._graph, number, max(numbers))
        try:
            self._merge(level)
        except OutOfMemory:
            if self.folder is None:
                raise
            self._write(level)
        if level.file is None and self.folder is not None:
            _, blocks, _ = level_size(self.pool.blocks, np.array(level.sets))
            if blocks > self.pool.most // WHOLE or any(each.file is not None for each in self.older):
                self._write(level)
        if level.file is not None:
            yield from self._read(number, level)
            return
        self.now = self._filled(self._waiting.pop(number))
        self.divide(level.size)
        if self._graph is not None:
            self._stay(self._graph, number)
        yield number, 0.0, 1.0

    def _look_back(self, graph: Graph, number: int, highest: int) -> None:
        """Choose the levels with which the next level is merged."""
        for passed in graph.passed(number, highest):
            self.release(passed)
        self.older = graph.before(number)
        for level in self._waiting.values():
            level.merged = 0  # it was merged with other levels

    def _stay(self, graph: Graph, number: int) -> None:
        """Leave the entries of a level in place while it is expanded."""
        self.is_shared = number not in graph.levels
        if self.is_shared:
            graph.add(number, self.now)
            self.now = Level([self.now.sets[0].copy()], self.now.size, self.now.size)
            return
        for packed in self.packed_of(self.now):  # an earlier run has begun it
            self._put(graph.levels[number], packed.entries, packed.words)

    def _stay_in_file(self, graph: Graph, number: int) -> None:
        """Leave the entries of a piece of a level in its file."""
        assert self.folder is not None
        if number not in graph.levels:
            graph.add(number, Level())
        file = graph.file_of(number, self._file)
        for packed in self.packed_of(self.now):
            file.write(packed)

    def _gathered(self, number: int) -> Level:
        """Return a level with all of its chains."""
        level = self._waiting.setdefault(number, Level())
        for hand in self.hands:
            for at in np.flatnonzero(hand.levels == number).tolist():
                level.sets.append(hand.chains(at, self.bits).copy())
                level.size += int(hand.children.sizes[at])
                hand.drop(at, self.bits)
        return level

    # Merging.

    def _merge(self, level: Level) -> None:
        """Merge the chains of a level: afterwards each key occurs once.

        Raises:
            OutOfMemory: there is no room for longer counts.
        """
        while not self.is_merged(level):
            self.make_room(self._free + 1, level)

    def take(self, number: int) -> Level:
        """Merge and return a level; it does not wait any more.

        Raises:
            OutOfMemory: there is not enough memory.
        """
        level = self._gathered(number)
        self._merge(level)
        return self._filled(self._waiting.pop(number))

    def merge_early(self) -> None:
        """Merge the chains of all levels if they have grown much since the last time."""
        growth = GROWTH if self._has_payload else GROWTH_OF_KEYS
        if self.pool.used > max(EARLY // self.pool.size, growth * self._after):
            self._merge_all()

    def _merge_all(self, but: Level | None = None) -> None:
        for number in self.numbers:
            level = self._gathered(number)
            if level is not but and not self.is_merged(level):
                break
        self._after = self.pool.used

    def divide(self, size: int, more: Sequence[Level] = ()) -> None:
        """Divide all levels, and those of `more`, into more buckets, if a level of `size` entries is large for them."""
        older = (each for each in self.older if each not in more)
        stay = () if self._graph is None else (each for each in self._graph.levels.values() if each not in self.older)
        self.divide_all(size, [self.now, *more, *older, *stay, *self._waiting.values()])

    # Memory.

    @property
    def _free(self) -> int:
        """The number of blocks that can be taken."""
        return self.pool.free + sum(int(hand.own[0]) for hand in self.hands)

    def make_room(self, wanted: int, but: Level | None = None) -> None:
        """Free blocks: merge levels early, then write them to files, the largest first.

        Args:
            wanted: how many must be free.
            but: a level that must not change.

        Raises:
            OutOfMemory: there is not enough memory, and no folder, or the folder has no room.
        """
        self.give_back(0)
        wanted = max(wanted, self.pool.most // LEFT)
        if self.pool.free >= wanted:
            return
        self._merge_all(but)
        self.give_back(0)
        if self.folder is not None and self.pool.free < max(wanted, self.pool.most // FEWEST):
            for level in sorted(self._waiting.values(), key=lambda level: -level.size):
                if level is not but and level.sets and self.pool.free < max(wanted, self.pool.most // 2):
                    self._write(level)
                    self.give_back(0)
            if self._graph is not None:
                self._write_expanded(self._graph, wanted)
        if self.pool.free < wanted:
            raise self._budget.short()

    # Files.

    def _file(self) -> LevelFile:
        assert self.folder is not None
        return LevelFile(self.folder, self.form)

    def _write_expanded(self, graph: Graph, wanted: int) -> None:
        """Write levels that stay to files, until this number of blocks is free."""
        for number in graph.numbers_expanded:
            if graph.levels[number].sets and self.pool.free < wanted:
                graph.file_of(number, self._file)
                self._write(graph.levels[number])
                self.give_back(0)

    def _write(self, level: Level) -> None:
        """Write a level's entries from memory to its file."""
        file = level.file = level.file or self._file()
        pieces = [*self._pieces_of(level)]

        def write(thread: int, piece: int) -> None:
            ends, first, last = pieces[piece]
            packed = self._packed(ends, first, last)
            if len(packed.entries):
                file.write(packed)
            self.release_chains(thread, ends[first:last])

        self._threads.each(len(pieces), write)
        level.sets, level.merged, level.size = [], 0, 0

    def _read(self, number: int, level: Level) -> Iterator[tuple[int, float, float]]:
        """Expand a level from its file; see `lowest`."""
        self._write(level)
        file, older = level.file, self.older
        assert file is not None
        self.is_shared = False
        files = {each.file for each in older if each.file is not None}
        for first, end in ranges([file, *files], self.pool.most // READ * (BLOCK // file.width)):
            self.now = self._load(file, first, end)
            level.part = end
            if end == PARTS:
                del self._waiting[number]
                file.close()
            known = [self._load(each, first, end) for each in files]
            self.older = [*older, *known]
            self._merge(self.now)
            self.older = older
            for each in known:
                self.release(each)
            self.divide(self.now.size)
            if self._graph is not None:
                self._stay_in_file(self._graph, number)
            yield number, first / PARTS, (end - first) / PARTS

    def _load(self, file: LevelFile, first: int, end: int) -> Level:
        """Return the entries of some parts of a file, not merged."""
        size = -1
        while size < file.entries(first, end):  # making room for them may write more to the file
            size = file.entries(first, end)
            self.make_room(size // (BLOCK // file.width) + (len(self.hands) << self.bits) + len(self.hands))
        level = Level([np.zeros(1 << self.bits, np.int64) for _ in self.hands], size=size)

        def load(thread: int, run: int) -> None:
            packed = file.read(run, first, end)
            hand, at = self.hands[thread], 0
            size = self.form.head + packed.words
            while at < len(packed.entries):
                at = put_entries(
                    self.pool.blocks,
                    level.sets[thread],
                    hand.own,
                    packed.entries,
                    at,
                    len(packed.entries),
                    size,
                    file.width,
                    self.form.like,
                    self.bits,
                )
                if at < len(packed.entries) and not self.pool.grow():
                    raise self._budget.short()

        try:
            self._threads.each(file.runs, load)
        except BaseException:
            self.release(level)
            raise
        return level
