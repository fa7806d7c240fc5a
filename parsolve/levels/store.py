"""The levels of a search by number: waiting, settled, and expanded; in memory and, with a folder, in files.

root
  │ add       settle             load             expand           gather
  ▼        (each key once)     (a view)
waiting ──────────────▶ settled ───────▶ current ────────▶ children ────────▶ waiting, with a higher number
  │ │                     │  │             ▲ ▲            (of a thread)
  │ └── if none stays ────┼──┼─── load ────┘ │   its blocks are used again, those of a view stay
  │ write                 │  └─ once expanded: strip; forget, where no child can lie in it
  ▼                       ▼ write            │
a file                  a file ── load_parts ┘   piece by piece
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.chains import TARGET, Chains
from parsolve.levels.files import PARTS, LevelFile, Packed, SpillFile
from parsolve.levels.kernels import level_size
from parsolve.levels.level import GatheredLevel, Level, Meeting, MergedLevel, Policy, load_parts
from parsolve.levels.pieces import PieceKind
from parsolve.levels.settled import Settled
from parsolve.problem.data import Array

EARLY, GROWTH, GROWTH_OF_KEYS, GROWTH_FACING = 32 << 20, 2.1, 1.5, 1.3
"""Levels are merged early if blocks take more than EARLY bytes, and GROWTH times as much as after the last merge; a
smaller factor applies to keys alone, of which known ones are dropped, and of the last level of both ends, most."""

LEFT, FEWEST, ENOUGH = 32, 4, 2
"""A search ends if merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files if
it leaves less than a FEWEST-th, until an ENOUGH-th is free."""

WHOLE = 2
"""A level is expanded from its file if it takes more than a WHOLE-th of the memory."""


@dataclass
class Current:
    """The level that is expanded next, is being expanded, or was last.

    Attributes:
        number: its number.
        left: what is left of it: in memory, of the piece that is being expanded.
        viewed: the settled level whose blocks these entries are in, if they are not their own.
        is_next: whether it is settled, and not begun.
        total: the number of entries of the level.
    """

    number: int
    left: MergedLevel
    viewed: MergedLevel | None = None
    is_next: bool = False
    total: int = 0


class Store:
    """Levels by number. Whenever a method ends, with an error or without, each entry exists once.

    Methods raise OutOfMemory if memory, and the folder if there is one, have too little room.

    Args:
        chains: what they have in common.
        folder: for files; None for no files.
        staying: the levels that stay once they are settled; None for none.
        stores: all in the same memory: this one, and that of the search from the other end if there is one.

    Attributes:
        current: the level that is expanded.
        waiting: the levels with entries that have not begun, without the children that threads have.
        policy: how waiting levels are merged.
    """

    def __init__(self, chains: Chains, folder: Path | None, staying: Settled | None, stores: "list[Store]") -> None:
        self.chains, self.folder, self.staying, self._stores = chains, folder, staying, stores
        self.waiting: dict[int, GatheredLevel] = {}
        self.current = Current(0, MergedLevel(chains))
        self.policy = Policy()
        self._used = 0  # blocks, after levels were last merged early

    @property
    def settled(self) -> dict[int, MergedLevel]:
        """The settled levels that stay, by number."""
        return {} if self.staying is None else self.staying.levels

    @property
    def numbers(self) -> set[int]:
        """The levels with entries, without settled ones and the one that is being expanded."""
        return {*self.waiting, *(level for buffers in self.chains.buffers for level in buffers.levels.tolist())}

    @property
    def entries(self) -> int:
        """The number of entries to be expanded; a key may occur several times in levels that are not merged."""
        children = sum(int(buffers.children.sizes[: len(buffers.levels)].sum()) for buffers in self.chains.buffers)
        return self.current.left.total + sum(level.total for level in self.waiting.values()) + children

    @property
    def bytes_saved(self) -> int:
        """Maximum number of bytes that `packed` yields."""
        settled = sum(level.total for level in self.settled.values()) + self.policy.forgotten.number
        return 8 * (self.chains.form.head + self.chains.counts) * (self.entries + settled)

    def packed(self) -> Iterator[tuple[PieceKind, int, Packed]]:
        """Yield all entries in pieces with their levels: settled ones, forgotten ones with -1, and as waiting the ones
        that are not expanded yet. A key may wait several times, each time with other ways to it. There is a piece, even
        an empty one, of a settled level that has not begun; from both ends it is settled again, to know what it shares
        with the other."""
        current, is_one_of_two = self.current, len(self._stores) > 1
        next_as = PieceKind.WAITING if is_one_of_two else PieceKind.NEXT
        if self.staying is not None and self.staying.forgotten.table.number:
            yield PieceKind.FORGOTTEN, -1, self.staying.forgotten.entries(self.chains.form)
        for number, settled in self.settled.items():
            is_next = current.is_next and number == current.number
            kind = next_as if is_next else PieceKind.SETTLED
            yield from ((kind, number, packed) for packed in settled.read())
            if is_next and not settled.total:
                yield kind, number, self.chains.pack(np.zeros(1, np.int64), 0, 1)
        yield from ((PieceKind.WAITING, current.number, packed) for packed in current.left.read())
        for number in self.numbers:
            yield from ((PieceKind.WAITING, number, packed) for packed in self.gathered(number).read())

    def gathered(self, number: int) -> GatheredLevel:
        """Return a waiting level with all of its children."""
        level = self.waiting.setdefault(number, GatheredLevel(self.chains))
        level.gather(number)
        return level

    def drop(self, number: int) -> None:
        """Forget a level."""
        (self.waiting if number in self.waiting else self.settled).pop(number).release()

    def close(self) -> None:
        """Free memory and files; nothing can be expanded afterwards."""
        self.settled.clear()
        self.waiting, self.current = {}, Current(self.current.number, MergedLevel(self.chains))
        self.chains.pool.close()

    # Room.

    def make_room(self, wanted: int, but: Sequence[Level] = ()) -> None:
        """Free `wanted` blocks or more: merge levels early, then write them to files, those first that are not needed
        soon, and none of `but`."""
        pool = self.chains.pool
        self.chains.give_back(0)
        wanted = max(wanted, pool.most // LEFT)
        if pool.free >= wanted:
            return
        self._merge_all(but)
        self.chains.give_back(0)
        if self.folder is not None and pool.free < max(wanted, pool.most // FEWEST):
            enough = max(wanted, pool.most // ENOUGH)
            self._write_some((each for each in self.settled.values() if each not in self.policy.older), enough, but)
            self._write_some(sorted(self.waiting.values(), key=lambda level: -level.size), enough, but)
            for each in self._stores:
                each._write_some(each.settled.values(), wanted, but)
        if pool.free < wanted:
            raise self.chains.budget.short()

    def merge_early(self) -> None:
        """Merge the chains of all levels if they have grown much since the last time."""
        growth = GROWTH if self.chains.has_payload else GROWTH_FACING if self.policy.facing else GROWTH_OF_KEYS
        if self.chains.pool.used > max(EARLY // self.chains.pool.block_bytes, growth * self._used):
            self._merge_all()

    def _merge_all(self, but: Sequence[Level] = ()) -> None:
        # What costs as much as the settled level may be there as well.
        first = self.staying.next(self.current.number) if self.staying is not None and self.settled else -math.inf
        for number in self.numbers:
            level = self.gathered(number)
            if level not in but and number >= first and not level.try_merge(self.policy):
                break
        self._used = self.chains.pool.used

    def _merge(self, level: GatheredLevel, policy: Policy) -> MergedLevel:
        """Merge all entries of a level in memory, and return what it is then."""
        while (merged := level.try_merge(policy)) is None:
            self.chains.give_back(0)
            self.make_room(self.chains.pool.free + 1, [level, *policy.levels])
        return merged

    def _put(self, level: Level, entries: Array, words: int) -> None:
        """Add packed entries, whose counts have `words`, to a level."""
        at = 0
        while (at := level.add(entries, at, words)) < len(entries):
            self.make_room(1)  # may merge what is there

    def _divide(self, size: int) -> None:
        """Divide all levels into more buckets if a level of `size` entries is large for the present number."""
        if size <= TARGET << self.chains.bits:
            return
        for number in self.numbers:
            self.gathered(number)
        levels = [self.current.left, *self.settled.values(), *self.waiting.values()]
        sets = iter(self.chains.divide(size, [ends for level in levels for ends in level.sets]))
        for level in levels:
            level.sets = [next(sets) for _ in level.sets]

    def write(self, level: Level) -> None:
        """Write the entries of a level from memory to its file."""
        level.write(level.file or self._new_file(level in self.settled.values()))

    def _write_some(self, levels: Iterable[Level], wanted: float, but: Sequence[Level] = ()) -> None:
        """Write some levels to files, until this number of blocks is free."""
        for level in levels:
            is_needed = level in but or (level is self.current.viewed and self.current.left.size > 0)
            if level.size and not is_needed and self.chains.pool.free < wanted:
                self.write(level)
                self.chains.give_back(0)

    def _new_file(self, stays: bool) -> LevelFile:
        """Return a new file; one is for all settled levels, if none is ever forgotten, as there may be many."""
        assert self.folder is not None
        is_for_all = stays and self.staying is not None and self.staying.stays
        files = (each.file.spill for each in self.settled.values() if is_for_all and each.file is not None)
        return LevelFile(next(files, None) or SpillFile(self.folder), self.chains.form)

    def leave_memory(self) -> None:
        """Where memory was short, write all settled levels to files, and give it back."""
        if any(level.file is not None for level in self.settled.values()):
            self._write_some(self.settled.values(), math.inf)
            self.chains.give_back(0)
            self.chains.pool.close()

    # From waiting to settled, and to expanded.

    def add(self, number: int, entries: Array, words: int, kind: PieceKind = PieceKind.WAITING) -> None:
        """Add packed entries, whose counts have `words`, to a waiting level or, of an earlier run, to a settled one."""
        if kind != PieceKind.WAITING and self.staying is not None:
            level: Level = self.staying.restore(number, MergedLevel(self.chains))
            self.current.number = max(self.settled)
            self.current.is_next |= kind == PieceKind.NEXT
        else:
            level = self.waiting.setdefault(number, GatheredLevel(self.chains))
        self._put(level, entries, words)
        if level.file is not None:  # all of it is, then
            self.write(level)
        self._divide(level.size)

    def take_keys(self, number: int) -> Array:
        """Merge a waiting level, forget it, and return its keys, of one word: uint64[n]."""
        level = self.gathered(number)
        keys = (self._merged_in_memory(level) or self._merged_in_file(level)).keys()
        self.drop(number)
        return keys

    def settle(self, number: int) -> Level:
        """Merge the lowest level with entries, without the keys of older ones, and return it: if levels stay, it is one
        of them then. Otherwise it is merged as it is expanded if it is in a file or takes too much memory."""
        level, staying = self.gathered(number), self.staying
        if staying is not None and number not in staying.levels:  # otherwise an earlier run has settled it
            staying.forget_small(number)  # first: what stays is stripped
            staying.expanded(self.current.number, number, max(self.numbers))
            self._look_in(staying, number)
        merged = self._merged_in_memory(level)
        if staying is None:
            self.current.number = number
            return level
        if number not in staying.levels:
            staying.add(number, merged or self._merged_in_file(level))
            del self.waiting[number]
        self.current.number, self.current.is_next = number, True
        staying.forget(number)
        self._look_in(staying, staying.next(number))
        return staying.levels[number]

    def _look_in(self, staying: Settled, number: int) -> None:
        """Leave out of waiting levels the keys that are settled before a level."""
        older = staying.before(number)
        if not {*older} <= {*self.policy.older}:
            for level in self.waiting.values():
                level.unmerge()
        self.policy = replace(self.policy, older=older, forgotten=staying.forgotten.table)

    def _merged_in_memory(self, level: GatheredLevel) -> MergedLevel | None:
        """Merge a level, and return what it is then; write it to a file, and return None, if it takes too much memory,
        or what it is merged with is in one."""
        pool, is_large = self.chains.pool, level.file is not None
        try:
            merged = self._merge(level, self.policy)
            _, blocks, _ = level_size(pool.blocks, merged.ends[None])
            is_large |= self.folder is not None and blocks > pool.most // WHOLE
        except OutOfMemory:
            if self.folder is None:
                raise
            is_large = True
        if is_large or any(each.file is not None for each in self.policy.levels):
            self.write(level)
            return None
        return merged

    def _merged_in_file(self, level: GatheredLevel) -> MergedLevel:
        """Merge a level that is in a file piece by piece, and return what it is then, in another file."""
        policy, file, part = self.policy, self._new_file(stays=True), 0
        assert level.file is not None
        while part < PARTS:
            had_met = policy.meeting.is_found
            part, piece, loaded = load_parts(level.file, self.chains, part, policy, self.make_room)
            merged = self._merge(piece, loaded)
            if policy.meeting.is_found and not had_met:  # no piece before it has keys that are shared
                file = self._new_file(stays=True)
            merged.write(file)
            for each in {*loaded.levels} - {*policy.levels}:
                each.release()
        return MergedLevel(self.chains, file=file)

    def load(self) -> Iterator[None]:
        """Begin the current level: whole or, if it is in a file, piece by piece; yield after each."""
        current, number, part = self.current, self.current.number, 0
        if number in self.waiting:  # no levels stay, or an earlier run has begun it
            begun = self.waiting[number]
            self._divide(begun.size)
            current.left, current.viewed = self._merge(begun, Policy()), None
            del self.waiting[number]
        else:
            level = self.settled[number]
            self._divide(level.size)
            current.left, current.viewed = level.view(), level
        current.total, current.is_next = current.left.total, False
        if current.left.file is None:
            yield
        while (file := current.left.file) is not None:
            part, piece, _ = load_parts(file, self.chains, part, Policy(), self.make_room)
            piece.file = file.rest(part) if part < PARTS else None
            current.left, current.viewed = self._merge(piece, Policy()), None
            self._divide(current.left.size)
            yield

    def replace_piece(self, entries: Array, words: int, facing: Sequence[MergedLevel] = ()) -> None:
        """Expand other entries next; of their children keep only keys of the facing level, if one is given."""
        self.current.left.release()
        self.policy = Policy(facing=facing, meeting=Meeting(is_found=len(facing) > 0))
        piece = GatheredLevel(self.chains)
        self._put(piece, entries, words)
        self.current.left, self.current.viewed = self._merge(piece, Policy()), None
        self.current.total = self.current.left.size
        self._divide(self.current.total)

    def face(self, level: MergedLevel) -> None:
        """Look for keys that are shared with the last level of the search from the other end."""
        self.policy = replace(self.policy, facing=[level])
