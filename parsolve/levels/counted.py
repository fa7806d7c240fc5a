"""Level after level: the lowest is expanded, its children are added to later levels, and its memory is given back.

If moves may lead back, the level of a state is the least cost at which it is reached, and levels stay until no later
child can lie in them.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.chains import FEW, Level
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.forward import PIECE, Forward
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import count_kernel, layer_kernel, levels_kernel, way_back
from parsolve.levels.key_arrays import KeyArrays
from parsolve.levels.levels import Levels
from parsolve.levels.merging import KEPT, Merging
from parsolve.levels.pool import Array
from parsolve.levels.proof import Proof
from parsolve.levels.store import expander_of, inspected, misdeclared
from parsolve.levels.templates import entries as kernel_code
from parsolve.levels.templates.blocks import BLOCK, Form
from parsolve.levels.templates.entries import FREE, Asked, Found
from parsolve.levels.threads import Threads
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.problem.states import NO_LIMIT
from parsolve.search.budget import Budget
from parsolve.search.checkpoint import Entries
from parsolve.system.resources import within_memory

BITS = 63
"""Bits in a word of a count: two such numbers and a carry fit in 64."""

SUM = 40
"""Maximum number of bits of the number of counts that are added."""

SAMPLED = (1 << 64) // 256
"""The greatest hash of a key that is compared with its state: one key in 256."""

LOWEST = -(1 << 62)
"""The level of the root if levels rise: no move leads to it."""

NOT_BELOW, NOT_CHOSEN = np.zeros(0, np.uint32), np.zeros(1, np.uint64)
"""For searches that do not ask which entries lead to solutions."""


class CountedLevels:
    """A count by levels.

    Args:
        problem: a problem with a key.
        threads: that share the work.
        folder: for files with entries that do not fit in memory; None for no files.
        memory: bytes that entries may take; by default most of what is left.
        bits: bits in a word of a count.
        sampled: the greatest hash of a key that is compared with its state.
        piece: entries that a thread expands at once, about.
        few: maximum number of entries that one thread takes alone.
        keeps: whether all levels stay, without their counts.
        past: whether solved states are expanded, and not counted: then all states are met, by cost.
        start: record[n], the states to start from; by default the root.

    Attributes:
        count: solutions found so far; if they differ in cost, those of cost `cost`.
        cost: the least cost of a solution so far.
        form: the form of all entries.
        budget: the memory for entries.
        forward: expands the entries.
        by_cost: whether a level is a cost, and a number of moves without cost.
        lowest: the level of the root.
        begun: number of levels begun so far.
        seen: called with the cost of a level by cost, and its entries in pieces, before they are expanded.
        share: finished share of the last level begun.

    Raises:
        BadInput: the puzzle gives no key, or its states are too large.
        OutOfMemory: there is hardly any memory.
    """

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        folder: Path | None = None,
        memory: int | None = None,
        bits: int = BITS,
        sampled: int = SAMPLED,
        piece: int = PIECE,
        few: int = FEW,
        keeps: bool = False,
        past: bool = False,
        start: Array | None = None,
    ) -> None:
        with within_memory(threads.watch.max_memory):
            root, _ = problem.root, problem.tables
        kernel, whole = count_kernel(problem.compiled_rules), layer_kernel(problem.compiled_rules)
        if kernel is None or whole is None:
            raise BadInput(f"{problem.name} gives no key, which a search by levels needs")
        self.problem, self._sampled, self._past = problem, sampled, past
        start = root if start is None else start
        self.count, self.cost = 0, NO_LIMIT
        self.begun, self.share = 0, 0.0
        keys, solved = inspected(problem, whole.inspect_rows, start)
        like, has_rows = (np.uint64(0),) * keys.shape[1], way_back(type(problem.puzzle)) is None
        self.by_cost = past or not problem.rises
        costs = int(problem.has_cost and not self.by_cost)
        row_words = -(-problem.state.itemsize // 8) if has_rows else 0
        self.form = Form(like, len(like) + costs + row_words, bits, 1 + SUM // bits, costs)
        if self.form.head + 4 > BLOCK:
            raise BadInput(
                f"{problem.name}: its states are too large for a search by levels: take the engine deepening"
            )
        advice = "" if folder is not None else ", or a folder for files (--spill)"
        if keeps:
            advice = f"{advice}; a list takes all levels at once, a count does not"
        name, more = type(problem.given).__name__, f"give them more (--max-memory){advice}"
        text = "the next states with their counts take more than the"
        self.budget = Budget(
            threads.watch, lambda most: f"{name}: {text} {most} that are left for them: {more}", memory
        )
        cost, graph = int(root["cost"][0]), None
        self.lowest, self._proof, self._merging = LOWEST, None, None
        is_proved = not has_rows and len(like) == 1
        if self.by_cost:
            self.lowest = cost << FREE
            # Its declared graph is checked only for keys of one word.
            graph = Graph(problem.graph if is_proved else "any", free=FREE)
            if is_proved:
                self._proof = Proof(KeyArrays(problem, threads), threads.number, False, again=True)
        elif keeps:
            graph = Graph("graded")
        if has_rows:
            self._merging = Merging(problem)
        if graph is not None:
            graph.keeps, graph.is_from_several = keeps, len(start) > 1
        self._levels = Levels(self.form, threads, self.budget, problem.children, folder, few, graph=graph)
        self._levels.keeps_rows = keeps
        expand = kernel.expand_shortest if self.by_cost else kernel.expand_counts
        self.forward = Forward(problem, threads, expand, self._levels, self._refuse_wrong, piece)
        self._has_rows = has_rows
        self.seen: Callable[[int, Iterator[Packed]], None] | None = None
        self._level, self._size = self.lowest, 0
        """The number of the level that is expanded, and its number of entries."""
        if solved[0] and not past:
            self.count, self.cost = 1, cost
        else:
            rows = np.zeros((len(start), 8 * row_words), np.uint8)
            rows[:, : problem.state.itemsize] = start.view(np.uint8).reshape(len(start), -1) if has_rows else 0
            ones = np.ones((len(start), 1), np.uint64)
            entries = np.concatenate([keys, ones[:, :costs] * np.uint64(cost), rows.view(np.uint64), ones], axis=1)
            self._levels.put(self.lowest, entries.reshape(-1), 1)

    # Its progress.

    @property
    def nodes(self) -> int:
        """The number of entries expanded so far."""
        return self.forward.nodes

    @property
    def level(self) -> int:
        """The number of the level that is expanded."""
        return self._level

    @property
    def is_whole(self) -> bool:
        """Whether the numbers and `kept` are complete: not after a rule has failed."""
        return self.forward.is_whole

    @property
    def finished(self) -> int:
        """The number of finished levels."""
        return max(0, self.begun - (self._levels.now.size > 0 or self._level in self._levels))

    @property
    def waiting(self) -> int:
        """The number of entries in memory that are not expanded; a key may occur several times."""
        return self._levels.waiting

    @property
    def size(self) -> int:
        """Maximum number of bytes that `kept` yields."""
        return self._levels.size

    def kept(self) -> Iterator[Entries]:
        """Yield all entries in pieces; see `Levels.packed`."""
        return (Entries(level, packed.words, packed.entries) for level, packed in self._levels.packed(self._level))

    def restore(
        self,
        kept: Iterable[Entries],
        finished: int = 0,
        nodes: int = 0,
        cost: int = NO_LIMIT,
        count: int = 0,
    ) -> None:
        """Restore the entries of another process, before any is expanded.

        Args:
            kept: what `kept` has yielded.
            finished, nodes, cost, count: its numbers.

        Raises:
            OutOfMemory: they do not fit.
            ValueError: they are not of this search.
        """
        self._levels.empty()
        for level, words, entries in kept:
            if not words >= 1 or len(entries) % (self.form.head + words):
                raise ValueError("entries of another length")
            self._levels.restore(level, entries, words)
        self.begun, self.forward.nodes, self.cost, self.count = finished, nodes, cost, count
        if (graph := self._levels.graph) is not None and graph.levels:
            graph.last = max(graph.levels)

    @property
    def settled(self) -> dict[int, Level]:
        """The levels that stay, by number."""
        return self._levels.settled

    def taken(self, number: int) -> tuple[Array, Array]:
        """Take a level that stays, and return its entries without counts, uint64[n * head], by the first bits of their
        hashes, and the number of the first one by these bits, int64[PARTS + 1]."""
        levels, level, head = self._levels, self._levels.settled[number], self.form.head
        if level.file is None:
            pieces = [*levels.packed_of(level, 1)]
        else:
            levels.write(level)
            pieces = [each for part in range(PARTS) for each in level.file.read_all(part, part + 1)]
        levels.drop(number)
        entries = [each.entries.reshape(-1, head + each.words)[:, :head] for each in pieces]
        starts = sum((each.starts for each in pieces), start=np.zeros(PARTS + 1, np.int64))
        return np.concatenate([np.zeros((0, head), np.uint64), *entries]).reshape(-1), starts

    @property
    def is_solved(self) -> bool:
        """Whether a solution has been found."""
        return self.count > 0

    def counted(self) -> "CountedLevels":
        """Return it: all is counted."""
        return self

    def confirm(self, total: int) -> None:
        """Compare the count with the count backwards, or take that one after a search from both ends.

        Raises:
            BadPuzzle: they differ.
        """
        if not total:
            text = "no way leads to the solved states that were met: 'key' or 'unkey', 'goals' or 'taken_back' is wrong"
            raise misdeclared(self.problem, text)
        self.count = self.count or total
        if total != self.count:
            raise misdeclared(self.problem, f"from the root on {self.count} solutions are counted, back {total}")

    @property
    def least_cost(self) -> int | None:
        """The cost of the solutions; None without any, or if all solutions cost the same.

        Raises:
            BadPuzzle: a cost overflows its field.
        """
        if not self.is_solved or not self.problem.has_cost:
            return None
        self.problem.refuse_overflow(self.cost)
        return self.cost

    def close(self) -> None:
        """Give back the memory of the entries; nothing can be expanded afterwards."""
        self._levels.close()

    # Level by level.

    def expand(self) -> Iterator[int]:
        """Expand one level after another, the lowest first, in steps; yield the number of entries of each step.

        Raises:
            OutOfMemory: the next levels do not fit.
            BadPuzzle: it breaks the contract.
        """
        levels = self._levels
        if self._proof is not None:
            self._proof.start(self.problem.root)
        last = 1 if self.problem.graph == "any" else 0  # otherwise no move costs nothing: it could be taken back
        while levels and (not self.by_cost or min(levels.numbers) >> FREE < self.cost + last):
            self.begun += 1
            self._level = min(levels.numbers)
            if self.by_cost:
                self._refuse_endless()
            levels.settle(self._level)
            for before, share in levels.pieces(self._level):
                self._size = levels.now.size
                if self._size:
                    self._begin()
                while levels.now.size:
                    expanded = self._step()
                    self.share = before + share * (1 - levels.now.size / self._size)
                    yield expanded
        if self._proof is not None:
            self._proof.end()
        if self._merging is not None:
            least = min(levels.numbers, default=None)
            settled = ((number >> FREE, self._packed_keys(level)) for number, level in levels.settled.items())
            radius = (least >> FREE) - 1 if self.by_cost and least else math.inf
            self._merging.end(settled if self.by_cost else [], radius)
        if self.nodes == 1 and not self.count:
            self._refuse_only_root()

    def keys_of(self, packed: Packed) -> Array:
        """Return the keys of some entries: uint64[n, words]."""
        return packed.entries.reshape(-1, self.form.head + packed.words)[:, : len(self.form.like)]

    def _packed_keys(self, level: Level) -> Iterator[Array]:
        """Yield the keys of a settled level in pieces: uint64[n, words]."""
        return map(self.keys_of, self._levels.read(level))

    def _refuse_endless(self) -> None:
        """Refuse costs beyond their field, and moves without cost in circles."""
        cost, free = self._level >> FREE, self._level & ((1 << FREE) - 1)
        self.problem.refuse_overflow(cost, f", or {self.problem.key_rule!r} gives one state several keys")
        if free >= 16 and free & (free - 1) == 0:  # a power of 2: not each time
            levels = (level for number, level in self._levels.settled.items() if number >> FREE == cost)
            keys = {key.tobytes() for level in levels for keys in self._packed_keys(level) for key in keys}
            if len(keys) < free:
                raise BadPuzzle(f"{self.problem.name}: moves that cost nothing go in circles")

    def _refuse_only_root(self) -> None:
        """Refuse a key that is the same for all states."""
        if any(len(rows) for rows, _, _ in expander_of(self.problem).children(self.problem.root, False)):
            text = "is the same for the root and all states that follow it, or no move changes anything"
            raise BadPuzzle(f"{self.problem.name}: {self.problem.key_rule!r} {text}")

    def _begin(self) -> None:
        """Look at the entries of a level before they are expanded; a sample drops a part of them here."""
        if self._merging is not None:
            self._merging.look(*self.rows_of(next(self._levels.packed_of(self._levels.now)), KEPT))
        if self.seen is not None:
            self.seen(self._level >> FREE, self._levels.packed_of(self._levels.now))

    def rows_of(self, packed: Packed, most: int | None = None) -> tuple[Array, Array]:
        """Return the rows and the keys, uint64[n, words], of the first entries of a level."""
        form, problem, words = self.form, self.problem, len(self.form.like)
        entries = packed.entries.reshape(-1, form.head + packed.words)[:most]
        keys = np.ascontiguousarray(entries[:, :words])
        if self._has_rows:
            octets = np.ascontiguousarray(entries[:, words + form.costs : form.head]).view(np.uint8)
            return np.ascontiguousarray(octets[:, : problem.state.itemsize]).reshape(-1).view(problem.state), keys
        rows, kernel = np.zeros(len(keys), problem.state), levels_kernel(problem.compiled_rules)
        assert kernel is not None
        flags = np.zeros(len(keys), np.bool_)
        call(kernel.write_rows, problem.puzzle, problem.tables, rows, keys.reshape(-1), flags, form.like)
        rows["cost"] = entries[:, words] if form.costs else self._level >> FREE if self.by_cost else 0
        return rows, keys

    def _step(self) -> int:
        """Expand some entries of the current level, and return how many."""
        levels = self._levels
        words = levels.counts + self.form.more
        chosen = [NOT_CHOSEN for _ in levels.hands] if self._proof is None else self._proof.chosen
        found = [Found(np.zeros(words, np.uint64), NOT_BELOW, each) for each in chosen]
        for hand in levels.hands:
            hand.tally[kernel_code.BEST] = self.cost
        try:
            return self.forward.step(self.asked(self._level), found)
        finally:
            for hand, each in zip(levels.hands, found, strict=True):
                self._add(int(hand.tally[kernel_code.BEST]), number_of(each.total, self.form.bits))
            if self._proof is not None:
                self._proof.add(self._level >> FREE)

    def each(self, pieces: int, work: Callable[[int, int], None], size: int) -> None:
        """Call `work(thread, piece)` once for each piece; see `Levels`."""
        self._levels.each(pieces, work, size)

    def _add(self, cost: int, solutions: int) -> None:
        if solutions and cost < self.cost:
            self.count = 0
        if solutions and cost <= self.cost:
            self.count, self.cost = self.count + solutions, cost

    def asked(self, level: int) -> Asked:
        """Return how a level is to be expanded; see `Asked`."""
        if self.by_cost:
            return self.forward.asked(level, *Proof.hashes(self._size), past=self._past)  # its states have no bound
        return self.forward.asked(level, 0, self._sampled, self.cost, self._past)

    def _refuse_wrong(self, tally: Array, level: int) -> None:
        """Raise the error that an expansion has found, if any."""
        fault, where = int(tally[kernel_code.FAULT]), int(tally[kernel_code.WHERE])
        if fault == kernel_code.LEVEL:
            raise misdeclared(self.problem, f"'level' does not rise: a move leads from level {level} to {where}")
        if fault == kernel_code.UNKEYED:
            raise misdeclared(self.problem, "'unkey' gives a state with another key")
        if fault == kernel_code.UNLIKE:
            raise misdeclared(self.problem, "'key' or 'level' merges states with different ways on")


def number_of(words: Array, bits: int) -> int:
    """Return a count as a Python integer."""
    return sum(int(word) << bits * place for place, word in enumerate(words))
