"""States by level, each with the number of ways to it: the lowest level is expanded, and its memory given back."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from parsolve.breadth.layers import Array, crowded, inspected, misdeclared
from parsolve.breadth.threads import Threads
from parsolve.errors import BadInput
from parsolve.kernel import entries as kernel_code
from parsolve.kernel.calling import call
from parsolve.kernel.entries import Children
from parsolve.kernel.rows import rows_to_overrun
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.sharing.table import Form, Memory, Table, used
from parsolve.system.resources import free_memory, memory_left

BITS = 63
"""Bits of a word of a count: two of them and a carry fit 64."""

SAMPLED = (1 << 64) // 256
"""The greatest hash of a key that is compared with the state that has it: of one in 256."""

ROOM = 1 << 16
"""Children that a thread writes down before they are merged: some 5 ms."""

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


class Layers:
    """A count by levels.

    Args:
        problem: gives a key, the way back from it, and a level or a graded graph.
        threads: that share the work.
        bits: of a word of a count.
        sampled: the greatest hash of a key that is compared with a state that has it.
        room: children that a thread writes down before they are merged.
        keep: gets each level and its tables once it is expanded; by default their memory is given back.

    Attributes:
        count: solutions found so far; where they differ in cost, of those that cost `cost`.
        cost: the least cost of a solution so far.
        widest: the most entries that were there at once.
        form: of all tables.
        parts: into which levels are divided by now.

    Raises:
        BadInput: the puzzle gives no way back from a key.
        OutOfMemory: there is hardly any.
    """

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        bits: int = BITS,
        sampled: int = SAMPLED,
        room: int = ROOM,
        keep: Callable[[int, list[Table]], None] | None = None,
    ) -> None:
        kernel, whole = problem.kernel.sharing, problem.kernel.layer
        if kernel is None or whole is None:
            raise BadInput(f"{problem.name} gives no way back from a key to its state (unkey)")
        self.problem, self._threads = problem, threads
        self._bits, self._sampled, self._room = bits, np.uint64(sampled), room
        self._keep = keep or _free
        self._expand_entries = kernel.expand_entries
        left = memory_left(threads.watch.max_memory)
        memory = Memory(problem.name, int(0.8 * free_memory() if left is None else 0.9 * left))
        self.count, self.cost = 0, NO_LIMIT
        self.widest = 1
        self.parts, self._most_parts = 1, 1 << (threads.number - 1).bit_length()
        keys, solved = inspected(problem, whole.inspect_rows, problem.root)
        self._like = (np.uint64(0),) * keys.shape[1]
        self.form = Form(self._like, len(self._like) + problem.has_cost, bits, memory)
        self._rows = [rows_to_overrun(1 + problem.children, problem.state) for _ in range(threads.number)]
        self._spare = [rows_to_overrun(2 + problem.children, problem.state) for _ in range(threads.number)]
        self._written = [self._room_for_children() for _ in range(2 * threads.number)]
        self._levels: dict[int, list[Table]] = {}
        cost = int(problem.root["cost"][0])
        if solved[0]:
            self.count, self.cost = 1, cost
        else:
            self._start(keys[0], cost)
        self._warm_up()

    def _start(self, key: Array, cost: int) -> None:
        """Put the root into a level of its own, below all others."""
        tables = self._new_level()
        entry = [*key.tolist(), *([cost] if self.problem.has_cost else []), 1]
        tables[0].entries[: len(entry)] = entry
        tables[0].used = 1
        self._levels[LOWEST] = tables

    def _room_for_children(self) -> Written:
        most = self._room + self.problem.children
        levels = kernel_code.MOST_LEVELS + self.problem.children
        children = Children(
            np.zeros(most * len(self._like), np.uint64),
            np.zeros(most, np.uint32),
            np.zeros(most, np.int64),
            np.zeros(most, np.int32),
            np.zeros(levels, np.int64),
            np.zeros(levels * self._most_parts, np.int32),
        )
        return Written(children, np.zeros(kernel_code.TALLY, np.int64))

    def expand(self) -> Iterator[int]:
        """Expand one level after another, the lowest first; yield how many entries each had.

        Raises:
            OutOfMemory: the next levels do not fit.
            BadPuzzle: it breaks the contract.
        """
        while self._levels:
            if self.parts < self._most_parts and sum(map(used, self._levels.values())) > FEW:
                self._split()
            level = min(self._levels)
            tables = self._levels.pop(level)
            pieces = deque(
                Piece(table, first, min(first + PIECE, table.places))
                for table in tables
                for first in range(0, table.places if table.used else 0, PIECE)
            )
            while pieces:
                batch = [pieces.popleft() for _ in range(min(len(pieces), len(self._written)))]
                self._expand(level, batch)
                pieces.extendleft(left for piece, written in self._pairs(batch) if (left := rest(piece, written)))
                self._merge(batch)
            self.widest = max(self.widest, sum(map(used, self._levels.values())) + used(tables))
            number = used(tables)
            self._keep(level, tables)
            yield number

    def _expand(self, level: int, batch: list[Piece]) -> None:
        """Expand some pieces of a level, and count the solutions among the children."""
        limit = self.cost
        # Words for what as many as 2^40 children add.
        found = [np.zeros(piece.table.words + 1 + 40 // self._bits, np.uint64) for piece in batch]

        def expand(thread: int, number: int) -> None:
            self.expand_piece(thread, number, level, batch[number], limit, found[number], NO_ENDS)

        self.each(len(batch), expand, sum(piece.end - piece.first for piece in batch))
        for words, (_, tally) in zip(found, self._written, strict=False):
            self.refuse_wrong(level, tally)
            self._add(int(tally[kernel_code.BEST]), number_of(words, self._bits))

    def expand_piece(
        self, thread: int, slot: int, level: int, piece: Piece, limit: int, found: Array, ends: Array
    ) -> Written:
        """Expand a piece of a level, on a thread, until there is no room for more children; return what is written.

        Args:
            slot: where to write them: the number of a thread, or as many again.
            level, piece: the entries.
            limit: the greatest cost of a child.
            found, ends: see `expand_entries`.
        """
        table, first, end = piece
        children, tally = self._written[slot]
        tally[:] = 0
        tally[kernel_code.NEXT], tally[kernel_code.BEST] = first, limit
        self._call(
            self._expand_entries,
            self._rows[thread],
            self._spare[thread],
            table.entries,
            children,
            tally,
            found,
            ends,
            self._like,
            end,
            table.words,
            self._bits,
            self._room,
            self.parts,
            level,
            limit,
            self.problem.children,
            self._sampled,
        )
        return self._written[slot]

    def refuse_wrong(self, level: int, tally: Array) -> None:
        """Raise what an expansion has found to be wrong."""
        fault, where = int(tally[kernel_code.FAULT]), int(tally[kernel_code.WHERE])
        if fault == kernel_code.CROWDED:
            raise crowded(self.problem)
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

    def _merge(self, batch: list[Piece]) -> None:
        """Merge the children of some pieces into the tables of their levels, each of these by one thread."""
        chains: dict[tuple[int, int], list[tuple[Table, Children, int]]] = {}
        for piece, (children, tally) in self._pairs(batch):
            for number in range(int(tally[kernel_code.LEVELS])):
                level = int(children.levels[number])
                if level not in self._levels:
                    self._levels[level] = self._new_level()
                for part in range(self.parts):
                    chain = piece.table, children, int(children.heads[number * self.parts + part])
                    chains.setdefault((level, part), []).append(chain)
        places = list(chains)

        def merge(_: int, number: int) -> None:
            level, part = places[number]
            for parents, children, first in chains[level, part]:
                self._levels[level][part].merge(parents, children, first)

        self.each(
            len(places), merge, sum(int(written.tally[kernel_code.WRITTEN]) for _, written in self._pairs(batch))
        )

    def _split(self) -> None:
        """Divide each level into parts, one for each thread."""
        self.parts = self._most_parts
        self._levels = {level: table.split(self.parts) for level, (table,) in self._levels.items()}

    def _new_level(self) -> list[Table]:
        return [Table(self.form) for _ in range(self.parts)]

    def each(self, pieces: int, work: Callable[[int, int], None], size: int) -> None:
        """Call `work(thread, piece)` once for each piece: on all threads, or where there is little to do on this one.

        Args:
            pieces: how many.
            work: takes less than a second.
            size: places or children in all of them.
        """
        if size > FEW and pieces > 1:
            self._threads.each(pieces, work)
            return
        self._threads.watch.check()
        for piece in range(pieces):
            work(0, piece)

    def _pairs(self, batch: list[Piece]) -> Iterator[tuple[Piece, Written]]:
        return zip(batch, self._written, strict=False)

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return call(kernel, self.problem.puzzle, self.problem.tables, *arguments)

    def _warm_up(self) -> None:
        """Load or compile the kernels."""
        table = Table(self.form)
        self._expand(0, [Piece(table, 0, 0)])
        table.merge(table, self._written[0].children, kernel_code.NONE)
        for part in table.split(1):
            part.free()


def _free(level: int, tables: list[Table]) -> None:
    """Give the memory of a level back."""
    for table in tables:
        table.free()


def rest(piece: Piece, written: Written) -> Piece | None:
    """Return what an expansion has left of a piece."""
    first = int(written.tally[kernel_code.NEXT])
    return piece._replace(first=first) if first < piece.end else None


def number_of(words: Array, bits: int) -> int:
    """Return a count as a number."""
    return sum(int(word) << bits * place for place, word in enumerate(words))
