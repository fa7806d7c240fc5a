"""The entries of a level: gathered, while a key may occur several times, and merged, once each occurs once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parsolve.levels.chains import Chains, ranges
from parsolve.levels.files import PARTS, LevelFile, Packed, end_of
from parsolve.levels.kernels import brief, level_size, merge_buckets
from parsolve.levels.templates import merging
from parsolve.levels.templates.blocks import BLOCK, FILES
from parsolve.levels.templates.merging import KeyTable, Others
from parsolve.levels.threads import FEW
from parsolve.problem.data import Array

MOST_TASKS = 64
"""Maximum number of tasks in which a level is merged: small levels have fewer, as each is a call."""

READ = 8
"""Parts that are read from files take at most a READ-th of the memory."""

NO_KEYS = np.zeros(0, np.uint64)
NO_TABLE = KeyTable(NO_KEYS, 0, NO_KEYS, 1, 0)


@dataclass(eq=False)
class Level:
    """Entries of a level. Whenever a method ends, with an error or without, each entry exists once."""

    chains: Chains  # what it has in common with the other levels of the search
    sets: list[Array] = field(default_factory=list)  # int64[buckets] each, at least one: chains of entries in memory
    size: int = 0  # maximum number of these
    file: LevelFile | None = None  # other entries, which memory did not hold

    def __post_init__(self) -> None:
        self.sets = self.sets or [self.chains.new_set()]

    @property
    def total(self) -> int:
        """Maximum number of entries, with those in the file."""
        return self.size + (self.file.entries() if self.file is not None else 0)

    def packed(self, width: int = 0) -> Iterator[Packed]:
        """Yield the entries in memory, in pieces; see `Chains.pack`."""
        for ends, first, last in self._ranges():
            packed = self.chains.pack(ends, first, last, width)
            if len(packed.entries):
                yield packed

    def read(self) -> Iterator[Packed]:
        """Yield the entries, in memory and in the file, in pieces."""
        yield from self.packed()
        yield from self.file.read_all() if self.file is not None else ()

    def add(self, entries: Array, at: int, words: int, thread: int = 0, width: int = 0) -> int:
        """Add packed entries, whose counts have `words`, from a place on, as entries of `width` words or more; return
        the place that is left where the pool has no more blocks, else their end."""
        size = self.chains.form.head + words
        self.chains.widen(words)
        end = self.chains.put(thread, self.sets[-1], entries, at, size, max(size, width))
        self.size += (end - at) // size
        return end

    def write(self, file: LevelFile) -> None:
        """Write the entries from memory to the level's file."""
        self.file = file

        def write(thread: int, ends: Array, first: int, last: int) -> None:
            file.write(self.chains.pack(ends, first, last))
            self.chains.release(thread, ends[first:last])

        self._each(write)
        self.release()

    def release(self) -> None:
        """Give all blocks back."""
        for ends in self.sets:
            self.chains.release(0, ends)
        self.chains.give_back()
        self.sets, self.size = [self.chains.new_set()], 0

    def _each(self, work: Callable[[int, Array, int, int], None], stoppable: bool = True) -> None:
        """Call `work(thread, ends, first, last)` on threads for ranges of chains."""
        every = [*self._ranges()]
        self.chains.threads.each(len(every), lambda thread, at: work(thread, *every[at]), self.size, stoppable)

    def _ranges(self) -> Iterator[tuple[Array, int, int]]:
        """Yield the chains in ranges of buckets: a set, its first bucket, and the one after the last."""
        words = (self.chains.form.head + self.chains.counts) * self.size
        return ((ends, *each) for ends in self.sets for each in ranges(ends, words))


class MergedLevel(Level):
    """A level with each key once: all in one set, or all in a file. `size` is exact."""

    @property
    def ends(self) -> Array:
        """Its only set."""
        return self.sets[0]

    def view(self) -> "MergedLevel":
        """Return the entries as a level to be expanded, whose blocks stay this one's."""
        return MergedLevel(self.chains, [self.ends.copy()], self.size, self.file)

    def read_keys(self) -> Iterator[Array]:
        """Yield the keys in pieces: uint64[n, words]."""
        form = self.chains.form
        for packed in self.read():
            yield packed.entries.reshape(-1, form.head + packed.words)[:, : len(form.like)]

    def keys(self) -> Array:
        """Return the keys, of one word: uint64[n]."""
        return np.concatenate([NO_KEYS, *(keys[:, 0] for keys in self.read_keys())])

    def strip(self, has_rows: bool) -> None:
        """Keep only the keys and costs of entries in memory that are expanded, and their rows if it still has these."""
        chains, form = self.chains, self.chains.form
        width = form.head if has_rows else len(form.like) + form.costs

        def strip(thread: int, ends: Array, first: int, last: int) -> None:
            chains.rewrite(thread, ends, first, last, ends, width)

        if self.file is None and width < form.least:
            self._each(strip, stoppable=False)
            chains.give_back()


class GatheredLevel(Level):
    """A level, or a part of one, that is not merged yet, or not with its latest entries. The first set has each key
    once; the others and the file may have it as well, several times, each time with other ways to it."""

    def add(self, entries: Array, at: int, words: int, thread: int = 0, width: int = 0) -> int:
        if len(self.sets) == 1:
            self.sets.append(self.chains.new_set())
        return super().add(entries, at, words, thread, width)

    def gather(self, number: int) -> None:
        """Take the children that threads have written for the level with a number."""
        for buffers in self.chains.buffers:
            for at in np.flatnonzero(buffers.levels == number).tolist():
                self.sets.append(buffers.chains(at, self.chains.bits).copy())
                self.size += int(buffers.children.sizes[at])
                buffers.drop(at, self.chains.bits)

    def unmerge(self) -> None:
        """Let all entries be merged again: the first set is one of the others, behind an empty one."""
        if self.sets[0].any():
            self.sets.insert(0, self.chains.new_set())

    def try_merge(self, policy: "Policy") -> MergedLevel | None:
        """Merge the entries in memory into the first set, and return what they are then; None if there is not enough
        memory for all of them. From the first key on that the facing level has, too, only such keys are kept, here and
        in all that is merged later."""
        if self.chains.has_payload and len(self.sets) > 1:
            self.unmerge()  # counts are added
        while len(self.sets) > 1:
            if not self._merge(policy):
                return None
        return MergedLevel(self.chains, self.sets[:1], self.size, self.file)

    def _merge(self, policy: "Policy") -> bool:
        """Merge the other chains into the first set, on all threads; return False if memory is short."""
        chains, new, sets, is_short = self.chains, self.sets[0], np.array(self.sets[1:]), False
        self.sets[1:] = sets  # the kernel takes their entries
        buckets, others = 1 << chains.bits, policy.others(chains, new)
        tallies = np.zeros(len(chains.buffers), merging.TALLY)
        kernel = brief(merge_buckets, sum(each.size for each in (self, *policy.levels)))
        step = max(1, buckets // min(MOST_TASKS, 1 + self.size // FEW))

        def merge_task(thread: int, task: int) -> None:
            nonlocal is_short
            buffers, tally, last = chains.buffers[thread], tallies[thread], min((task + 1) * step, buckets)
            tally["next"], tally["last"] = task * step, last
            while tally["next"] < last:
                memory = buffers.own, (buffers.table, buffers.scratch), tallies[thread : thread + 1]
                done = kernel(chains.pool.blocks, others, sets, new, *memory, chains.form, chains.bits)
                if not done and not chains.pool.grow():
                    is_short = True
                    break
                buffers.enlarge(*(int(tally[name]) for name in ("room", "table", "scratch")))

        try:
            chains.threads.each(-(-buckets // step), merge_task, self.size)
        finally:
            self.sets[1:] = [ends for ends in sets if ends.any()]
            if not policy.meeting.is_found and any(tally["facing"] for tally in tallies):
                policy.meeting.is_found = True
                self.unmerge()  # all keys are looked at again
            chains.widen(max(int(tally["widest"]) for tally in tallies) - chains.form.head)
            chains.give_back()
        self.size = int(brief(level_size, self.size)(chains.pool.blocks, np.array(self.sets))[0])
        return not is_short


@dataclass
class Meeting:
    """Whether the searches from both ends have met in a key: from then on all others are of no use."""

    is_found: bool = False


@dataclass(frozen=True)
class Policy:
    """Which keys are kept of a level that is merged.

    Attributes:
        older: settled levels, whose keys are left out.
        forgotten: further keys that are left out.
        facing: the last level of the search from the other end, if there is one.
        meeting: whether they have met.
    """

    older: Sequence[MergedLevel] = ()
    forgotten: KeyTable = NO_TABLE
    facing: Sequence[MergedLevel] = ()
    meeting: Meeting = field(default_factory=Meeting)

    @property
    def levels(self) -> list[MergedLevel]:
        """All levels that it compares with."""
        return [*self.older, *self.facing]

    def others(self, chains: Chains, new: Array) -> Others:
        """Return what the kernel compares entries with; `new`: the chains into which it merges them."""
        facing = [each.ends for each in self.facing if each.file is None]  # of a file it is found piece by piece
        is_alone = self.meeting.is_found and len(facing) > 0
        older = [] if is_alone else [each.ends for each in self.older if each.size]
        if not chains.has_payload:
            older.append(new)
        across = np.array(facing or np.zeros((0, 1), np.int64))
        least = merging.SHARED if is_alone else merging.MET
        return Others(np.array(older, np.int64).reshape(-1, 1 << chains.bits), self.forgotten, across, least)


def load_parts(
    file: LevelFile, chains: Chains, first: int, policy: Policy, make_room: Callable[[int], None]
) -> tuple[int, GatheredLevel, Policy]:
    """Return parts of a level's file in memory, from the first one on, and a policy with the same parts in place of the
    files of its levels; and before them the part with which to continue, PARTS if all were returned. `make_room` frees
    some blocks, perhaps by writing more levels to files."""
    sizes = [-1]
    while True:
        files = [file, *(each.file for each in policy.levels if each.file is not None)]
        width = max(each.width for each in files)
        # The hashes of a part of a bucket are alike, and merging it takes longer.
        most, bucket = chains.pool.most // READ * (BLOCK // width), max(1, PARTS >> chains.bits)
        end = end_of(files, first, most, bucket)
        before, sizes = sizes, [each.entries(first, end) for each in files]
        if sizes == before:
            break
        more = 3 * len(chains.buffers) * (2 + ((end - first) << chains.bits >> FILES))
        make_room(sum(sizes) // (BLOCK // width) + more)

    def in_memory(levels: Sequence[MergedLevel]) -> list[MergedLevel]:
        read = read_parts([each.file for each in levels if each.file is not None], chains, first, end)
        parts = (MergedLevel(chains, each.sets, each.size) for each in read)
        return [*(each for each in levels if each.file is None), *parts]

    parts = read_parts([file], chains, first, end)
    sets = [chains.new_set(), *(ends for each in parts for ends in each.sets)]
    piece = GatheredLevel(chains, sets, sum(each.size for each in parts))
    return end, piece, replace(policy, older=in_memory(policy.older), facing=in_memory(policy.facing))


def read_parts(files: Sequence[LevelFile], chains: Chains, first: int, end: int) -> list[Level]:
    """Return some parts of files in memory: what each thread has read."""
    read, width = [Level(chains) for _ in chains.buffers if files], max((file.width for file in files), default=0)
    work = [(file, run) for file in files for run in file.runs(first, end)]

    def read_run(thread: int, at: int) -> None:
        file, run = work[at]
        packed = file.read(run, first, end)
        if read[thread].add(packed.entries, 0, packed.words, thread, width) < len(packed.entries):
            raise chains.budget.short()

    chains.threads.each(len(work), read_run)
    return read
