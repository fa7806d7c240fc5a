"""Operations on the chains of levels: pack, merge, divide into more buckets, give back."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.files import PARTS, LevelFile, Packed
from parsolve.levels.hand import WORDS, Hand
from parsolve.levels.kernels import level_size, merge_buckets, merge_words, pack_chains, put_entries, split_chains
from parsolve.levels.kernels import release_chains as kernel_release
from parsolve.levels.pool import Array, Pool
from parsolve.levels.templates import merge as kernel_code
from parsolve.levels.templates.blocks import BLOCK, Form
from parsolve.levels.threads import Threads

TARGET = 1 << 12
"""Approximate number of entries of a bucket: they fit in the processor's cache while it is merged."""

MOST_BITS, LEAST_BLOCKS = 12, 8
"""Maximum number of bits of a bucket's number; and least number of blocks for each chain."""

PIECES = 64
"""Maximum number of pieces of a level's buckets, for merging: small levels have fewer, as each piece is a call."""

ENOUGH = 1 << 7
"""Blocks that a thread may keep."""

FEW = 1 << 14
"""Entries below which one thread works alone: waking the others would take as long."""

PACKED = 8 << 20
"""Approximate number of bytes of entries that are packed at once."""


@dataclass(eq=False)
class Level:
    """Entries of a level.

    Attributes:
        sets: int64[buckets] each: chains; see `templates.blocks`. A key may be in several.
        merged: number of entries in the first set, if each key occurs once in it; otherwise 0.
        size: maximum number of entries in all sets.
        file: the entries that memory did not hold, from `part` on.
    """

    sets: list[Array] = field(default_factory=list)
    merged: int = 0
    size: int = 0
    file: LevelFile | None = None
    part: int = 0

    @property
    def is_merged(self) -> bool:
        """Whether each key occurs once."""
        return not self.sets or self.merged == self.size

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries(self.part, PARTS) if self.file is not None else 0)


class Chains:
    """Levels in one pool of blocks. Whenever a method ends, with an error or without, each entry exists once.

    Args:
        form: the form of all entries.
        threads: that share the work.
        pool: the blocks.
        children: the most of a state.
        few: maximum number of entries that one thread takes alone.
        bits: fixed bits of a bucket's number; None to begin with one bucket, and divide it when it gets large.

    Attributes:
        bits: bits of a bucket's number.
        counts: words of the widest count so far.
        hands: the hands of the threads.
        keeps_rows: whether the rows of levels that stay are needed again.
    """

    keeps_rows = False

    def __init__(self, form: Form, threads: Threads, pool: Pool, children: int, few: int, bits: int | None) -> None:
        self.form, self.pool, self._threads, self.few = form, pool, threads, few
        self.bits, self._most_bits = (0, MOST_BITS) if bits is None else (bits, bits)
        self.counts = form.least - form.head
        words = pool.blocks.words.dtype if form.least == 1 else WORDS
        self.hands = [Hand(children, self.bits, words) for _ in range(threads.number)]

    @property
    def _merge_buckets(self) -> Callable[..., bool]:
        return merge_words if self.form.least == 1 else merge_buckets

    @property
    def _has_payload(self) -> bool:
        return self.form.least > len(self.form.like)

    def each(self, pieces: int, work: Callable[[int, int], None], size: int, stoppable: bool = True) -> None:
        """Call `work(thread, piece)` once for each piece: on all threads, or on this one if there is little to do.

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

    # Entries.

    def packed_of(self, level: Level, words: int = 0) -> Iterator[Packed]:
        """Yield the entries that a level has in memory, in pieces.

        Args:
            words: words of a count; by default as many as needed.
        """
        for ends, first, last in self._pieces_of(level):
            packed = self._packed(ends, first, last, words)
            if len(packed.entries):
                yield packed

    def _pieces_of(self, level: Level) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level in pieces: a set, its first bucket, and the one after the last."""
        buckets = 1 << self.bits
        pieces = 1 + 8 * (self.form.head + self.counts) * level.size // PACKED
        step = max(1, buckets // pieces)
        for ends in level.sets:
            yield from ((ends, first, min(first + step, buckets)) for first in range(0, buckets, step))

    def _packed(self, ends: Array, first: int, last: int, words: int = 0, size: int = 0) -> Packed:
        blocks, (like, head, *_) = self.pool.blocks, self.form
        entries, _, widest = level_size(blocks, ends[None, first:last])
        size = size or (head + words if words else max(self.form.least, int(widest)))
        packed, starts = np.empty(int(entries) * size, np.uint64), np.zeros(PARTS + 1, np.int64)
        pack_chains(blocks, ends, first, last, packed, starts, like, size, self.bits)
        return Packed(packed, size - head, starts)

    def _widen(self, words: int) -> None:
        """Record the present width of counts; the next children are as wide."""
        if words > self.counts:
            self.counts = words
            for hand in self.hands:
                ends = hand.children.ends[: len(hand.levels) << self.bits]
                ends *= -np.sign(ends)

    def strip(self, level: Level | None) -> None:
        """Forget the counts of a level that is expanded, and the rows unless they are needed again."""
        if level is None or not self.form.bits or level.file is not None:
            return
        size = self.form.head if self.keeps_rows else len(self.form.like) + self.form.costs
        pieces = [*self._pieces_of(level)]

        def strip(thread: int, piece: int) -> None:
            ends, first, last = pieces[piece]
            entries, at = self._packed(ends, first, last, size=size).entries, 0
            self.release_chains(thread, ends[first:last])
            own = self.hands[thread].own
            while at < len(entries):
                arguments = entries, at, len(entries), size, size, self.form.like, self.bits
                at = put_entries(self.pool.blocks, ends, own, *arguments)
                if at < len(entries) and not self.pool.grow():
                    raise OutOfMemory("")  # it has given more blocks back

        self.each(len(pieces), strip, level.size, stoppable=False)
        self.give_back()

    # Merging.

    def is_merged(self, level: Level, known: Sequence[Level] = ()) -> bool:
        """Merge the chains of a level, without the keys of known levels; return False if there is not enough memory for
        all of it."""
        if level.is_merged:
            return True
        buckets = 1 << self.bits
        older = [ends for each in known for ends in each.sets]
        if self._has_payload or not level.merged:
            level.sets.insert(0, np.zeros(buckets, np.int64))
            level.merged = 0  # the merged set is merged again with the others
        new, sets = level.sets[0], np.array(level.sets[1:])
        if not self._has_payload:
            older.append(new)
        step = max(1, buckets // min(PIECES, 1 + level.size // self.few))
        tallies = [np.zeros(kernel_code.TALLY, np.int64) for _ in self.hands]
        is_short = threading.Event()

        def merge(thread: int, piece: int) -> None:
            hand, tally, last = self.hands[thread], tallies[thread], min((piece + 1) * step, buckets)
            tally[kernel_code.NEXT] = piece * step
            while tally[kernel_code.NEXT] < last:
                scratches = hand.table, hand.scratch
                chains = np.array(older, np.int64).reshape(-1, buckets)
                done = self._merge_buckets(
                    self.pool.blocks, chains, sets, new, last, hand.own, scratches, tally, self.form, self.bits
                )
                if not done and not self.pool.grow():
                    is_short.set()
                    break
                hand.enlarge_scratches(int(tally[kernel_code.TABLE]), int(tally[kernel_code.SCRATCH]))
                hand.has_room(int(tally[kernel_code.ROOM]))

        level.sets[1:] = sets
        try:
            self.each(-(-buckets // step), merge, level.size)
        finally:
            level.merged += int(sum(tally[kernel_code.ENTRIES] for tally in tallies))
            self._widen(int(max(tally[kernel_code.WIDEST] for tally in tallies)) - self.form.head)
            self.give_back()
        if is_short.is_set():
            return False
        level.sets, level.size = [new], level.merged
        return True

    def divide_all(self, size: int, levels: Sequence[Level]) -> None:
        """Divide levels, which must be all, and the children of the threads into more buckets, if a level of `size`
        entries is large for the present number of buckets."""
        number = sum(len(level.sets) for level in levels) + sum(len(hand.levels) for hand in self.hands)
        bits = self.bits
        most = min(self._most_bits, (self.pool.most // (LEAST_BLOCKS * max(1, number))).bit_length() - 1)
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

    # Blocks.

    def give_back(self, most: int = ENOUGH) -> None:
        """Give a thread's blocks back to the pool if it has more than `most`."""
        for hand in self.hands:
            if hand.own[0] > most:
                self.pool.give_back(hand.own)

    def release(self, level: Level) -> None:
        """Give the blocks of a level back."""
        for ends in level.sets:
            self.release_chains(0, ends)
        level.sets, level.merged, level.size = [], 0, 0
        self.give_back()

    def release_chains(self, thread: int, ends: Array) -> None:
        """Give the blocks of some chains to a thread."""
        hand, at = self.hands[thread], 0
        while (at := kernel_release(self.pool.blocks, ends, hand.own, at)) < len(ends):
            hand.has_room(len(hand.own))
