"""The levels of a search: entries in chains of blocks and, with a folder, in files."""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.chains import FEW, Level
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import level_size, put_entries
from parsolve.levels.pool import Array, Pool
from parsolve.levels.spilled import Spilled
from parsolve.levels.templates.blocks import Form
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

EARLY, GROWTH, GROWTH_OF_KEYS = 64 << 20, 2.5, 1.5
"""Levels are merged early if blocks take more than EARLY bytes, and GROWTH times as much as after the last merge; a
smaller factor applies to keys alone, because known keys are dropped."""

LEFT, FEWEST, ENOUGH = 32, 4, 2
"""A search ends if merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files if
it leaves less than a FEWEST-th, until an ENOUGH-th is free."""

WHOLE = 2
"""A level is expanded from its file if it takes more than a WHOLE-th of the memory."""


class Levels(Spilled):
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
        graph: the levels that stay once they are settled; None for none.

    Attributes:
        now: the rest of the piece that is being expanded.
        graph: see above.
        beside: other levels in the same pool, which are written to files, too, where memory is short.

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
        self.folder, self._budget, self.graph = folder, budget, graph
        self.now = Level()
        self._shared: Level | None = None  # the level that stays, if its blocks are those of `now`
        self.beside: Levels | None = None
        self._waiting: dict[int, Level] = {}
        self._older: Sequence[Level] = ()
        """The settled levels with which waiting ones are merged."""
        if not self.pool.grow():
            raise budget.short()
        self._after = 0  # blocks in use after levels were last merged early

    # The contents.

    @property
    def numbers(self) -> set[int]:
        """The levels with entries, without settled ones and the piece that is being expanded."""
        return {*self._waiting, *(level for hand in self.hands for level in hand.levels.tolist())}

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def __contains__(self, number: int) -> bool:
        return number in self.numbers

    @property
    def is_shared(self) -> bool:
        """Whether the blocks of `now` belong to a level that stays."""
        return self._shared is not None

    @property
    def waiting(self) -> int:
        """The number of entries in memory; a key may occur several times in levels that are not merged."""
        levels = (self.now, *self._waiting.values())
        children = sum(int(hand.children.sizes[: len(hand.levels)].sum()) for hand in self.hands)
        return sum(level.size for level in levels) + children

    @property
    def size(self) -> int:
        """Maximum number of bytes that `packed` yields."""
        in_files = sum(level.total - level.size for level in self._waiting.values())
        entries = self.waiting + in_files + sum(level.total for level in self.settled.values())
        return 8 * (self.form.head + self.counts) * entries

    def packed(self, level: int) -> Iterator[tuple[int, Packed]]:
        """Yield all entries in pieces: those of a settled level n with the number 2n, and with 2n + 1 those that are
        not expanded, unless all of a settled level are not. A key may occur there several times, each time with other
        ways to it.

        Args:
            level: the level that is being expanded.
        """
        yield from ((2 * number, packed) for number, settled in self.settled.items() for packed in self.read(settled))
        yield from ((2 * level + 1, packed) for packed in self.packed_of(self.now))
        for number in self.numbers:
            yield from ((2 * number + 1, packed) for packed in self.read(self.gathered(number)))

    # Add and remove levels.

    def put(self, number: int, entries: Array, words: int) -> None:
        """Add packed entries, whose counts have `words`, to a level.

        Raises:
            OutOfMemory: they do not fit.
        """
        self._put(self._waiting.setdefault(number, Level()), entries, words)

    def restore(self, number: int, entries: Array, words: int) -> None:
        """Add what `packed` has yielded, before any is expanded.

        Raises:
            OutOfMemory: they do not fit.
        """
        if number % 2 or self.graph is None:
            self.put(number // 2, entries, words)
        else:
            self._put(self.graph.restore(number // 2), entries, words)

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

    def replace(self, entries: Array, words: int) -> None:
        """Expand other entries, instead of those of the current level; their children are in no settled level."""
        self.release(self.now)
        self.now, self._shared, self._older = Level(), None, ()
        self._put(self.now, entries, words)
        self.merge(self.now)

    def drop(self, number: int) -> None:
        """Forget a level."""
        self.release((self._waiting if number in self._waiting else self.settled).pop(number))

    def empty(self) -> None:
        """Forget all that was put."""
        for number in [*self._waiting]:
            self.drop(number)

    def close(self) -> None:
        """Free memory and files; nothing can be expanded afterwards."""
        self.settled.clear()
        self._waiting, self.now = {}, Level()
        self.pool.close()

    def settle(self, number: int) -> None:
        """Merge the lowest level with entries, without the keys of older ones: if levels stay, it is one of them then.
        Otherwise it is merged as it is expanded if it is in a file or takes too much memory.

        Raises:
            OutOfMemory: it does not fit.
        """
        level, graph = self.gathered(number), self.graph
        if graph is not None and number not in graph.levels:
            self.strip(graph.expanded(max(self.numbers)))
            self._look_in(graph.before(number))
        try:
            self.merge(level, self._older)
        except OutOfMemory:
            if self.folder is None:
                raise
            self.write(level)
        if level.file is None and self.folder is not None:
            _, blocks, _ = level_size(self.pool.blocks, np.array(level.sets))
            if blocks > self.pool.most // WHOLE or any(each.file is not None for each in self._older):
                self.write(level)
        if graph is None:
            return
        if number not in graph.levels:
            level = level if level.file is None else self._settled_in_file(level)
            del self._waiting[number]
        graph.add(number, graph.levels.get(number, level))
        for passed in graph.passed(graph.next(number)):
            self.release(passed)
        self._look_in(graph.before(graph.next(number)))

    def _look_in(self, older: Sequence[Level]) -> None:
        """Choose the levels with which waiting ones are merged."""
        if not {*older} <= {*self._older}:
            for level in self._waiting.values():
                level.merged = 0
        self._older = older

    def _settled_in_file(self, level: Level) -> Level:
        """Return a level that is in a file, merged piece by piece, in another file."""
        settled, part = Level(file=self.new_file(stays=True)), 0
        while part < PARTS:
            with self.loaded(part, [level], self._older) as (part, ((piece,), older)):
                self.merge(piece, older)
                self.write(piece, settled.file)
        return settled

    def pieces(self, number: int) -> Iterator[tuple[float, float]]:
        """Make a settled level the current one: all at once or, if it is in a file, piece by piece. Yield the share of
        the level before the piece, and the share of the piece.

        Raises:
            OutOfMemory: it does not fit.
        """
        level = self._waiting.get(number)  # if no levels stay, or an earlier run has begun it
        self._shared = self.settled[number] if level is None else None
        level = level or self.settled[number]
        if level.file is None:
            self.merge(level)
            self.divide(level.size)
            self._waiting.pop(number, None)
            sets = [each.copy() for each in level.sets] if self.is_shared else level.sets
            self.now = Level(sets, level.size, level.size)
            yield 0.0, 1.0
            return
        self._shared = None
        if level.sets:
            self.write(level)
        left = self._waiting[number] = Level(file=level.file)
        while left.part < PARTS:
            first = left.part
            left.part, ((self.now,),) = self.load(first, [left])
            if left.part == PARTS:
                del self._waiting[number]
            self.merge(self.now)
            self.divide(self.now.size)
            yield first / PARTS, (left.part - first) / PARTS

    def gathered(self, number: int) -> Level:
        """Return a waiting level with all of its chains."""
        level = self._waiting.setdefault(number, Level())
        for hand in self.hands:
            for at in np.flatnonzero(hand.levels == number).tolist():
                level.sets.append(hand.chains(at, self.bits).copy())
                level.size += int(hand.children.sizes[at])
                hand.drop(at, self.bits)
        return level

    # Merging.

    def merge(self, level: Level, known: Sequence[Level] = ()) -> None:
        """Merge the chains of a level, without the keys of known levels: afterwards it has one set of chains, and each
        key occurs once.

        Raises:
            OutOfMemory: there is no room for longer counts.
        """
        while not self.is_merged(level, known):
            self.make_room(self._free + 1, [level, *known])
        level.sets = level.sets or [np.zeros(1 << self.bits, np.int64)]

    def merge_early(self) -> None:
        """Merge the chains of all levels if they have grown much since the last time."""
        growth = GROWTH if self._has_payload else GROWTH_OF_KEYS
        if self.pool.used > max(EARLY // self.pool.size, growth * self._after):
            self._merge_all()

    def _merge_all(self, but: Sequence[Level] = ()) -> None:
        # What costs as much as the settled level may be there as well.
        first = -math.inf if self.graph is None or self.graph.last is None else self.graph.next(self.graph.last)
        for number in self.numbers:
            level = self.gathered(number)
            if level not in but and number >= first and not self.is_merged(level, self._older):
                break
        self._after = self.pool.used

    def divide(self, size: int) -> None:
        """Divide all levels into more buckets, if a level of `size` entries is large for them."""
        self.divide_all(size, [self.now, *self.settled.values(), *self._waiting.values()])

    # Memory.

    @property
    def _free(self) -> int:
        """The number of blocks that can be taken."""
        return self.pool.free + sum(int(hand.own[0]) for hand in self.hands)

    def make_room(self, wanted: int, but: Sequence[Level] = ()) -> None:
        """Free blocks: merge levels early, then write them to files, those first that are not needed soon.

        Args:
            wanted: how many must be free.
            but: levels that must not change.

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
            enough = max(wanted, self.pool.most // ENOUGH)
            self._write_some((each for each in self.settled.values() if each not in self._older), enough, but)
            self._write_some(sorted(self._waiting.values(), key=lambda level: -level.size), enough, but)
            self._write_some(self.settled.values(), wanted, but)
            if self.beside is not None:
                self.beside._write_some(self.beside.settled.values(), wanted, but)
        if self.pool.free < wanted:
            raise self._budget.short()

    def _write_some(self, levels: Iterable[Level], wanted: int, but: Sequence[Level]) -> None:
        """Write some levels to files, until this number of blocks is free."""
        for level in levels:
            is_needed = level in but or (level is self._shared and self.now.size)
            if level.sets and not is_needed and self.pool.free < wanted:
                self.write(level)
                self.give_back(0)
