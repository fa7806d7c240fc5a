"""The entries of a level: in chains of blocks, packed, in its file; merged: each key once, and only those to keep."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parsolve.levels.chains import Chains, pieces
from parsolve.levels.files import PARTS, LevelFile, Packed, end_of
from parsolve.levels.kernels import add_keys, brief, merge_buckets
from parsolve.levels.templates import merge
from parsolve.levels.templates.blocks import BLOCK, FILES, Form
from parsolve.levels.templates.merge import Gathered, Others
from parsolve.levels.threads import FEW
from parsolve.problem.data import Array

MOST_PIECES = 64
"""Maximum number of pieces of a level's buckets: small levels have fewer, as each piece is a call."""

READ = 8
"""Parts that are read from files take at most a READ-th of the memory."""

NO_KEYS = np.zeros(0, np.uint64)


@dataclass(eq=False)
class Level:
    """Entries of a level. Whenever a method ends, with an error or without, each entry exists once."""

    chains: Chains  # what it has in common with the other levels of the search
    sets: list[Array] = field(default_factory=list)  # int64[buckets] each: chains; a key may be in several
    merged: int = 0  # number of entries in the first set, if each key occurs once in it; otherwise 0
    size: int = 0  # maximum number of entries in all sets
    file: LevelFile | None = None  # the entries that memory did not hold
    part: int = 0  # the first part of the file that is left
    is_view: bool = False  # whether its blocks are another level's, which keeps them

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries(self.part, PARTS) if self.file is not None else 0)

    def view(self) -> "Level":
        """Return a level with the same entries, of which this one keeps those in memory and in its file."""
        sets = [each.copy() for each in self.sets]
        return Level(self.chains, sets, self.merged, self.size, self.file, is_view=self.file is None)

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
        return np.concatenate([NO_KEYS, *(keys[:, 0] for keys in self.read_keys())])

    def _pieces(self) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains of a level in pieces: a set, its first bucket, and the one after the last."""
        words = (self.chains.form.head + self.chains.counts) * self.size
        return ((ends, *piece) for ends in self.sets for piece in pieces(ends, words))

    def add(self, entries: Array, at: int, words: int) -> int:
        """Add packed entries, whose counts have `words`, from a place on, in new chains; return the place that is left
        where the pool has no more blocks, else their end."""
        chains, size = self.chains, self.chains.form.head + words
        chains.widen(words)
        self.sets.append(np.zeros(1 << chains.bits, np.int64))
        end = chains.put(0, self.sets[-1], entries, at, size, size)
        self.size += (end - at) // size
        return end

    def gather(self, number: int) -> None:
        """Take the children that threads have written for the level with a number."""
        for buffers in self.chains.buffers:
            for at in np.flatnonzero(buffers.levels == number).tolist():
                self.sets.append(buffers.chains(at, self.chains.bits).copy())
                self.size += int(buffers.children.sizes[at])
                buffers.drop(at, self.chains.bits)

    def divide(self, sets: Iterator[Array]) -> None:
        """Take the chains that those of all levels have become, its own in their turn."""
        self.sets = [next(sets) for _ in self.sets]

    def shrink(self, expanded: int) -> None:
        """Record how many entries of a merged level are expanded, and gone."""
        self.size -= expanded
        self.merged = self.size

    def strip(self, has_rows: bool) -> None:
        """Keep only the keys and costs of entries in memory that are expanded, and their rows if it still has these."""
        chains, form = self.chains, self.chains.form
        size = form.head if has_rows else len(form.like) + form.costs

        def strip(thread: int, ends: Array, first: int, last: int) -> None:
            chains.rewrite(thread, ends, first, last, ends, size)

        if self.file is None and size < form.least:
            self._each(strip, stoppable=False)
            chains.give_back()

    def write(self, file: LevelFile) -> None:
        """Write a level's entries from memory to its file."""
        self.file = file

        def write(thread: int, ends: Array, first: int, last: int) -> None:
            packed = self.chains.pack(ends, first, last)
            if len(packed.entries):
                file.write(packed)
            self.chains.release(thread, ends[first:last])

        self._each(write)
        self.sets, self.merged, self.size = [], 0, 0

    def _each(self, work: Callable[[int, Array, int, int], None], stoppable: bool = True) -> None:
        """Call `work(thread, ends, first, last)` on threads for chains in pieces."""
        every = [*self._pieces()]
        self.chains.threads.each(len(every), lambda thread, at: work(thread, *every[at]), self.size, stoppable)

    def try_merge(self, policy: "Policy") -> bool:
        """Merge all chains; return False if there is not enough memory for all of them. From the first key on that the
        facing level has, too, only such keys are kept, here and in all that is merged later."""
        chains = self.chains
        if self.merged == self.size:
            self.sets = self.sets or [np.zeros(1 << chains.bits, np.int64)]
            return True
        if chains.has_payload or not self.merged:
            self.sets.insert(0, np.zeros(1 << chains.bits, np.int64))
            self.merged = 0  # the merged set is merged again with the others
        tallies = [np.zeros(merge.TALLY, np.int64) for _ in chains.buffers]
        try:
            is_whole = self._merge(policy, tallies)
        finally:
            added, shared = (int(sum(each[of] for each in tallies)) for of in (merge.ENTRIES, merge.FACING))
            is_first = policy.met.share(shared)
            self.merged = 0 if is_first else self.merged + added
            chains.widen(int(max(tally[merge.WIDEST] for tally in tallies)) - chains.form.head)
            chains.give_back()
        if is_whole and is_first:  # all keys are looked at again
            return self.try_merge(policy)
        if is_whole:
            self.sets, self.size = self.sets[:1], self.merged
        return is_whole

    def _merge(self, policy: "Policy", tallies: Sequence[Array]) -> bool:
        """Merge the chains into the first set, on all threads; return False if memory is short."""
        chains, new, sets, is_short = self.chains, self.sets[0], np.array(self.sets[1:]), False
        self.sets[1:] = sets  # the kernel takes their entries
        buckets, others = 1 << chains.bits, policy.others(chains, new)
        kernel = brief(merge_buckets, sum(each.size for each in (self, *policy.levels)))
        step = max(1, buckets // min(MOST_PIECES, 1 + self.size // FEW))

        def merge_piece(thread: int, piece: int) -> None:
            nonlocal is_short
            buffers, tally, last = chains.buffers[thread], tallies[thread], min((piece + 1) * step, buckets)
            tally[merge.NEXT], tally[merge.LAST] = piece * step, last
            while tally[merge.NEXT] < last:
                memory = buffers.own, (buffers.table, buffers.scratch), tally
                done = kernel(chains.pool.blocks, others, sets, new, *memory, chains.form, chains.bits)
                if not done and not chains.pool.grow():
                    is_short = True
                    break
                wanted = tally[[merge.ROOM, merge.TABLE, merge.SCRATCH]]
                buffers.enlarge(*wanted.tolist())

        chains.threads.each(-(-buckets // step), merge_piece, self.size)
        return not is_short

    def release(self) -> None:
        """Give the blocks of a level back, unless another level keeps them."""
        for ends in [] if self.is_view else self.sets:
            self.chains.release(0, ends)
        self.sets, self.merged, self.size = [], 0, 0
        self.chains.give_back()


class Met:
    """What merging has met, for all that is merged afterwards.

    Attributes:
        forgotten: the keys of forgotten levels, which are left out.
        is_shared: whether a key was met that the facing level has, too: from then on all others are of no use.
    """

    def __init__(self) -> None:
        self.forgotten, self.is_shared = Gathered(NO_KEYS, 0, NO_KEYS, 1, 0, NO_KEYS), False

    def share(self, keys: int) -> bool:
        """Record a number of shared keys; return whether they are the first."""
        is_first = keys > 0 and not self.is_shared
        self.is_shared |= is_first
        return is_first

    def packed(self, form: Form) -> Packed:
        """Return the keys of forgotten levels as entries."""
        words = len(form.like)
        entries = np.zeros((self.forgotten.number, form.least), np.uint64)
        entries[:, :words] = self.forgotten.scratch.reshape(-1, words)[: len(entries)]
        return Packed(entries.reshape(-1), form.least - words, np.zeros(PARTS + 1, np.int64))

    def keep_keys(self, level: Level) -> bool:
        """Add the keys of a merged level in memory, which is forgotten then; return False if all would take more than a
        quarter of the memory that is left."""
        table, places, keys, _, first, none = self.forgotten
        chains, words, last, start = level.chains, len(level.chains.form.like), first + level.size, first
        if 2 * last > 1 << places:  # at most half of the places are taken
            places, start = (2 * last - 1).bit_length(), 0
            size = (8 + 4 * words) << places
            if size > chains.budget.left // 4:
                return False
            chains.budget.take(size - table.nbytes - keys.nbytes)
            keys = np.concatenate([keys, np.zeros((words << places - 1) - len(keys), np.uint64)])
            table = np.zeros(1 << places, np.uint64)
        keys[words * first : words * last] = chains.pack(level.sets[0], 0, 1 << chains.bits, size=words).entries
        self.forgotten = Gathered(table, places, keys, words, last, none)
        brief(add_keys, last - start)(self.forgotten, start, chains.form.like)
        return True


@dataclass(frozen=True)
class Policy:
    """Which keys are kept of a level that is merged.

    Attributes:
        older: settled levels, whose keys are left out.
        facing: the last level of the search from the other end, if there is one.
        met: what earlier merging has met.
        only_shared: whether only keys are kept that the facing level has, too, also before one is met.
    """

    older: Sequence[Level] = ()
    facing: Sequence[Level] = ()
    met: Met = field(default_factory=Met)
    only_shared: bool = False

    @property
    def levels(self) -> list[Level]:
        """All levels that it compares with."""
        return [*self.older, *self.facing]

    def others(self, chains: Chains, new: Array) -> Others:
        """Return what the kernel compares entries with; `new`: the chains into which it merges them."""
        facing = [each for each in self.facing if each.file is None]  # of a file it is found piece by piece
        is_alone = (self.only_shared or self.met.is_shared) and len(facing) > 0
        older = [ends for each in (() if is_alone else self.older) for ends in each.sets]
        if not chains.has_payload:
            older.append(new)
        across = np.array([ends for each in facing for ends in each.sets] or np.zeros((0, 1), np.int64))
        least = merge.SHARED if is_alone else merge.MET
        return Others(np.array(older, np.int64).reshape(-1, 1 << chains.bits), self.met.forgotten, across, least)


def load_parts(level: Level, first: int, policy: Policy, make_room: Callable[[int], None]) -> tuple[int, Level, Policy]:
    """Return a level, and the levels of a policy, in memory: in place of their files, parts of these from the first one
    on, not merged; and before them the part with which to continue, PARTS if all were returned. `make_room` frees some
    blocks, perhaps by writing more of them to files."""
    groups, chains, sizes, end = ([level], policy.older, policy.facing), level.chains, [-1], PARTS
    every = [each for group in groups for each in group]
    while True:
        for each in every:
            if each.file is not None and each.sets:
                each.write(each.file)
        files = [each.file for each in every if each.file is not None]
        width = max((file.width for file in files), default=1)
        # The hashes of a part of a bucket are alike, and merging it takes longer.
        most, bucket = chains.pool.most // READ * (BLOCK // width), max(1, PARTS >> chains.bits)
        end = end_of(files, first, most, bucket) if files else PARTS
        before, sizes = sizes, [file.entries(first, end) for file in files]
        if sizes == before or not files:
            break
        more = len(groups) * len(chains.buffers) * (2 + ((end - first) << chains.bits >> FILES))
        make_room(sum(sizes) // (BLOCK // width) + more)
    (piece,), older, facing = read_parts(groups, first, end, width)
    return end, piece, replace(policy, older=older, facing=facing)


def read_parts(groups: Sequence[Sequence[Level]], first: int, end: int, width: int) -> list[list[Level]]:
    """Return groups of levels, the first one not empty: in place of those in files, one in memory with some parts of
    them, not merged, whose entries have `width` words."""
    chains = groups[0][0].chains
    found = [[each for each in group if each.file is None] for group in groups]
    work = []
    for group, new in zip(groups, found, strict=True):
        written = [each.file for each in group if each.file is not None]
        if written:
            size = sum(file.entries(first, end) for file in written)
            sets = [np.zeros(1 << chains.bits, np.int64) for _ in chains.buffers if size]
            new.append(Level(chains, sets, size=size))
            work += [(new[-1].sets, file, run) for file in written for run in file.runs(first, end)]

    def read(thread: int, piece: int) -> None:
        sets, file, run = work[piece]
        packed = file.read(run, first, end)
        size = chains.form.head + packed.words
        if chains.put(thread, sets[thread], packed.entries, 0, size, width) < len(packed.entries):
            raise chains.budget.short()

    try:
        chains.threads.each(len(work), read)
    except BaseException:
        for sets, _, _ in work:
            Level(chains, sets).release()
        raise
    return found
