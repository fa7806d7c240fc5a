"""Numbers of solutions below each state: the levels of a count are kept, and expanded again from the highest down."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from parsolve.levels.chains import Chains
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.kernels import add_below, fill_table, find_entry, finish_sums
from parsolve.levels.pool import Array, Pool
from parsolve.levels.room import leave_memory
from parsolve.levels.search import NOT_CHOSEN, Search, number_of
from parsolve.levels.states import misdeclared
from parsolve.levels.templates.below import Table
from parsolve.levels.templates.blocks import BLOCK
from parsolve.levels.templates.entries import BATCH, BEST, LEVELS, Found

PIECE = 1 << 13
"""Entries that a thread expands at once."""

ROOM = 128
"""Blocks for their children, which are looked up when the blocks are full: they fit in the processor's cache."""

LOAD = 0.75
"""Largest part of a table's places that is filled."""


class Below:
    """After `count`, the number of solutions below each state of a count.

    Args:
        counted: the count, whose levels were kept; it has found solutions.
    """

    def __init__(self, counted: Search) -> None:
        self.counted, self._budget, self._tables = counted, counted.store.chains.budget, dict[int, Table]()
        self._words = 1  # words of the greatest number

    def count(self) -> Iterator[int]:
        """Count from the highest level down to the root; yield the number of entries of each level.

        Raises:
            OutOfMemory: the numbers do not fit.
            BadPuzzle: there are not as many solutions below the root as the levels have counted.
        """
        counted = self.counted
        numbers = sorted(counted.store.settled, reverse=True)
        if not numbers:
            return
        leave_memory(counted.store)
        threads, form, most = counted.store.chains.threads, counted.coding.form, counted.problem.children
        room = 1 + PIECE // (BLOCK // (form.head + 1)) + 2 * (most + BATCH) + ROOM
        own = [Chains(form, threads, Pool(self._budget, room), most) for _ in counted.store.chains.buffers]
        for level in numbers:
            kept = taken(counted, level)
            if not kept.size:  # all of its states were reached before
                continue
            self._budget.take(kept.entries.nbytes)
            self._tables[level] = self._table_of(own, level, kept)
            self._budget.take(-kept.entries.nbytes)
            yield kept.size
        for chains in own:
            chains.pool.close()
        counted.store.close()
        root = self._tables[counted.lowest]
        entries = root.entries.reshape(1 << root.bits, -1)[:, form.head :]
        total = sum(number_of(words, form.bits) for words in entries)
        if not total:
            text = "no way leads to the solved states found: 'key', 'unkey', 'goals' or 'inverse_puzzle' is wrong"
            raise misdeclared(counted.problem, text)
        counted.count = counted.count or total  # none is counted yet after a search from both ends
        if total != counted.count:
            text = f"from the root on {counted.count} solutions are counted, back {total}"
            raise misdeclared(counted.problem, text)

    def number(self, level: int, keys: Array, child: int, cost: int) -> int:
        """Return how many solutions are below a state of a level, which is reached at a cost: only cheapest ways count.
        Its key is the one with the index `child` in `keys`, uint64[n * words]."""
        table, form = self._tables.get(level), self.counted.coding.form
        if table is None:
            return 0
        at = int(find_entry(table, keys, child * len(form.like), cost, form))
        return number_of(table.entries[at + form.head :][: table.counts], form.bits) if at >= 0 else 0

    def _table_of(self, own: Sequence[Chains], level: int, kept: Packed) -> Table:
        """Return the numbers of solutions below the states of a level."""
        counted, form = self.counted, self.counted.coding.form
        # Room for a number for each child.
        words = self._words + 1 + counted.problem.children.bit_length() // form.bits
        size = (8 * words + 4) * kept.size
        self._budget.take(size)
        sums, ends = np.zeros(kept.size * words, np.uint64), np.zeros(kept.size, np.uint32)

        def expand(thread: int, piece: int) -> None:
            some = range(piece * PIECE, min((piece + 1) * PIECE, kept.size))
            for below, end in children(counted, own[thread], thread, level, kept, some, ends):
                if below in self._tables:
                    add_below(own[thread].pool.blocks, end, sums, words, self._tables[below], form)

        counted.store.chains.threads.each(-(-kept.size // PIECE), expand, kept.size)
        part = (len(own) - 1).bit_length() if kept.size > PIECE else 0
        bounds = kept.starts[:: PARTS >> part].tolist()
        tallies = np.zeros((1 << part, 2), np.int64)

        def finish(_: int, number: int) -> None:
            first, last = bounds[number : number + 2]
            finish_sums(sums[first * words : last * words], words, ends[first:last], tallies[number], form.bits)

        counted.store.chains.threads.each(1 << part, finish, kept.size)
        most, counts = (int(each) for each in tallies.max(axis=0))
        self._words = max(self._words, counts)
        bits = part + (max(2, math.ceil(most / LOAD)) - 1).bit_length()
        self._budget.take((8 * (form.head + counts)) << bits)
        table = Table(np.zeros((form.head + counts) << bits, np.uint64), bits, part, counts)

        def fill(_: int, number: int) -> None:
            fill_table(table, kept.entries, *bounds[number : number + 2], sums, words, form)

        counted.store.chains.threads.each(1 << part, fill, kept.size)
        self._budget.take(-size)
        return table


def taken(counted: Search, number: int) -> Packed:
    """Take a level that stays, and return its entries without counts."""
    store, level, head = counted.store, counted.store.settled[number], counted.coding.form.head
    if level.file is None:
        pieces = [*level.packed(1)]
    else:
        level.write(level.file)
        pieces = [each for part in range(PARTS) for each in level.file.read_all(part, part + 1)]
    store.drop(number)
    entries = [each.entries.reshape(-1, head + each.words)[:, :head] for each in pieces]
    starts = sum((each.starts for each in pieces), start=np.zeros(PARTS + 1, np.int64))
    return Packed(np.concatenate([np.zeros((0, head), np.uint64), *entries]).reshape(-1), 0, starts)


def children(
    counted: Search, chains: Chains, thread: int, level: int, kept: Packed, some: range, ends: Array
) -> Iterator[tuple[int, int]]:
    """Expand some entries of a level again, on a thread with chains of its own; yield levels of children, each with a
    chain of children that have the numbers of their parents as counts.

    Args:
        ends: see `Found.below`.
    """
    buffers, head = chains.buffers[0], counted.coding.form.head
    numbered = np.empty((len(some), head + 1), np.uint64)
    numbered[:, :head] = kept.entries.reshape(-1, head)[some.start : some.stop]
    numbered[:, head] = np.arange(some.start, some.stop)
    chain = np.zeros(1, np.int64)
    if chains.put(0, chain, numbered.reshape(-1), 0, head + 1, head + 1) < numbered.size:
        raise chains.budget.short()
    found = Found(np.zeros(1 + counted.coding.form.more, np.uint64), ends, NOT_CHOSEN)
    none = np.uint64(0)  # no keys are compared: the count has done so
    asked = counted.asked(level)._replace(bits=0, counts=1, sampled=none, check_up_to=none, stay=False)
    buffers.tally[BEST], done = counted.cost, False
    while not done:
        done = counted.expander.expand(thread, chains.pool, chain, buffers, found, asked, 0, 1)
        for number, below in enumerate(buffers.levels.tolist()):
            yield below, int(buffers.children.ends[number])
        chains.release(0, buffers.children.ends[: len(buffers.levels)])
        buffers.tally[LEVELS] = 0
