"""Level after level: the lowest is expanded, its children are merged into theirs, and its memory is given back."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parsolve.breadth.layers import Array, crowded, inspected, misdeclared
from parsolve.breadth.threads import Threads
from parsolve.errors import BadInput, OutOfMemory
from parsolve.kernel import entries as kernel_code
from parsolve.kernel.calling import call
from parsolve.kernel.entries import Children
from parsolve.kernel.rows import rows_to_overrun
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.search.budget import Budget
from parsolve.sharing.levels import Levels, More
from parsolve.sharing.table import Form, Packed, Table, used

BITS = 63
"""Bits of a word of a count: two of them and a carry fit 64."""

SAMPLED = (1 << 64) // 256
"""The greatest hash of a key that is compared with the state that has it: of one in 256."""

ROOM = 1 << 16
"""Children that a thread writes down before they are merged: some 5 ms."""

BUFFERS = 4
"""Pieces that each thread expands before their children are merged: with fewer, threads wait longer for each other."""

LEAST = 1 << 6
"""The same where memory is short: what they might take must be left."""

PIECE = 1 << 15
"""Places of a table that a thread expands at once."""

FEW = 1 << 14
"""Places or children that one thread takes alone: to wake the others takes as long."""

LOWEST = -(1 << 62)
"""The level of the root, which no move leads to."""


NO_ENDS = np.zeros(0, np.uint32)
"""Where nobody asks which entries lead to solutions."""


class Piece(NamedTuple):
    """Some places of a table."""

    table: Table
    first: int
    end: int


class Written(NamedTuple):
    """What an expansion has made of a piece."""

    children: Children
    tally: Array  # see `kernel.entries`
    found: Array  # uint64[words]: solutions among the children


class Chain(NamedTuple):
    """The children of one piece in one part of a level."""

    parents: Table
    children: Children
    first: int
    length: int


class Layers:
    """A count by levels.

    Args:
        problem: gives a key, the way back from it, and a level or a graded graph.
        threads: that share the work.
        folder: for files with what memory does not hold; None for no files.
        memory: bytes that entries may take; by default most of what is left.
        bits: of a word of a count.
        sampled: the greatest hash of a key that is compared with a state that has it.
        room: children that a thread writes down before they are merged.
        few: places or children that one thread takes alone.
        keep: gets the tables of each level when they are expanded, instead of giving their memory back; not with a
            folder.

    Attributes:
        count: solutions found so far; where they differ in cost, of those that cost `cost`.
        cost: the least cost of a solution so far.
        form: of all tables.
        buffers: where children are written, some for each thread.
        nodes: entries that were expanded so far.
        begun: levels that were begun so far.
        share: what is done of the level that was begun last.
        widest: the most entries that were in memory at once.
        is_whole: whether these numbers and `packed` are all that there is: a step counts as a whole or, while it is
            merged, not at all.

    Raises:
        BadInput: the puzzle gives no way back from a key.
        OutOfMemory: there is hardly any.
    """

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        folder: Path | None = None,
        memory: int | None = None,
        bits: int = BITS,
        sampled: int = SAMPLED,
        room: int = ROOM,
        few: int = FEW,
        keep: Callable[[int, list[Table]], None] | None = None,
    ) -> None:
        kernel, whole = problem.kernel.sharing, problem.kernel.layer
        if kernel is None or whole is None:
            raise BadInput(f"{problem.name} gives no way back from a key to its state (unkey)")
        self.problem, self._threads = problem, threads
        self._sampled, self._room, self._few = np.uint64(sampled), room, few
        self._keep = keep or _free
        self._expand_entries = kernel.expand_entries
        self.count, self.cost = 0, NO_LIMIT
        self.nodes = self.begun = 0
        self.share, self.widest, self.is_whole = 0.0, 1, True
        keys, solved = inspected(problem, whole.inspect_rows, problem.root)
        like = (np.uint64(0),) * keys.shape[1]
        advice = "" if folder is not None else ", or a folder for files (--spill)"
        if keep is not None:
            advice = "; a list takes all levels at once, a count does not"
        text = "the next states with their counts take more than the {megabytes:,.0f} MB that are left for them"
        text = f"{type(problem.given).__name__}: {text}: give them more (--max-memory){advice}"
        self.form = Form(like, len(like) + problem.has_cost, bits, Budget(threads.watch, text, memory))
        self._levels = Levels(self.form, threads, folder)
        self._most_parts = 1 << (threads.number - 1).bit_length()
        self._rows = [rows_to_overrun(1 + problem.children, problem.state) for _ in range(threads.number)]
        self._spare = [rows_to_overrun(2 + problem.children, problem.state) for _ in range(threads.number)]
        self.buffers = [self._room_for_children() for _ in range(BUFFERS * threads.number)]
        self._level, self._pieces, self._left = LOWEST, deque[Piece](), 0
        """What is expanded: its level, what is left of its tables, and of their places."""
        cost = int(problem.root["cost"][0])
        if solved[0]:
            self.count, self.cost = 1, cost
        else:
            entry = [*keys[0].tolist(), *([cost] if problem.has_cost else []), 1]
            self._levels.put(LOWEST, np.array(entry, np.uint64), 1)
        self._warm_up()

    def _room_for_children(self) -> tuple[Children, Array]:
        most = self._room + self.problem.children
        levels = kernel_code.MOST_LEVELS + self.problem.children
        children = Children(
            np.zeros(most * len(self.form.like), np.uint64),
            np.zeros(most, np.uint32),
            np.zeros(most, np.int64),
            np.zeros(most, np.int32),
            np.zeros(levels, np.int64),
            np.zeros(levels * self._most_parts, np.int32),
            np.zeros(levels * self._most_parts, np.int32),
        )
        return children, np.zeros(kernel_code.TALLY, np.int64)

    # Where it stands.

    @property
    def finished(self) -> int:
        """How many levels are finished."""
        return self.begun - (bool(self._pieces) or self._level in self._levels)

    @property
    def waiting(self) -> int:
        """How many entries are known and not expanded, at least: those in memory, those expanded in part by share."""
        tables = {id(piece.table): piece.table for piece in self._pieces}
        return self._levels.used + sum(table.used for table in tables.values())

    @property
    def size(self) -> int:
        """The bytes of all that `packed` yields, at most."""
        tables = {id(piece.table): piece.table for piece in self._pieces}
        return self._levels.size + sum(self.form.bytes_of(each.used, each.words) for each in tables.values())

    def packed(self) -> Iterator[tuple[int, Packed]]:
        """Yield all entries that are not expanded, some of them at once, each time with their level; see `Levels`."""
        for piece in self._pieces:
            yield from ((self._level, packed) for packed in piece.table.packed(piece.first, piece.end))
        yield from self._levels.packed()

    def restore(self, packed: Iterable[tuple[int, int, Array]]) -> None:
        """Take up the entries that another process has left, before any is expanded.

        Args:
            packed: level, words of a count, and entries.

        Raises:
            OutOfMemory: they do not fit.
            ValueError: they are not of this search.
        """
        self._levels.close()
        self._levels = Levels(self.form, self._threads, self._levels.folder)
        self._levels.parts = self._most_parts
        for level, words, entries in packed:
            if not words >= 1 or len(entries) % (self.form.head + words):
                raise ValueError("entries of another length")
            self._levels.put(level, entries, words)

    @property
    def least_cost(self) -> int | None:
        """The cost of the solutions; None without any, or where solutions do not differ in cost.

        Raises:
            BadPuzzle: it overflows its field.
        """
        if not self.count or not self.problem.has_cost:
            return None
        self.problem.refuse_overflow(self.cost)
        return self.cost

    def close(self) -> None:
        """Give back what files take; nothing is expanded any more."""
        self._levels.close()

    # Level by level.

    def expand(self) -> Iterator[int]:
        """Expand one level after another, the lowest first, in steps; yield how many entries each had.

        Raises:
            OutOfMemory: the next levels do not fit.
            BadPuzzle: it breaks the contract.
        """
        while self._levels:
            if self._levels.parts < self._most_parts and self._levels.used > self._few:
                self._levels.split(self._most_parts)
            self.begun += 1
            for level, tables, done, share in self._levels.lowest():
                self._level = level
                self._begin(tables)
                self._left = places = sum(table.places for table in tables)
                self._pieces.extend(
                    Piece(table, first, min(first + PIECE, table.places))
                    for table in tables
                    for first in range(0, table.places, PIECE)
                )
                while self._pieces:
                    before = self.nodes
                    self._step()
                    self.share = done + share * (1 - self._left / places)
                    yield self.nodes - before
                self.widest = max(self.widest, self._levels.used + used(tables))
                self._keep(self._level, tables)

    def _begin(self, tables: list[Table]) -> None:
        """Look at what is expanded next of a level; a sample keeps a part of it."""

    def _step(self) -> None:
        """Expand some pieces of a level, and merge their children into the levels that these belong to."""
        batch = [self._pieces[number] for number in range(min(len(self._pieces), len(self.buffers)))]
        while True:
            made = self._expand(batch)
            chains = self._chains(batch, made)
            try:
                self._levels.reserve(
                    [
                        More(
                            level, part, sum(chain.length for chain in each), max(chain.parents.words for chain in each)
                        )
                        for (level, part), each in chains.items()
                    ]
                )
                break
            except OutOfMemory:
                if self._room <= LEAST:
                    raise
                self._room //= 4
        self.is_whole = False
        self._merge(chains)
        for piece, (_, tally, found) in zip(batch, made, strict=True):
            self._pieces.popleft()
            self._left -= int(tally[kernel_code.NEXT]) - piece.first
            self.nodes += int(tally[kernel_code.EXPANDED])
            self._add(int(tally[kernel_code.BEST]), number_of(found, self.form.bits))
            if tally[kernel_code.NEXT] < piece.end:
                self._pieces.append(piece._replace(first=int(tally[kernel_code.NEXT])))
        self.is_whole = True

    def _expand(self, batch: list[Piece]) -> list[Written]:
        """Expand some pieces of a level."""
        # Words for what as many as 2^40 children add.
        found = [np.zeros(piece.table.words + 1 + 40 // self.form.bits, np.uint64) for piece in batch]
        made = [Written(*buffer, words) for buffer, words in zip(self.buffers, found, strict=False)]

        def expand(thread: int, number: int) -> None:
            self.expand_piece(thread, self._level, batch[number], made[number], NO_ENDS)

        self.each(len(batch), expand, sum(piece.end - piece.first for piece in batch))
        for each in made:
            self.refuse_wrong(self._level, each.tally)
        return made

    def expand_piece(self, thread: int, level: int, piece: Piece, written: Written, ends: Array) -> None:
        """Expand a piece of a level, on a thread, until there is no room for more children.

        Args:
            written: where children are written.
            ends: see `expand_entries`.
        """
        table, first, end = piece
        children, tally, found = written
        tally[:] = 0
        tally[kernel_code.NEXT], tally[kernel_code.BEST] = first, self.cost
        self._call(
            self._expand_entries,
            self._rows[thread],
            self._spare[thread],
            table.entries,
            children,
            tally,
            found,
            ends,
            self.form.like,
            end,
            table.words,
            self.form.bits,
            self._room,
            self.parts,
            level,
            self.cost,
            self.problem.children,
            self._sampled,
        )

    def each(self, pieces: int, work: Callable[[int, int], None], size: int) -> None:
        """Call `work(thread, piece)` once for each piece: on all threads, or where there is little to do on this one.

        Args:
            pieces: how many.
            work: takes less than a second.
            size: places in all of them.
        """
        if pieces > 1 and size > self._few:
            self._threads.each(pieces, work)
        else:
            self._threads.watch.check()
            for number in range(pieces):
                work(0, number)

    @property
    def parts(self) -> int:
        """Into how many parts levels are divided by now."""
        return self._levels.parts

    def refuse_wrong(self, level: int, tally: Array) -> None:
        """Raise what the expansion of some of a level has found to be wrong."""
        fault, where = int(tally[kernel_code.FAULT]), int(tally[kernel_code.WHERE])
        if fault == kernel_code.CROWDED:
            raise crowded(self.problem)
        if fault == kernel_code.FALLS:
            raise self.problem.cost_falls()
        if fault == kernel_code.LEVEL:
            raise misdeclared(self.problem, f"'level' does not rise: a move leads from level {level} to {where}")
        if fault == kernel_code.UNKEYED:
            raise misdeclared(self.problem, "'unkey' gives a state with another key")
        if fault == kernel_code.UNLIKE:
            raise misdeclared(self.problem, "'key' or 'level' merges states with different ways on")

    def _add(self, cost: int, solutions: int) -> None:
        if solutions and cost < self.cost:
            self.count = 0
        if solutions and cost <= self.cost:
            self.count, self.cost = self.count + solutions, cost

    def _chains(self, batch: list[Piece], made: list[Written]) -> dict[tuple[int, int], list[Chain]]:
        """Return the children of some pieces by level and part."""
        chains: dict[tuple[int, int], list[Chain]] = {}
        parts = self._levels.parts
        for piece, (children, tally, _) in zip(batch, made, strict=True):
            for number in range(int(tally[kernel_code.LEVELS])):
                level = int(children.levels[number])
                for part in range(parts):
                    first, length = (int(each[number * parts + part]) for each in (children.heads, children.lengths))
                    if length:
                        chains.setdefault((level, part), []).append(Chain(piece.table, children, first, length))
        return chains

    def _merge(self, chains: dict[tuple[int, int], list[Chain]]) -> None:
        """Merge children into the tables of their levels, each of these by one thread."""
        places = list(chains)

        def merge(_: int, number: int) -> None:
            at, part = places[number]
            level = self._levels.at(at)
            table = level.tables[part]
            for parents, children, first, _ in chains[at, part]:
                if table.words < parents.words:
                    table.change(table.places, parents.words)
                run = np.array([first])
                while came := table.merge(children, parents, run):
                    self._levels.enlarge(level, table, came)

        if len(places) > 1 and sum(chain.length for each in chains.values() for chain in each) > self._few:
            self._threads.each(len(places), merge, stoppable=False)
        else:
            for number in range(len(places)):
                merge(0, number)

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return call(kernel, self.problem.puzzle, self.problem.tables, *arguments)

    def _warm_up(self) -> None:
        """Load or compile the kernels."""
        table = Table(self.form)
        self._expand([Piece(table, 0, 0)])
        table.merge(self.buffers[0][0], table, np.array([kernel_code.NONE]))
        table.free()


def _free(level: int, tables: list[Table]) -> None:
    """Give the memory of a level back."""
    for table in tables:
        table.free()


def number_of(words: Array, bits: int) -> int:
    """Return a count as a number."""
    return sum(int(word) << bits * place for place, word in enumerate(words))
