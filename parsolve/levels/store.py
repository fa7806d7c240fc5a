"""The levels of a search by number: waiting, settled, and expanded; in memory and, with a folder, in files."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from parsolve.levels.chains import Chains
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.level import Level, Policy
from parsolve.levels.resumable import Kind

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
        self._free, self._once, self.keeps = free, once, keeps
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
        return self.keeps or self._kind == "any"

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
        for each in [] if self.keeps else gone:
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
    """Levels by number. What changes them is in `room` and `settling`: whenever a function there ends, with an error or
    without, each entry exists once.

    Args:
        chains: what they have in common.
        folder: for files; None for no files.
        graph: the levels that stay once they are settled; None for none.
        partner: the store of another search in the same memory.

    Attributes:
        waiting: the other levels with entries, without those that threads have.
        now: the rest of the piece that is being expanded.
        piece, total: the number of its entries when it began, and that of all entries of its level.
        original: the settled level whose blocks are those of `now`, if there is one.
        policy: how waiting levels are merged.
        partners: the stores in the same memory, whose settled levels go to files, too, if it is short.
        used: blocks in use after levels were last merged early.
    """

    def __init__(
        self, chains: Chains, folder: Path | None, graph: Graph | None, partner: "Store | None" = None
    ) -> None:
        self.chains, self.folder, self.graph = chains, folder, graph
        self.waiting: dict[int, Level] = {}
        self.now, self.piece, self.total = Level(chains), 0, 0
        self.policy, self.used = Policy(), 0
        self.original: Level | None = None
        self.partners = [] if partner is None else [partner]
        for each in self.partners:
            each.partners.append(self)

    @property
    def settled(self) -> dict[int, Level]:
        """The settled levels that stay, by number."""
        return {} if self.graph is None else self.graph.levels

    @property
    def numbers(self) -> set[int]:
        """The levels with entries, without settled ones and the piece that is being expanded."""
        return {*self.waiting, *(level for buffers in self.chains.buffers for level in buffers.levels.tolist())}

    @property
    def entries(self) -> int:
        """The number of entries in memory; a key may occur several times in levels that are not merged."""
        levels = (self.now, *self.waiting.values())
        children = sum(int(buffers.children.sizes[: len(buffers.levels)].sum()) for buffers in self.chains.buffers)
        return sum(level.size for level in levels) + children

    @property
    def size(self) -> int:
        """Maximum number of bytes that `packed` yields."""
        in_files = sum(level.total - level.size for level in self.waiting.values())
        entries = self.entries + in_files + sum(level.total for level in self.settled.values())
        entries += self.policy.known.number
        return 8 * (self.chains.form.head + self.chains.counts) * entries

    def share(self, level: int) -> float:
        """Return the finished share of the level that is being expanded."""
        left = self.now.size + (self.waiting[level].total if level in self.waiting else 0)
        return 1 - left / self.total if self.total else 0.0

    def packed(self, level: int) -> Iterator[tuple[Kind, int, Packed]]:
        """Yield all entries in pieces with their levels: those of settled ones, of all that are forgotten with -1, and
        as waiting those that are not expanded, unless all of a settled level are not. A key may occur there several
        times, each time with other ways to it. `level` is the one that is being expanded."""
        chains, words = self.chains, len(self.chains.form.like)
        if known := self.policy.known.number:
            keys = self.policy.known.scratch.reshape(-1, words)[:known]
            entries, more = np.zeros((len(keys), chains.form.least), np.uint64), chains.form.least - words
            entries[:, :words] = keys
            yield Kind.FORGOTTEN, -1, Packed(entries.reshape(-1), more, np.zeros(PARTS + 1, np.int64))
        for number, settled in self.settled.items():
            yield from ((Kind.SETTLED, number, packed) for packed in settled.read())
        yield from ((Kind.WAITING, level, packed) for packed in self.now.packed())
        for number in self.numbers:
            yield from ((Kind.WAITING, number, packed) for packed in self.gathered(number).read())

    def gathered(self, number: int) -> Level:
        """Return a waiting level with all of its chains."""
        level = self.waiting.setdefault(number, Level(self.chains))
        for buffers in self.chains.buffers:
            for at in np.flatnonzero(buffers.levels == number).tolist():
                level.sets.append(buffers.chains(at, self.chains.bits).copy())
                level.size += int(buffers.children.sizes[at])
                buffers.drop(at, self.chains.bits)
        return level

    def drop(self, number: int) -> None:
        """Forget a level."""
        (self.waiting if number in self.waiting else self.settled).pop(number).release()

    def close(self) -> None:
        """Free memory and files; nothing can be expanded afterwards."""
        self.settled.clear()
        self.waiting, self.now = {}, Level(self.chains)
        self.chains.pool.close()
