"""The store of a search: entries by level in chains of blocks and, with a folder, in files."""

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.files import PARTS, LevelFile, Packed, Room, end_of
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import (
    brief,
    level_size,
    merge_buckets,
    merge_words,
    pack_chains,
    put_entries,
    split_chains,
)
from parsolve.levels.kernels import release_chains as kernel_release
from parsolve.levels.pool import Array, Hand, Pool
from parsolve.levels.templates import merge as kernel_code
from parsolve.levels.templates.blocks import BLOCK, FILES, Form
from parsolve.levels.threads import Threads
from parsolve.search.budget import Budget

TARGET = 1 << 12
"""Approximate number of entries of a bucket: they fit in the processor's cache while it is merged."""

MOST_BITS, LEAST_BLOCKS = 12, 8
"""Maximum number of bits of a bucket's number; and least number of blocks for each chain."""

PIECES = 64
"""Maximum number of pieces of a level's buckets, for merging: small levels have fewer, as each piece is a call."""

OWN = 1 << 7
"""Blocks that a thread may keep."""

FEW = 1 << 14
"""Entries below which one thread works alone: waking the others would take as long."""

PACKED = 8 << 20
"""Approximate number of bytes of entries that are packed at once."""

READ = 8
"""Pieces of files take at most a READ-th of the memory."""

EARLY, GROWTH, GROWTH_OF_KEYS = 64 << 20, 2.5, 1.5
"""Levels are merged early if blocks take more than EARLY bytes, and GROWTH times as much as after the last merge; a
smaller factor applies to keys alone, because known keys are dropped."""

LEFT, FEWEST, ENOUGH = 32, 4, 2
"""A search ends if merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files if
it leaves less than a FEWEST-th, until an ENOUGH-th is free."""

WHOLE = 2
"""A level is expanded from its file if it takes more than a WHOLE-th of the memory."""


class Level:
    """Entries of a level. Whenever a method ends, with an error or without, each entry exists once.

    Args:
        store: has its blocks.

    Attributes:
        sets: int64[buckets] each: chains; see `templates.blocks`. A key may be in several.
        merged: number of entries in the first set, if each key occurs once in it; otherwise 0.
        size: maximum number of entries in all sets.
        file: the entries that memory did not hold, from `part` on.
    """

    def __init__(self, store: "Store", sets: list[Array] | None = None, merged: int = 0, size: int = 0) -> None:
        self._store, self.sets, self.merged, self.size = store, [] if sets is None else sets, merged, size
        self.file: LevelFile | None = None
        self.part = 0

    @property
    def is_merged(self) -> bool:
        """Whether each key occurs once."""
        return not self.sets or self.merged == self.size

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries(self.part, PARTS) if self.file is not None else 0)

    # Its entries.

    def packed(self, words: int = 0) -> Iterator[Packed]:
        """Yield the entries that a level has in memory, in pieces.

        Args:
            words: words of a count; by default as many as needed.
        """
        for ends, first, last in self._pieces():
            packed = self._store.packed_chains(ends, first, last, words)
            if len(packed.entries):
                yield packed

    def read(self) -> Iterator[Packed]:
        """Yield the entries of a level, in memory and in its file, in pieces."""
        yield from self.packed()
        if self.file is not None:
            yield from self.file.read_all(self.part, PARTS)

    def entries(self) -> Array:
        """Return the entries of a level that is merged and has no counts, packed: uint64[n * words]."""
        entries, at = np.empty(self.total * self._store.form.head, np.uint64), 0
        for packed in self.read():
            entries[at : at + len(packed.entries)] = packed.entries
            at += len(packed.entries)
        return entries

    def put(self, entries: Array, words: int) -> None:
        """Add entries to a level, in new sets of chains."""
        store = self._store
        store.widen(words)
        width, at, last = store.form.head + words, 0, len(entries)
        while at < last:
            self.sets.append(np.zeros(1 << store.bits, np.int64))
            while at < last:
                first, own = at, store.hands[0].own
                put, like = brief(put_entries, (last - at) // width), store.form.like
                at = put(store.pool.blocks, self.sets[-1], own, entries, at, last, width, width, like, store.bits)
                self.size += (at - first) // width
                if at < last and not store.pool.grow():
                    store.make_room(1)  # may merge what is there
                    break

    def _pieces(self) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level in pieces: a set, its first bucket, and the one after the last."""
        store = self._store
        buckets = 1 << store.bits
        pieces = 1 + 8 * (store.form.head + store.counts) * self.size // PACKED
        step = max(1, buckets // pieces)
        for ends in self.sets:
            yield from ((ends, first, min(first + step, buckets)) for first in range(0, buckets, step))

    # Merge, write, forget.

    def try_merge(self, known: Sequence["Level"] = ()) -> bool:
        """Merge the chains of a level, without the keys of known levels; return False if there is not enough memory for
        all of it."""
        store = self._store
        if self.is_merged:
            return True
        buckets = 1 << store.bits
        older = [ends for each in known for ends in each.sets]
        if store.has_payload or not self.merged:
            self.sets.insert(0, np.zeros(buckets, np.int64))
            self.merged = 0  # the merged set is merged again with the others
        new, sets = self.sets[0], np.array(self.sets[1:])
        if not store.has_payload:
            older.append(new)
        step = max(1, buckets // min(PIECES, 1 + self.size // store.few))
        merge_buckets = brief(store.merge_buckets, self.size + sum(each.size for each in known))
        tallies = [np.zeros(kernel_code.TALLY, np.int64) for _ in store.hands]
        is_short = threading.Event()

        def merge(thread: int, piece: int) -> None:
            hand, tally, last = store.hands[thread], tallies[thread], min((piece + 1) * step, buckets)
            tally[kernel_code.NEXT] = piece * step
            while tally[kernel_code.NEXT] < last:
                scratches = hand.table, hand.scratch
                chains = np.array(older, np.int64).reshape(-1, buckets)
                done = merge_buckets(
                    store.pool.blocks, chains, sets, new, last, hand.own, scratches, tally, store.form, store.bits
                )
                if not done and not store.pool.grow():
                    is_short.set()
                    break
                hand.enlarge_scratches(int(tally[kernel_code.TABLE]), int(tally[kernel_code.SCRATCH]))
                hand.has_room(int(tally[kernel_code.ROOM]))

        self.sets[1:] = sets
        try:
            store.each(-(-buckets // step), merge, self.size)
        finally:
            self.merged += int(sum(tally[kernel_code.ENTRIES] for tally in tallies))
            store.widen(int(max(tally[kernel_code.WIDEST] for tally in tallies)) - store.form.head)
            store.give_back()
        if is_short.is_set():
            return False
        self.sets, self.size = [new], self.merged
        return True

    def merge(self, known: Sequence["Level"] = ()) -> None:
        """Merge the chains of a level, without the keys of known levels: afterwards it has one set of chains, and each
        key occurs once.

        Raises:
            OutOfMemory: there is no room for longer counts.
        """
        while not self.try_merge(known):
            self._store.make_room(self._store.free + 1, [self, *known])
        self.sets = self.sets or [np.zeros(1 << self._store.bits, np.int64)]

    def strip(self) -> None:
        """Forget the counts of a level that is expanded, and the rows unless they are needed again."""
        store = self._store
        size = store.form.head if store.keeps_rows else len(store.form.like) + store.form.costs
        if size == store.form.least or self.file is not None:
            return
        pieces = [*self._pieces()]

        def strip(thread: int, piece: int) -> None:
            ends, first, last = pieces[piece]
            entries, at = store.packed_chains(ends, first, last, size=size).entries, 0
            store.release_chains(thread, ends[first:last])
            own = store.hands[thread].own
            while at < len(entries):
                arguments = entries, at, len(entries), size, size, store.form.like, store.bits
                at = put_entries(store.pool.blocks, ends, own, *arguments)
                if at < len(entries) and not store.pool.grow():
                    raise OutOfMemory("")  # it has given more blocks back

        store.each(len(pieces), strip, self.size, stoppable=False)
        store.give_back()

    def write(self, file: LevelFile | None = None) -> None:
        """Write a level's entries from memory to a file, by default its own."""
        store = self._store
        if file is None:
            file = self.file = self.file or store.new_file(self in store.settled.values())
        pieces = [*self._pieces()]

        def write(thread: int, piece: int) -> None:
            ends, first, last = pieces[piece]
            packed = store.packed_chains(ends, first, last)
            if len(packed.entries):
                file.write(packed)
            store.release_chains(thread, ends[first:last])

        store.threads.each(len(pieces), write)
        self.sets, self.merged, self.size = [], 0, 0

    def release(self) -> None:
        """Give the blocks of a level back."""
        for ends in self.sets:
            self._store.release_chains(0, ends)
        self.sets, self.merged, self.size = [], 0, 0
        self._store.give_back()


class Store:
    """Levels by number. Whenever a method other than `put` ends, with an error or without, each entry exists once.

    Args:
        form: the form of all entries.
        threads: that share the work.
        budget: budget of all that the search stores.
        children: maximum number of children of a state.
        folder: for files; None for no files.
        few: maximum number of entries that one thread takes alone.
        pool: the blocks; by default as many as the budget holds.
        graph: the levels that stay once they are settled; None for none.

    Attributes:
        now: the rest of the piece that is being expanded.
        beside: the store of another search in the same pool, whose levels go to files, too, where memory is short.
        bits: bits of a bucket's number: there is one bucket first, and they are divided when a level gets large.
        counts: words of the widest count so far.
        hands: the hands of the threads.
        keeps_rows: whether the rows of levels that stay are needed again.

    Raises:
        OutOfMemory: there is hardly any memory.
    """

    keeps_rows = False

    def __init__(
        self,
        form: Form,
        threads: Threads,
        budget: Budget,
        children: int,
        folder: Path | None = None,
        few: int = FEW,
        pool: Pool | None = None,
        graph: Graph | None = None,
    ) -> None:
        self.form, self.threads, self.few, self.folder, self.graph = form, threads, few, folder, graph
        self._budget, self.pool, self.bits, self.counts = budget, pool or Pool(budget), 0, form.least - form.head
        self.hands = [Hand(children) for _ in range(threads.number)]
        self.has_payload = form.least > len(form.like)
        self.merge_buckets: Callable[..., bool] = merge_words if form.least == 1 else merge_buckets
        self.now = Level(self)
        self.beside: Store | None = None
        self._shared: Level | None = None  # the level that stays, if its blocks are those of `now`
        self._waiting: dict[int, Level] = {}
        self._older: Sequence[Level] = ()
        """The settled levels with which waiting ones are merged."""
        if not self.pool.grow():
            raise budget.short()
        self._after = 0  # blocks in use after levels were last merged early

    # The contents.

    @property
    def settled(self) -> dict[int, Level]:
        """The settled levels that stay, by number."""
        return {} if self.graph is None else self.graph.levels

    @property
    def numbers(self) -> set[int]:
        """The levels with entries, without settled ones and the piece that is being expanded."""
        return {*self._waiting, *(level for hand in self.hands for level in hand.levels.tolist())}

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
        yield from ((2 * number, packed) for number, settled in self.settled.items() for packed in settled.read())
        yield from ((2 * level + 1, packed) for packed in self.now.packed())
        for number in self.numbers:
            yield from ((2 * number + 1, packed) for packed in self.gathered(number).read())

    # Add and remove levels.

    def put(self, number: int, entries: Array, words: int) -> None:
        """Add packed entries, whose counts have `words`, to a level.

        Raises:
            OutOfMemory: they do not fit.
        """
        self._waiting.setdefault(number, Level(self)).put(entries, words)

    def restore(self, number: int, entries: Array, words: int) -> None:
        """Add what `packed` has yielded, before any is expanded.

        Raises:
            OutOfMemory: they do not fit.
        """
        if number % 2 or self.graph is None:
            self.put(number // 2, entries, words)
        else:
            self.graph.restore(number // 2, Level(self)).put(entries, words)

    def replace(self, entries: Array, words: int) -> None:
        """Expand other entries, instead of those of the current level; their children are in no settled level."""
        self.now.release()
        self.now, self._shared, self._older = Level(self), None, ()
        self.now.put(entries, words)
        self.now.merge()

    def drop(self, number: int) -> None:
        """Forget a level."""
        (self._waiting if number in self._waiting else self.settled).pop(number).release()

    def empty(self) -> None:
        """Forget all that was put."""
        for number in [*self._waiting]:
            self.drop(number)

    def close(self) -> None:
        """Free memory and files; nothing can be expanded afterwards."""
        self.settled.clear()
        self._waiting, self.now = {}, Level(self)
        self.pool.close()

    def leave_memory(self) -> None:
        """Where memory was short, write all settled levels to files, and give it back."""
        if any(level.file is not None for level in self.settled.values()):
            for level in self.settled.values():
                if level.sets:
                    level.write()
            self.give_back(0)
            self.pool.close()

    def settle(self, number: int) -> Level:
        """Merge the lowest level with entries, without the keys of older ones, and return it: if levels stay, it is one
        of them then. Otherwise it is merged as it is expanded if it is in a file or takes too much memory.

        Raises:
            OutOfMemory: it does not fit.
        """
        level, graph = self.gathered(number), self.graph
        if graph is not None and number not in graph.levels:
            if (expanded := graph.expanded(max(self.numbers))) is not None:
                expanded.strip()
            self._look_in(graph.before(number))
        try:
            level.merge(self._older)
        except OutOfMemory:
            if self.folder is None:
                raise
            level.write()
        if level.file is None and self.folder is not None:
            _, blocks, _ = level_size(self.pool.blocks, np.array(level.sets))
            if blocks > self.pool.most // WHOLE or any(each.file is not None for each in self._older):
                level.write()
        if graph is None:
            return level
        if number not in graph.levels:
            level = level if level.file is None else self._settled_in_file(level)
            del self._waiting[number]
        graph.add(number, graph.levels.get(number, level))
        for passed in graph.passed(graph.next(number)):
            passed.release()
        self._look_in(graph.before(graph.next(number)))
        return graph.levels[number]

    def _look_in(self, older: Sequence[Level]) -> None:
        """Choose the levels with which waiting ones are merged."""
        if not {*older} <= {*self._older}:
            for level in self._waiting.values():
                level.merged = 0
        self._older = older

    def _settled_in_file(self, level: Level) -> Level:
        """Return a level that is in a file, merged piece by piece, in another file."""
        settled, part = self._in_file(self.new_file(stays=True)), 0
        while part < PARTS:
            with self.loaded(part, [level], self._older) as (part, ((piece,), older)):
                piece.merge(older)
                piece.write(settled.file)
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
            level.merge()
            self.divide(level.size)
            self._waiting.pop(number, None)
            sets = [each.copy() for each in level.sets] if self.is_shared else level.sets
            self.now = Level(self, sets, level.size, level.size)
            yield 0.0, 1.0
            return
        self._shared = None
        if level.sets:
            level.write()
        left = self._waiting[number] = self._in_file(level.file)
        while left.part < PARTS:
            first = left.part
            left.part, ((self.now,),) = self.load(first, [left])
            if left.part == PARTS:
                del self._waiting[number]
            self.now.merge()
            self.divide(self.now.size)
            yield first / PARTS, (left.part - first) / PARTS

    def gathered(self, number: int) -> Level:
        """Return a waiting level with all of its chains."""
        level = self._waiting.setdefault(number, Level(self))
        for hand in self.hands:
            for at in np.flatnonzero(hand.levels == number).tolist():
                level.sets.append(hand.chains(at, self.bits).copy())
                level.size += int(hand.children.sizes[at])
                hand.drop(at, self.bits)
        return level

    # Merging.

    def merge_early(self) -> None:
        """Merge the chains of all levels if they have grown much since the last time."""
        growth = GROWTH if self.has_payload else GROWTH_OF_KEYS
        if self.pool.used > max(EARLY // self.pool.size, growth * self._after):
            self._merge_all()

    def _merge_all(self, but: Sequence[Level] = ()) -> None:
        # What costs as much as the settled level may be there as well.
        first = -math.inf if self.graph is None or self.graph.last is None else self.graph.next(self.graph.last)
        for number in self.numbers:
            level = self.gathered(number)
            if level not in but and number >= first and not level.try_merge(self._older):
                break
        self._after = self.pool.used

    def divide(self, size: int) -> None:
        """Divide all levels, and the children of the threads, into more buckets, if a level of `size` entries is large
        for the present number of buckets."""
        levels = [self.now, *self.settled.values(), *self._waiting.values()]
        number = sum(len(level.sets) for level in levels) + sum(len(hand.levels) for hand in self.hands)
        bits = self.bits
        most = min(MOST_BITS, (self.pool.most // (LEAST_BLOCKS * max(1, number))).bit_length() - 1)
        while size > TARGET << bits and bits < most:
            bits = min(bits + 2, most)
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
        none = np.zeros(0, np.int64)  # compiled here, while the watch is checked
        split_chains(self.pool.blocks, none, none, self.hands[0].own, 0, self.form.like, bits)
        # If all entries are equally wide, the same number of blocks is full again.
        wider = [entries // (BLOCK // widest) for entries, _, widest in sizes if widest > self.form.least]
        self.give_back(0)
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
            ends[: len(hand.levels) << bits] *= -1  # they may be narrower than the next children
            hand.children = hand.children._replace(ends=ends)
        self.bits = bits
        self.give_back()

    # Memory.

    @property
    def free(self) -> int:
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
                level.write()
                self.give_back(0)

    # Blocks.

    def each(self, pieces: int, work: Callable[[int, int], None], size: int, stoppable: bool = True) -> None:
        """Call `work(thread, piece)` once for each piece: on all threads, or on this one if there is little to do.

        Args:
            pieces, work, stoppable: see `Threads.each`.
            size: entries in all of them.
        """
        if pieces > 1 and size > self.few:
            self.threads.each(pieces, work, stoppable)
        else:
            if stoppable:
                self.threads.watch.check()
            for number in range(pieces):
                work(0, number)

    def packed_chains(self, ends: Array, first: int, last: int, words: int = 0, size: int = 0) -> Packed:
        blocks, (like, head, *_) = self.pool.blocks, self.form
        entries, _, widest = level_size(blocks, ends[None, first:last])
        size = size or (head + words if words else max(self.form.least, int(widest)))
        packed, starts = np.empty(int(entries) * size, np.uint64), np.zeros(PARTS + 1, np.int64)
        pack_chains(blocks, ends, first, last, packed, starts, like, size)
        return Packed(packed, size - head, starts)

    def widen(self, words: int) -> None:
        """Record the present width of counts; the next children are as wide."""
        if words > self.counts:
            self.counts = words
            for hand in self.hands:
                ends = hand.children.ends[: len(hand.levels) << self.bits]
                ends *= -np.sign(ends)

    def give_back(self, most: int = OWN) -> None:
        """Give a thread's blocks back to the pool if it has more than `most`."""
        for hand in self.hands:
            if hand.own[0] > most:
                self.pool.give_back(hand.own)

    def release_chains(self, thread: int, ends: Array) -> None:
        """Give the blocks of some chains to a thread."""
        hand, at = self.hands[thread], 0
        while (at := kernel_release(self.pool.blocks, ends, hand.own, at)) < len(ends):
            hand.has_room(len(hand.own))

    # Files.

    def _in_file(self, file: LevelFile) -> Level:
        level = Level(self)
        level.file = file
        return level

    def new_file(self, stays: bool) -> LevelFile:
        """Return a new file; one is for all settled levels, if none is ever forgotten, as there may be many."""
        assert self.folder is not None
        is_for_all = stays and self.graph is not None and self.graph.stays
        rooms = (each.file.room for each in self.settled.values() if is_for_all and each.file is not None)
        return LevelFile(next(rooms, None) or Room(self.folder), self.form)

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
                level.release()

    def load(self, first: int, *groups: Sequence[Level]) -> tuple[int, list[list[Level]]]:
        """Return the same as `loaded` yields."""
        every, sizes, end = [level for group in groups for level in group], [-1], PARTS
        while True:
            for level in every:
                if level.file is not None and level.sets:
                    level.write()
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
                new.append(Level(self, sets, size=size))
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
            self.threads.each(len(work), read)
        except BaseException:
            for sets, _, _ in work:
                Level(self, sets).release()
            raise
        return end, found
