"""The levels of a search: entries in chains of blocks and, where a folder is given, in files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.kernel.blocks import BLOCK, Form
from parsolve.kernel.levels import level_size, put_entries
from parsolve.levels.chains import FEW, Chains, Level
from parsolve.levels.files import PARTS, LevelFile, Packed
from parsolve.levels.pool import Array, Pool
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

EARLY, GROWTH, GROWTH_OF_KEYS = 64 << 20, 2.5, 1.5
"""Levels are merged early where blocks take more than EARLY bytes, and GROWTH times as much as after the last time; of
keys alone less, because what is known of them already is dropped."""

LEFT, FEWEST = 32, 4
"""A search ends where merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files
where it leaves less than a FEWEST-th."""

WHOLE, READ = 2, 8
"""A level is expanded from its file if it takes more than the memory divided by WHOLE, and is read by pieces that take
no more than the memory divided by READ."""


class Levels(Chains):
    """Levels by number. Whenever a method ends, by an error or not, each entry is there once, except for `put`.

    Args:
        form: of all entries.
        threads: that share the work.
        budget: of all that the search stores.
        children: the most of a state.
        folder: for files; None for no files.
        few: entries that one thread takes alone.
        bits: of a bucket's number, for good; None to begin with one bucket, and divide it when it gets large.
        pool: the blocks; by default as many as the budget holds.

    Attributes:
        now: what is left of the level that is expanded.

    Raises:
        OutOfMemory: there is hardly any.
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
    ) -> None:
        super().__init__(form, threads, pool or Pool(budget), children, few, bits)
        self.folder, self._budget = folder, budget
        self.now = Level()
        self._waiting: dict[int, Level] = {}
        if not self.pool.grow():
            raise budget.short()
        self._after = 0  # blocks that were used after levels were merged early

    # What there is.

    @property
    def numbers(self) -> set[int]:
        """The levels that have entries, without the one that is expanded."""
        return {*self._waiting, *(level for hand in self.hands for level in hand.levels.tolist())}

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def __contains__(self, number: int) -> bool:
        return number in self.numbers

    @property
    def waiting(self) -> int:
        """How many entries are in memory; of levels that are not merged a key may be there several times."""
        levels = (self.now, *self._waiting.values())
        children = sum(int(hand.children.sizes[: len(hand.levels)].sum()) for hand in self.hands)
        return sum(level.size for level in levels) + children

    @property
    def size(self) -> int:
        """The bytes of all that `packed` yields, at most."""
        files = [level for level in self._waiting.values() if level.file is not None]
        entries = sum(level.file.entries(level.part, PARTS) for level in files if level.file is not None)
        return 8 * (self.form.head + self.counts) * (self.waiting + entries)

    def packed(self, level: int) -> Iterator[tuple[int, Packed]]:
        """Yield all entries, some of them at once, each time with their level. One may be there several times, each
        time with other ways to it.

        Args:
            level: the one that is expanded.
        """
        yield from ((level, packed) for packed in self.packed_of(self.now))
        for number in self.numbers:
            waiting = self._gathered(number)
            yield from ((number, packed) for packed in self.packed_of(waiting))
            if waiting.file is not None:
                for run in range(waiting.file.runs):
                    yield number, waiting.file.read(run, waiting.part, PARTS)

    # Levels come and go.

    def put(self, number: int, entries: Array, words: int) -> None:
        """Add packed entries, whose counts have `words`, to a level.

        Raises:
            OutOfMemory: they do not fit.
        """
        self._put(self._waiting.setdefault(number, Level()), entries, words)

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
        """Return a level of packed entries of different keys, which does not wait.

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
        """Return a merged level with one set of chains, which may have no entry."""
        level.sets = level.sets or [np.zeros(1 << self.bits, np.int64)]
        return level

    def replace(self, entries: Array, words: int) -> None:
        """Expand other entries instead of those of the level that is expanded."""
        self.release(self.now)
        self.now = Level()
        self._put(self.now, entries, words)
        self._merge(self.now)

    def empty(self) -> None:
        """Forget what was put."""
        for level in self._waiting.values():
            self.release(level)
        self._waiting = {}

    def close(self) -> None:
        """Give back what memory and files take; nothing is expanded any more."""
        for level in self._waiting.values():
            if level.file is not None:
                level.file.close()
        self._waiting, self.now = {}, Level()
        self.pool.close()

    def lowest(self) -> Iterator[tuple[int, float, float]]:
        """Make the lowest level the one that is expanded: all at once or, where it is in a file or takes too much of
        the memory, one piece after the other. Yield its number, the share of the level before, and that of the piece.

        Raises:
            OutOfMemory: it does not fit.
        """
        number = min(self.numbers)
        level = self._gathered(number)
        try:
            self._merge(level)
        except OutOfMemory:
            if self.folder is None:
                raise
            self._write(level)
        if level.file is None and self.folder is not None:
            _, blocks, _ = level_size(self.pool.blocks, np.array(level.sets))
            if blocks > self.pool.most // WHOLE:
                self._write(level)
        if level.file is not None:
            yield from self._read(number, level)
            return
        self.now = self._waiting.pop(number)
        self.divide(level.size)
        yield number, 0.0, 1.0

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
        """Merge the chains of a level: each key is there once afterwards.

        Raises:
            OutOfMemory: there is no room for counts that get longer.
        """
        while not self.is_merged(level):
            self.make_room(self._free + 1, level)

    def take(self, number: int) -> Level:
        """Merge a level, and return it; it waits no more.

        Raises:
            OutOfMemory: there is not enough memory.
        """
        level = self._gathered(number)
        self._merge(level)
        return self._filled(self._waiting.pop(number))

    def merge_early(self) -> None:
        """Merge the chains of all levels where they have grown by much since the last time."""
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
        """Divide all levels, those of `more` too, into more buckets, if one of `size` entries is large for them."""
        older = (each for each in self.older if each not in more)
        self.divide_all(size, [self.now, *more, *older, *self._waiting.values()])

    # Memory.

    @property
    def _free(self) -> int:
        """How many blocks can be taken."""
        return self.pool.free + sum(int(hand.own[0]) for hand in self.hands)

    def make_room(self, wanted: int, but: Level | None = None) -> None:
        """Free blocks: merge levels early, then write them to files, the largest first.

        Args:
            wanted: how many must be free.
            but: a level that stays as it is.

        Raises:
            OutOfMemory: there is not enough memory, and no folder, or it has no room.
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
        if self.pool.free < wanted:
            raise self._budget.short()

    # Files.

    def _write(self, level: Level) -> None:
        """Write what a level has in memory to its file."""
        assert self.folder is not None
        file = level.file = level.file or LevelFile(self.folder, self.form)
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
        """Expand a level by way of its file; see `lowest`."""
        self._write(level)
        file = level.file
        assert file is not None
        for first, end in file.ranges(self.pool.most // READ * (BLOCK // file.width)):
            self.now = self._load(file, first, end)
            level.part = end
            if end == PARTS:
                del self._waiting[number]
                file.close()
            self._merge(self.now)
            self.divide(self.now.size)
            yield number, first / PARTS, (end - first) / PARTS

    def _load(self, file: LevelFile, first: int, end: int) -> Level:
        """Return the entries of some parts of a file, not merged."""
        level = Level([np.zeros(1 << self.bits, np.int64) for _ in self.hands], size=file.entries(first, end))
        self.make_room(level.size // (BLOCK // file.width) + (len(self.hands) << self.bits) + len(self.hands))

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
