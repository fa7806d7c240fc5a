"""The levels of a search by number: waiting, settled, and expanded; in memory and, with a folder, in files."""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.chains import TARGET, Chains
from parsolve.levels.files import PARTS, LevelFile, Packed, SpillFile
from parsolve.levels.kernels import level_size
from parsolve.levels.level import Level, load
from parsolve.levels.pool import Array
from parsolve.levels.resumable import Kind
from parsolve.levels.threads import FEW

EARLY, GROWTH, GROWTH_OF_KEYS, GROWTH_FACING = 64 << 20, 2.5, 1.5, 1.3
"""Levels are merged early if blocks take more than EARLY bytes, and GROWTH times as much as after the last merge; a
smaller factor applies to keys alone, of which known ones are dropped, and of the last level of both ends, most."""

LEFT, FEWEST, ENOUGH = 32, 4, 2
"""A search ends if merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files if
it leaves less than a FEWEST-th, until an ENOUGH-th is free."""

WHOLE = 2
"""A level is expanded from its file if it takes more than a WHOLE-th of the memory."""

BY_SEVERAL = {"graded": "any", "bipartite": "reversible"}
"""The graph that is assumed instead if the search starts from several states: one may be a move from another."""


class Graph:
    """The settled levels of a search whose moves may lead back, as long as a later child may lie in them.

    A level is settled once each of its keys occurs once, and in no level before. Here levels are costs, or numbers of
    moves. If each move can be taken back at the same cost, a child in level k has a parent to which a move from k
    leads. If moves from k cost at most c, the parent's level is at most k + c, and the child's at most k + 2c.

    Args:
        kind: see `Puzzle.graph`.
        free: bits of a level's number below its cost.
        once: whether a state is in one level only, not in several of one cost.
        keeps: whether all levels stay, instead of only those in which a child may lie.
        is_from_several: whether the search starts from several states.

    Attributes:
        levels: by number, ascending.
        last: the level that is expanded next, or was last.
    """

    def __init__(self, kind: str, free: int, once: bool, keeps: bool, is_from_several: bool) -> None:
        self._kind = BY_SEVERAL.get(kind, kind) if is_from_several else kind
        self._free, self._once, self._keeps = free, once, keeps
        self.levels: dict[int, Level] = {}
        self._until: dict[int, float] = {}
        """By number, the level up to which a child may lie in it."""
        self.last: int | None = None
        self._all_cost_1 = True

    def next(self, number: int) -> int:
        """Return the first level of a greater cost."""
        return ((number >> self._free) + 1) << self._free

    @property
    def stays(self) -> bool:
        """Whether no level is ever forgotten."""
        return self._keeps or self._kind == "any"

    def _add(self, number: int, dearest: float = math.inf) -> None:
        """Record that a level is settled, and that moves from it cost at most `dearest`."""
        cost = number >> self._free
        # In a graded graph a state has one number of moves, which is its cost as long as all moves cost 1.
        graded = math.inf if self._once and not self._all_cost_1 else cost
        self._until[number] = {"graded": graded, "any": math.inf}.get(self._kind, cost + 2 * dearest)

    def add(self, number: int, level: Level) -> None:
        """Add the level that is expanded next."""
        self.levels[number], self.last = level, number
        self._add(number)

    def restore(self, number: int, level: Level) -> Level:
        """Return a level that an earlier run has settled, first an empty one: what its moves cost is not known."""
        self._all_cost_1 = False
        self._add(number)
        return self.levels.setdefault(number, level)

    def expanded(self, lowest: int, highest: int) -> Level | None:
        """Record that the last level is expanded, to children from the level `lowest` to `highest`; return it."""
        if self.last is not None:
            cheapest, dearest = ((each >> self._free) - (self.last >> self._free) for each in (lowest, highest))
            self._all_cost_1 &= cheapest == dearest == 1
            self._add(self.last, dearest)
        return self.levels.get(-1 if self.last is None else self.last)

    def passed(self, number: int) -> Iterator[Level]:
        """Yield and forget the levels in which no child lies that is in this level or a later one."""
        cost = number >> self._free
        gone = [each for each in self.levels if each != self.last and self._until[each] < cost]
        for each in [] if self._keeps else gone:
            yield self.levels.pop(each)

    def before(self, number: int) -> list[Level]:
        """Return the levels that may have keys of a level already."""
        cost = number >> self._free
        nearest = cost - (2 if self._kind == "bipartite" and self._all_cost_1 else 1)
        first = number if self._once else cost << self._free
        return [
            level
            for each, level in self.levels.items()
            if (each >> self._free <= nearest or cost << self._free <= each < first) and self._until[each] >= cost
        ]


class Store:
    """Levels by number. Whenever a method other than `put` ends, with an error or without, each entry exists once. It
    raises OutOfMemory if memory, and the folder if there is one, have too little room.

    Args:
        chains: what they have in common.
        folder: for files; None for no files.
        graph: the levels that stay once they are settled; None for none.
        kept: words of an entry that are kept of levels that stay.

    Attributes:
        now: the rest of the piece that is being expanded.
        shared: the level that stays, if its blocks are those of `now`.
        partner: the store of another search in the same pool: its levels go to files, too, if memory is short.
        facing: a level of that one, if there is one; see `Level.shares`.
        forgets: whether small levels are forgotten once all of their keys are known, because none is asked for alone.
    """

    def __init__(self, chains: Chains, folder: Path | None = None, graph: Graph | None = None, kept: int = 0) -> None:
        self.chains, self.folder, self.graph, self._kept = chains, folder, graph, kept
        self._pool, chains.make_room = chains.pool, self.make_room
        self.now = Level(self.chains)
        self.partner: Store | None = None
        self.facing: Sequence[Level] = ()
        self.shared: Level | None = None
        self._waiting: dict[int, Level] = {}
        self._older: Sequence[Level] = ()
        """The settled levels with which waiting ones are merged."""
        self.forgets = False
        self._after = 0  # blocks in use after levels were last merged early

    # The contents.

    @property
    def settled(self) -> dict[int, Level]:
        """The settled levels that stay, by number."""
        return {} if self.graph is None else self.graph.levels

    @property
    def numbers(self) -> set[int]:
        """The levels with entries, without settled ones and the piece that is being expanded."""
        return {*self._waiting, *(level for buffers in self.chains.buffers for level in buffers.levels.tolist())}

    @property
    def waiting(self) -> int:
        """The number of entries in memory; a key may occur several times in levels that are not merged."""
        levels = (self.now, *self._waiting.values())
        children = sum(int(buffers.children.sizes[: len(buffers.levels)].sum()) for buffers in self.chains.buffers)
        return sum(level.size for level in levels) + children

    @property
    def size(self) -> int:
        """Maximum number of bytes that `packed` yields."""
        in_files = sum(level.total - level.size for level in self._waiting.values())
        entries = self.waiting + in_files + sum(level.total for level in self.settled.values())
        entries += self.chains.known_size
        return 8 * (self.chains.form.head + self.chains.counts) * entries

    def packed(self, level: int) -> Iterator[tuple[Kind, int, Packed]]:
        """Yield all entries in pieces with their levels: those of settled ones, of all that are forgotten with -1, and
        as waiting those that are not expanded, unless all of a settled level are not. A key may occur there several
        times, each time with other ways to it.

        Args:
            level: the level that is being expanded.
        """
        chains, words = self.chains, len(self.chains.form.like)
        if chains.known_size:
            keys = chains.known.scratch.reshape(-1, words)[: chains.known_size]
            entries, more = np.zeros((len(keys), chains.form.least), np.uint64), chains.form.least - words
            entries[:, :words] = keys
            yield Kind.FORGOTTEN, -1, Packed(entries.reshape(-1), more, np.zeros(PARTS + 1, np.int64))
        for number, settled in self.settled.items():
            yield from ((Kind.SETTLED, number, packed) for packed in settled.read())
        yield from ((Kind.WAITING, level, packed) for packed in self.now.packed())
        for number in self.numbers:
            yield from ((Kind.WAITING, number, packed) for packed in self.gathered(number).read())

    # Add and remove levels.

    def put(self, number: int, entries: Array, words: int) -> None:
        """Add packed entries, whose counts have `words`, to a level."""
        self._waiting.setdefault(number, Level(self.chains)).put(entries, words)

    def restore(self, kind: int, number: int, entries: Array, words: int) -> None:
        """Add what `packed` has yielded, before any is expanded."""
        if kind == Kind.WAITING or self.graph is None:
            self.put(number, entries, words)
        else:
            self.graph.restore(number, Level(self.chains)).put(entries, words)

    def replace(self, entries: Array, words: int) -> None:
        """Expand other entries, instead of those of the current level; their children are in no settled level."""
        self.now.release()
        self.now, self.shared, self._older = Level(self.chains), None, ()
        self.now.put(entries, words)
        self.now.merge()
        self.divide(self.now.size)

    def drop(self, number: int) -> None:
        """Forget a level."""
        (self._waiting if number in self._waiting else self.settled).pop(number).release()

    def close(self) -> None:
        """Free memory and files; nothing can be expanded afterwards."""
        self.settled.clear()
        self._waiting, self.now = {}, Level(self.chains)
        self._pool.close()

    def leave_memory(self) -> None:
        """Where memory was short, write all settled levels to files, and give it back."""
        if any(level.file is not None for level in self.settled.values()):
            for level in self.settled.values():
                if level.sets:
                    self._write(level)
            self.chains.give_back(0)
            self._pool.close()

    def settle(self, number: int) -> Level:
        """Merge the lowest level with entries, without the keys of older ones, and return it: if levels stay, it is one
        of them then. Otherwise it is merged as it is expanded if it is in a file or takes too much memory."""
        level, graph = self.gathered(number), self.graph
        if graph is not None and number not in graph.levels:
            expanded = graph.expanded(number, max(self.numbers))
            if self.forgets and graph.stays:
                self._forget(graph, number)
            if expanded is not None:
                expanded.strip(self._kept)
            self._look_in(graph.before(number))
        self._merge(level)
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

    @property
    def _facing_in_memory(self) -> Sequence[Level]:
        """The facing level, if it is in memory: what is shared with one in a file is found piece by piece."""
        return () if any(each.file is not None for each in self.facing) else self.facing

    def _merge(self, level: Level) -> None:
        """Merge a level, or write it to a file, if it takes too much memory, or what it is merged with is in one."""
        try:
            level.merge(self._older, self._facing_in_memory)
        except OutOfMemory:
            if self.folder is None:
                raise
            self._write(level)
        if level.file is None and self.folder is not None:
            _, blocks, _ = level_size(self._pool.blocks, np.array(level.sets))
            others = (*self._older, *self.facing)
            if blocks > self._pool.most // WHOLE or any(each.file is not None for each in others):
                self._write(level)

    def common(self, number: int) -> Array:
        """Return the keys that a waiting level shares with the facing one, uint64[n], and forget it."""
        level = self.gathered(number)
        self._merge(level)
        merged = level if level.file is None else self._settled_in_file(level)
        keys = merged.keys()[: None if merged.shares else 0]
        self.drop(number)
        return keys

    def _forget(self, graph: Graph, number: int) -> None:
        """Forget small settled levels of less cost than a level; their keys are known then."""
        for each, level in [*graph.levels.items()]:
            is_small = graph.next(each) <= number and level.merged == level.size <= FEW and level.file is None
            if is_small and self.chains.try_know(level.sets[0], level.size):
                self.drop(each)

    def _look_in(self, older: Sequence[Level]) -> None:
        """Choose the levels with which waiting ones are merged."""
        if not {*older} <= {*self._older}:
            for level in self._waiting.values():
                level.merged = 0
        self._older = older

    def _settled_in_file(self, level: Level) -> Level:
        """Return a level that is in a file, merged piece by piece, in another file."""
        file, part, shares = self._new_file(stays=True), 0, level.shares
        while part < PARTS:
            part, ((piece,), older, facing) = load(self.chains, part, [level], self._older, self.facing)
            piece.shares = shares
            try:
                piece.merge(older, facing)
                if piece.shares and not shares:  # no piece before it does
                    file, shares = self._new_file(stays=True), True
                piece.write(file)
            finally:
                for each in {piece, *older, *facing} - {*self._older, *self.facing}:
                    each.release()
        found = Level(self.chains, file=file)
        found.shares = shares
        return found

    def pieces(self, number: int) -> Iterator[tuple[float, float]]:
        """Make a settled level the current one: all at once or, if it is in a file, piece by piece. Yield the share of
        the level before the piece, and the share of the piece."""
        level = self._waiting.get(number)  # if no levels stay, or an earlier run has begun it
        stays = level is None
        level = level or self.settled[number]
        if level.file is None:
            level.merge()
            self.divide(level.size)
        elif level.sets:
            self._write(level)
        self.shared = level if stays and level.file is None else None
        left = Level(self.chains, [each.copy() for each in level.sets], level.size, level.file) if stays else level
        left.merged, self._waiting[number] = level.merged, left
        while left.part < PARTS:
            first = left.part
            left.part, ((self.now,),) = load(self.chains, first, [left])
            if left.part == PARTS:
                del self._waiting[number]
            self.now.merge()
            if left.file is not None:
                self.divide(self.now.size)
            yield first / PARTS, (left.part - first) / PARTS

    def gathered(self, number: int) -> Level:
        """Return a waiting level with all of its chains."""
        level = self._waiting.setdefault(number, Level(self.chains))
        for buffers in self.chains.buffers:
            for at in np.flatnonzero(buffers.levels == number).tolist():
                level.sets.append(buffers.chains(at, self.chains.bits).copy())
                level.size += int(buffers.children.sizes[at])
                buffers.drop(at, self.chains.bits)
        return level

    # Merging.

    def merge_early(self) -> None:
        """Merge the chains of all levels if they have grown much since the last time."""
        growth = GROWTH if self.chains.has_payload else GROWTH_FACING if self.facing else GROWTH_OF_KEYS
        if self._pool.used > max(EARLY // self._pool.size, growth * self._after):
            self._merge_all()

    def _merge_all(self, but: Sequence[Level] = ()) -> None:
        # What costs as much as the settled level may be there as well.
        first = -math.inf if self.graph is None or self.graph.last is None else self.graph.next(self.graph.last)
        for number in self.numbers:
            level = self.gathered(number)
            if level in but or number < first:
                continue
            if not level.try_merge(self._older, self._facing_in_memory):
                break
        self._after = self._pool.used

    def divide(self, size: int) -> None:
        """Divide all levels into more buckets if a level of `size` entries is large for the present number."""
        if size <= TARGET << self.chains.bits:
            return
        for number in self.numbers:
            self.gathered(number)
        levels = [self.now, *self.settled.values(), *self._waiting.values()]
        sets = iter(self.chains.divide(size, [ends for level in levels for ends in level.sets]))
        for level in levels:
            level.sets = [next(sets) for _ in level.sets]

    # Memory.

    def make_room(self, wanted: int, but: Sequence[Level] = ()) -> None:
        """Free blocks: merge levels early, then write them to files, those first that are not needed soon.

        Args:
            wanted: how many must be free.
            but: levels that must not change.
        """
        self.chains.give_back(0)
        wanted = max(wanted, self._pool.most // LEFT)
        if self._pool.free >= wanted:
            return
        self._merge_all(but)
        self.chains.give_back(0)
        if self.folder is not None and self._pool.free < max(wanted, self._pool.most // FEWEST):
            enough = max(wanted, self._pool.most // ENOUGH)
            self._write_some((each for each in self.settled.values() if each not in self._older), enough, but)
            self._write_some(sorted(self._waiting.values(), key=lambda level: -level.size), enough, but)
            self._write_some(self.settled.values(), wanted, but)
            if self.partner is not None:
                self.partner._write_some(self.partner.settled.values(), wanted, but)
        if self._pool.free < wanted:
            raise self.chains.budget.short()

    def _write_some(self, levels: Iterable[Level], wanted: int, but: Sequence[Level]) -> None:
        """Write some levels to files, until this number of blocks is free."""
        for level in levels:
            is_needed = level in but or (level is self.shared and self.now.size)
            if level.sets and not is_needed and self._pool.free < wanted:
                self._write(level)
                self.chains.give_back(0)

    # Files.

    def _write(self, level: Level) -> None:
        level.file = level.file or self._new_file(level in self.settled.values())
        level.write(level.file)

    def _new_file(self, stays: bool) -> LevelFile:
        """Return a new file; one is for all settled levels, if none is ever forgotten, as there may be many."""
        assert self.folder is not None
        is_for_all = stays and self.graph is not None and self.graph.stays
        files = (each.file.spill for each in self.settled.values() if is_for_all and each.file is not None)
        return LevelFile(next(files, None) or SpillFile(self.folder), self.chains.form)
