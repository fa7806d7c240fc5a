"""Solutions of a count by sharing: its levels are kept, and expanded again from the highest down for the numbers of
solutions below each state; by these a walk down finds the solutions in order, from any number on."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadPuzzle
from parsolve.levels.chains import Chains, number_of
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.kernels import EntriesKernel, add_below, arranging, fill_table, find_entry, finish_sums
from parsolve.levels.pool import Pool
from parsolve.levels.search import NOT_CHOSEN, TASK, Search
from parsolve.levels.states import Misdeclared, crowded
from parsolve.levels.templates.below import Table
from parsolve.levels.templates.blocks import BLOCK
from parsolve.levels.templates.entries import BATCH, Found
from parsolve.problem.calling import call_kernel
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.data import Array
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.text import shown

ROOM = 128
"""Blocks for children of a task, which are looked up when the blocks are full: they fit in the processor's cache."""

LOAD = 0.75
"""Largest part of a table's places that is filled."""

REMEMBERED = 1 << 14
"""States whose moves are remembered: most paths share their states with earlier ones."""


class Below:
    """After `count`, the number of solutions below each state of a count.

    Args:
        counted: the count, whose levels were kept; it has found solutions.
    """

    def __init__(self, counted: Search) -> None:
        self.counted, self._budget, self._tables = counted, counted.chains.budget, dict[int, Table]()
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
        counted.store.leave_memory()
        threads, form, most = counted.threads, counted.coding.form, counted.problem.children
        room = 1 + TASK // (BLOCK // (form.head + 1)) + 2 * (most + BATCH) + ROOM
        own = [Chains(form, threads, Pool(self._budget, room), most) for _ in range(threads.number)]
        for level in numbers:
            packed = take_level(counted, level)
            if not packed.size:  # all of its states were reached before
                continue
            self._budget.take(packed.entries.nbytes)
            self._tables[level] = self._table_of(own, level, packed)
            self._budget.take(-packed.entries.nbytes)
            yield packed.size
        for chains in own:
            chains.pool.close()
        counted.store.close()
        root = self._tables[counted.lowest]
        entries = root.entries.reshape(1 << root.bits, -1)[:, form.head :]
        found = sum(number_of(words, form.bits) for words in entries)
        if not found:
            text = "no way leads to the solved states found: 'key', 'unkey', 'goals' or 'inverse_puzzle' is wrong"
            raise Misdeclared(counted.problem, text)
        counted.count = counted.count or found  # from both ends none is counted yet
        if counted.count != found:
            text = f"from the root on {counted.count} solutions are counted, back {found}"
            raise Misdeclared(counted.problem, text)

    def number(self, level: int, keys: Array, child: int, cost: int) -> int:
        """Return how many solutions are below a state of a level, which is reached at a cost: only cheapest ways count.
        Its key is the one with the index `child` in `keys`, uint64[n * words]."""
        table, form = self._tables.get(level), self.counted.coding.form
        if table is None:
            return 0
        at = int(find_entry(table, keys, child * len(form.like), cost, form))
        return number_of(table.entries[at + form.head :][: table.counts], form.bits) if at >= 0 else 0

    def _table_of(self, own: Sequence[Chains], level: int, packed: Packed) -> Table:
        """Return the numbers of solutions below the states of a level."""
        counted, form = self.counted, self.counted.coding.form
        # Room for a number for each child.
        words = self._words + 1 + counted.problem.children.bit_length() // form.bits
        size = (8 * words + 4) * packed.size
        self._budget.take(size)
        sums, solved = np.zeros(packed.size * words, np.uint64), np.zeros(packed.size, np.uint32)

        def expand(thread: int, task: int) -> None:
            numbers = range(task * TASK, min((task + 1) * TASK, packed.size))
            for below, end in children(counted, own[thread], thread, level, packed, numbers, solved):
                if below in self._tables:
                    add_below(own[thread].pool.blocks, end, sums, words, self._tables[below], form)

        counted.threads.each(-(-packed.size // TASK), expand, packed.size)
        part = (len(own) - 1).bit_length() if packed.size > TASK else 0
        bounds = packed.starts[:: PARTS >> part].tolist()
        kept = np.zeros((1 << part, 2), np.int64)

        def finish(_: int, number: int) -> None:
            first, last = bounds[number : number + 2]
            kept[number] = finish_sums(sums[first * words : last * words], words, solved[first:last], form.bits)

        counted.threads.each(1 << part, finish, packed.size)
        most, counts = kept.max(axis=0).tolist()
        self._words = max(self._words, counts)
        bits = part + (max(2, math.ceil(most / LOAD)) - 1).bit_length()
        self._budget.take((8 * (form.head + counts)) << bits)
        table = Table(np.zeros((form.head + counts) << bits, np.uint64), bits, part, counts)

        def fill(_: int, number: int) -> None:
            fill_table(table, packed.entries, *bounds[number : number + 2], sums, words, form)

        counted.threads.each(1 << part, fill, packed.size)
        self._budget.take(-size)
        return table


def take_level(counted: Search, number: int) -> Packed:
    """Take a level that stays, and return its entries without counts."""
    store, level, head = counted.store, counted.store.settled[number], counted.coding.form.head
    if level.file is None:
        pieces = [*level.packed(head + 1)]
    else:
        pieces = [each for part in range(PARTS) for each in level.file.read_all(part, part + 1)]
    store.drop(number)
    entries = [each.entries.reshape(-1, head + each.words)[:, :head] for each in pieces]
    starts = sum((each.starts for each in pieces), start=np.zeros(PARTS + 1, np.int64))
    return Packed(np.concatenate([np.zeros((0, head), np.uint64), *entries]).reshape(-1), 0, starts)


def children(
    counted: Search, chains: Chains, thread: int, level: int, packed: Packed, numbers: range, solved: Array
) -> Iterator[tuple[int, int]]:
    """Expand some entries of a level again, on a thread with chains of its own; yield levels of children, each with a
    chain of children that have the numbers of their parents as counts. `solved`: see `Found.below`.
    """
    buffers, head = chains.buffers[thread], counted.coding.form.head
    numbered = np.empty((len(numbers), head + 1), np.uint64)
    numbered[:, :head] = packed.entries.reshape(-1, head)[numbers.start : numbers.stop]
    numbered[:, head] = np.arange(numbers.start, numbers.stop)
    chain = np.zeros(1, np.int64)
    if chains.put(thread, chain, numbered.reshape(-1), 0, head + 1, head + 1) < numbered.size:
        raise chains.budget.short()
    found = Found(np.zeros(2, np.uint64), solved, NOT_CHOSEN)
    none = np.uint64(0)  # no keys are compared: the count has done so
    asked = counted.asked(level)._replace(bits=0, counts=1, check_up_to=none, choose_up_to=none, stay=False)
    counted.expander.begin(chains, counted.cost)
    done = False
    while not done:
        done = counted.expander.expand(thread, chains, chain, found, asked, 0, 1)
        for number, below in enumerate(buffers.levels.tolist()):
            yield below, int(buffers.chains(number, chains.bits)[0])
        chains.drop_children(thread)


class Way(NamedTuple):
    """A move that leads to solutions."""

    move: int
    number: int  # number of solutions
    level: int
    row: bytes  # the row of the state; empty if it is solved


class Walk:
    """The solutions of a puzzle, in depth-first order of the puzzle that is counted.

    Args:
        below: the numbers of solutions below the states of a count, which has found some.
    """

    def __init__(self, below: Below) -> None:
        self._below, self._counted = below, below.counted
        self._problem = self._counted.problem
        kernel = self._problem.compiled_rules.kernels(EntriesKernel.of)
        self._write_ways = kernel.write_shortest if self._counted.coding.by_cost else kernel.write_ways
        most = self._problem.children
        self._rows = rows_to_overrun(2 + most, self._problem.state)
        self._keys = np.zeros(most * self._counted.coding.words, np.uint64)
        self._levels, self._are_solved = np.zeros(most, np.int64), np.zeros(most, np.bool_)
        self._ways = lru_cache(REMEMBERED)(self._found_ways)

    def paths(self, skip: int = 0) -> Iterator[tuple[int, ...]]:
        """Yield the solutions as moves, without the first `skip`, which are not visited."""
        if not self._counted.nodes:  # the root is solved
            yield from [()][skip:]
            return
        # With an explicit stack instead of recursion: paths may be longer than Python's stack.
        stack = [iter(self._ways(self._problem.root.tobytes(), self._counted.lowest))]
        path: list[int] = []
        while stack:
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
            elif way.number <= skip:
                skip -= way.number
            else:
                path[len(stack) - 1 :] = [way.move]
                if not way.row:
                    yield tuple(path)
                else:
                    stack.append(iter(self._ways(way.row, way.level)))

    def _found_ways(self, row: bytes, level: int) -> list[Way]:
        """Return the moves from a state that lead to solutions."""
        problem, counted = self._problem, self._counted
        self._rows[:1] = np.frombuffer(row, problem.state)
        limit = NO_LIMIT if counted.coding.by_cost else counted.cost  # rows may have a bound
        arguments = self._rows, self._keys, self._levels, self._are_solved, level, limit, problem.children
        number = call_kernel(self._write_ways, problem.puzzle, problem.tables, *arguments)
        if number < 0:
            raise crowded(problem)
        rows = self._rows[1 : number + 1]
        ways = []
        columns = rows["move"], rows["cost"], self._levels[:number], self._are_solved[:number]
        every = zip(*(each.tolist() for each in columns), strict=True)
        for child, (move, cost, child_level, is_solved) in enumerate(every):
            if not is_solved:
                below = self._below.number(child_level, self._keys, child, cost)
                if below:
                    ways.append(Way(move, below, child_level, rows[child].tobytes()))
            elif not problem.has_cost or cost == counted.cost:
                ways.append(Way(move, 1, child_level, b""))
        return ways


def unshared(problem: Problem, paths: Iterable[tuple[int, ...]], cost: int | None) -> Iterator[tuple[int, ...]]:
    """Yield solutions of a puzzle, of some cost, for those of the puzzle that is counted instead.

    Raises:
        BadPuzzle: `unshared` gives none.
    """
    rows = rows_to_overrun(2 + problem.children, problem.state)
    arrange = problem.compiled_rules.kernels(arranging)
    for path in paths:
        given = call_method(problem.given, "unshared", path)
        try:
            moves = np.array([*given], np.int64)
        except (TypeError, ValueError, OverflowError):
            raise BadPuzzle(f"{problem.name}: 'unshared' must return moves, not {shown(given)}") from None
        rows[:1] = problem.root
        done = call_kernel(arrange, problem.puzzle, problem.tables, rows, moves)
        if done <= len(moves) or (problem.has_cost and int(rows["cost"][0]) != cost):
            text = f"'unshared' gives {shown([*given])}, which is not a solution of this puzzle"
            raise BadPuzzle(f"{problem.name}: {text}")
        yield tuple(moves.tolist())
