"""The levels that are not expanded yet: entries in chains of blocks and, where a folder is given, in files."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.kernel import merge as merging
from parsolve.kernel.blocks import BLOCK, Form
from parsolve.kernel.sharing import level_size, merge_buckets, pack_chains, put_entries, release_chains, split_chains
from parsolve.levels.files import PARTS, LevelFile, Packed
from parsolve.levels.hand import Hand
from parsolve.levels.pool import BYTES, Array, Pool
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

TARGET = 1 << 12
"""Entries of a bucket, about: they fit the processor's cache while it is merged."""

MOST_BITS, LEAST_BLOCKS = 12, 8
"""The most bits of a bucket's number; and how many blocks each chain could have, at least."""

PIECES = 64
"""Pieces into which the buckets of a level are divided to be merged."""

EARLY, GROWTH = 64 << 20, 2.5
"""Levels are merged early where blocks take more than EARLY bytes, and GROWTH times as much as after the last time."""

LEFT, FEWEST = 32, 4
"""A search ends where merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files
where it leaves less than a FEWEST-th."""

ENOUGH = 1 << 10
"""Blocks that a thread may keep."""

FEW = 1 << 14
"""Entries that one thread takes alone: to wake the others takes as long."""

WHOLE, READ = 2, 8
"""A level is expanded from its file if it takes more than the memory divided by WHOLE, and is read by pieces that take
no more than the memory divided by READ."""

PACKED = 8 << 20
"""Bytes of entries that are packed at once, about."""


@dataclass
class Level:
    """The states of a level that are not expanded.

    Attributes:
        sets: int64[buckets] each: chains; see `kernel.blocks`. A key may be in several.
        size: how many entries they have, at most.
        is_merged: whether each key is there once.
        file: what memory did not hold, from a part on.
    """

    sets: list[Array] = field(default_factory=list)
    size: int = 0
    is_merged: bool = False
    file: LevelFile | None = None
    part: int = 0


class Levels:
    """Levels by number. Whenever a method ends, by an error or not, each entry is there once, except for `put`.

    Args:
        form: of all entries.
        threads: that share the work.
        budget: of all that the search stores.
        children: the most of a state.
        folder: for files; None for no files.
        few: entries that one thread takes alone.

    Attributes:
        bits: of a bucket's number.
        counts: words of the widest count so far.
        now: what is left of the level that is expanded.
        hands: of the threads.

    Raises:
        OutOfMemory: there is hardly any.
    """

    def __init__(
        self, form: Form, threads: Threads, budget: Budget, children: int, folder: Path | None, few: int
    ) -> None:
        self.form, self.folder, self.pool = form, folder, Pool(budget)
        self._threads, self._budget, self.few = threads, budget, few
        self.bits, self.counts = 0, 1
        self.now = Level()
        self.hands = [Hand(children) for _ in range(threads.number)]
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

    def packed_of(self, level: Level, words: int = 0) -> Iterator[Packed]:
        """Yield the entries that a level has in memory, some of them at once.

        Args:
            words: of a count; by default as many as it takes.
        """
        for ends, first, last in self._pieces_of(level):
            packed = self._packed(ends, first, last, words)
            if len(packed.entries):
                yield packed

    def _pieces_of(self, level: Level) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level, some of them at once: a set, its first bucket, and the one after the last."""
        buckets = 1 << self.bits
        pieces = 1 + 8 * (self.form.head + self.counts) * level.size // PACKED
        step = max(1, buckets // pieces)
        for ends in level.sets:
            yield from ((ends, first, min(first + step, buckets)) for first in range(0, buckets, step))

    def _packed(self, ends: Array, first: int, last: int, words: int = 0) -> Packed:
        blocks, (like, head, *_) = self.pool.blocks, self.form
        entries, _, widest = level_size(blocks, ends[None, first:last])
        size = head + (words or max(1, int(widest) - head))
        packed, starts = np.empty(int(entries) * size, np.uint64), np.zeros(PARTS + 1, np.int64)
        pack_chains(blocks, ends, first, last, packed, starts, like, size)
        return Packed(packed, size - head, starts)

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
            level.is_merged = False
            while at < last:
                first, own = at, self.hands[0].own
                at = put_entries(
                    self.pool.blocks, level.sets[-1], own, entries, at, last, width, width, self.form.like, self.bits
                )
                level.size += (at - first) // width
                if at < last and not self.pool.grow():
                    self.make_room(1)  # may merge what is there
                    break

    def replace(self, entries: Array, words: int) -> None:
        """Expand other entries instead of those of the level that is expanded."""
        for ends in self.now.sets:
            self._release(0, ends)
        self.now = Level()
        self._put(self.now, entries, words)

    def empty(self) -> None:
        """Forget what was put."""
        for level in self._waiting.values():
            for ends in level.sets:
                self._release(0, ends)
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
        self._divide(level.size)
        yield number, 0.0, 1.0

    def _gathered(self, number: int) -> Level:
        """Return a level with all of its chains."""
        level = self._waiting.setdefault(number, Level())
        for hand in self.hands:
            for at in np.flatnonzero(hand.levels == number).tolist():
                level.sets.append(hand.chains(at, self.bits).copy())
                level.size += int(hand.children.sizes[at])
                level.is_merged = False
                hand.drop(at, self.bits)
        return level

    def _widen(self, words: int) -> None:
        """Note how long counts are by now; the next children are as wide."""
        if words > self.counts:
            self.counts = words
            for hand in self.hands:
                ends = hand.children.ends
                ends *= -np.sign(ends)

    # Merging.

    def _merge(self, level: Level) -> None:
        """Merge the chains of a level: each key is there once afterwards.

        Raises:
            OutOfMemory: there is no room for counts that get longer.
        """
        while not self._is_merged(level):
            self.make_room(self._free + 1, level)

    def _is_merged(self, level: Level) -> bool:
        """Merge the chains of a level; return False if there is not enough memory for all of it."""
        if level.is_merged or not level.sets:
            return True
        sets, new = np.array(level.sets), np.zeros(1 << self.bits, np.int64)
        level.sets = [new, *sets]
        buckets = 1 << self.bits
        step = max(1, buckets // PIECES)
        merged, wide, is_short = [0] * len(self.hands), [self.counts] * len(self.hands), threading.Event()

        def merge(thread: int, piece: int) -> None:
            hand, tally, last = self.hands[thread], np.zeros(merging.TALLY, np.int64), (piece + 1) * step
            tally[merging.NEXT] = piece * step
            while tally[merging.NEXT] < last:
                done = merge_buckets(
                    self.pool.blocks, sets, new, last, hand.own, hand.table, hand.scratch, tally, self.form, self.bits
                )
                if not done and not self.pool.grow():
                    is_short.set()
                    break
                for name, place in (("table", merging.TABLE), ("scratch", merging.SCRATCH)):
                    if tally[place] > len(getattr(hand, name)):
                        setattr(hand, name, np.zeros(int(tally[place]) * 3 // 2, np.uint64))
                hand.has_room(int(tally[merging.ROOM]))
            merged[thread] += int(tally[merging.ENTRIES])
            wide[thread] = max(wide[thread], int(tally[merging.WIDEST]) - self.form.head)

        try:
            self.each(buckets // step, merge, level.size)
        finally:
            self._widen(max(wide))
            self._give_back()
        if is_short.is_set():
            return False
        level.sets, level.size, level.is_merged = [new], sum(merged), True
        return True

    def each(self, pieces: int, work: Callable[[int, int], None], size: int, stoppable: bool = True) -> None:
        """Call `work(thread, piece)` once for each piece: on all threads, or where there is little to do on this one.

        Args:
            pieces, work, stoppable: see `Threads.each`.
            size: entries in all of them.
        """
        if pieces > 1 and size > self.few:
            self._threads.each(pieces, work, stoppable)
        else:
            if stoppable:
                self._threads.watch.check()
            for number in range(pieces):
                work(0, number)

    def merge_early(self) -> None:
        """Merge the chains of all levels where they have grown by much since the last time."""
        if self.pool.used * BYTES > max(EARLY, GROWTH * self._after * BYTES):
            self._merge_all()

    def _merge_all(self, but: Level | None = None) -> None:
        for number in self.numbers:
            level = self._gathered(number)
            if level is not but and not self._is_merged(level):
                break
        self._after = self.pool.used

    def _divide(self, size: int) -> None:
        """Divide all levels into more buckets, if a level of `size` entries is large for the present ones."""
        levels = [self.now, *self._waiting.values()]
        number = sum(len(level.sets) for level in levels) + sum(len(hand.levels) for hand in self.hands)
        bits = self.bits
        while size > TARGET << bits and bits < MOST_BITS and LEAST_BLOCKS * number << bits + 1 <= self.pool.most:
            bits += 1
        if bits == self.bits:
            return
        new_sets = [[np.zeros(1 << bits, np.int64) for _ in level.sets] for level in levels]
        new_ends = [np.zeros(len(hand.children.levels) << bits, np.int64) for hand in self.hands]
        moves = [
            *(pair for level, new in zip(levels, new_sets, strict=True) for pair in zip(level.sets, new, strict=True)),
            *(
                (hand.chains(at, self.bits), ends[at << bits : at + 1 << bits])
                for hand, ends in zip(self.hands, new_ends, strict=True)
                for at in range(len(hand.levels))
            ),
        ]
        sizes = [tuple(map(int, level_size(self.pool.blocks, old[None]))) for old, _ in moves]
        head = self.form.head
        # Where all entries are as wide, as many blocks are full again.
        wider = [entries // (BLOCK // widest) for entries, _, widest in sizes if widest > head + 1]
        self._give_back(0)
        if not self.pool.reserve(sum(wider) + (len(moves) << bits)):
            return

        def split(thread: int, piece: int) -> None:
            hand, (_, blocks, widest) = self.hands[thread], sizes[piece]
            hand.has_room(int(hand.own[0]) + blocks + 1)
            split_chains(self.pool.blocks, *moves[piece], hand.own, widest, self.form.like, bits)

        self.each(len(moves), split, sum(entries for entries, _, _ in sizes), stoppable=False)
        for level, new in zip(levels, new_sets, strict=True):
            level.sets = new
        for hand, ends in zip(self.hands, new_ends, strict=True):
            hand.children = hand.children._replace(ends=-ends)  # they may be narrower than the next children
        self.bits = bits
        self._give_back()

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
        self._give_back(0)
        wanted = max(wanted, self.pool.most // LEFT)
        if self.pool.free >= wanted:
            return
        self._merge_all(but)
        self._give_back(0)
        if self.folder is not None and self.pool.free < max(wanted, self.pool.most // FEWEST):
            for level in sorted(self._waiting.values(), key=lambda level: -level.size):
                if level is not but and level.sets and self.pool.free < max(wanted, self.pool.most // 2):
                    self._write(level)
                    self._give_back(0)
        if self.pool.free < wanted:
            raise self._budget.short()

    def _give_back(self, most: int = ENOUGH) -> None:
        """Give the blocks of the threads that have more than `most` back to the pool."""
        for hand in self.hands:
            if hand.own[0] > most:
                self.pool.give_back(hand.own)

    def _release(self, thread: int, ends: Array) -> None:
        """Give the blocks of some chains to a thread."""
        hand, at = self.hands[thread], 0
        while (at := release_chains(self.pool.blocks, ends, hand.own, at)) < len(ends):
            hand.has_room(len(hand.own))

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
            self._release(thread, ends[first:last])

        self._threads.each(len(pieces), write)
        level.sets, level.size, level.is_merged = [], 0, True

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
            self._divide(self.now.size)
            yield number, first / PARTS, (end - first) / PARTS

    def _load(self, file: LevelFile, first: int, end: int) -> Level:
        """Return the entries of some parts of a file, not merged."""
        level = Level([np.zeros(1 << self.bits, np.int64) for _ in self.hands], file.entries(first, end))
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
            for ends in level.sets:
                self._release(0, ends)
            raise
        return level
