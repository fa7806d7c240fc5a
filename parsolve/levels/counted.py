"""Level after level: the lowest is expanded, its children are added to later levels, and its memory is given back.

If moves may lead back, the level of a state is the least cost at which it is reached, and levels stay until no later
child can lie in them.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.levels.chains import FEW
from parsolve.levels.files import Packed
from parsolve.levels.forward import PIECE, Forward
from parsolve.levels.graph import Graph
from parsolve.levels.kernels import layer_kernel, levels_kernel
from parsolve.levels.key_arrays import KeyArrays
from parsolve.levels.levels import Levels
from parsolve.levels.pool import Array
from parsolve.levels.proof import Proof
from parsolve.levels.store import inspected, misdeclared
from parsolve.levels.templates import entries as kernel_code
from parsolve.levels.templates.blocks import Form
from parsolve.levels.templates.entries import Asked, Found
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.problem.states import NO_LIMIT
from parsolve.search.budget import Budget

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
        problem: a problem with a key and its way back, and with levels, a graded graph or costs.
        threads: that share the work.
        folder: for files with entries that do not fit in memory; None for no files.
        memory: bytes that entries may take; by default most of what is left.
        bits: bits in a word of a count.
        sampled: the greatest hash of a key that is compared with its state.
        piece: entries that a thread expands at once, about.
        few: maximum number of entries that one thread takes alone.
        keep: receives the entries of each level before they are expanded, their counts cut to a word; not with a
            folder.

    Attributes:
        count: solutions found so far; if they differ in cost, those of cost `cost`.
        cost: the least cost of a solution so far.
        form: the form of all entries.
        budget: the memory for entries.
        forward: expands the entries.
        lowest: the level of the root.
        begun: number of levels begun so far.
        share: finished share of the last level begun.

    Raises:
        BadInput: the puzzle has no way back from a key.
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
        keep: Callable[[Any, int, list[Packed]], None] | None = None,
    ) -> None:
        kernel, whole = levels_kernel(problem.compiled_rules), layer_kernel(problem.compiled_rules)
        if kernel is None or whole is None:
            raise BadInput(f"{problem.name} gives no way back from a key to its state (unkey)")
        self.problem, self._sampled, self._keep = problem, sampled, keep
        self.count, self.cost = 0, NO_LIMIT
        self.begun, self.share = 0, 0.0
        keys, solved = inspected(problem, whole.inspect_rows, problem.root)
        like = (np.uint64(0),) * keys.shape[1]
        self.form = Form(like, len(like) + problem.has_cost, bits, 1 + SUM // bits)
        advice = "" if folder is not None else ", or a folder for files (--spill)"
        if keep is not None:
            advice = "; a list takes all levels at once, a count does not"
        name, more = type(problem.given).__name__, f"give them more (--max-memory){advice}"
        text = "the next states with their counts take more than the"
        self.budget = Budget(
            threads.watch, lambda most: f"{name}: {text} {most} that are left for them: {more}", memory
        )
        cost, graph = int(problem.root["cost"][0]), None
        self.lowest, self._proof = LOWEST, None
        if not problem.rises:
            self.lowest, is_word = cost, len(like) == 1
            # Its declared graph is checked only for keys of one word.
            graph = Graph(problem.graph if is_word else "any")
            self._proof = Proof(KeyArrays(problem, threads), threads.number, False, again=True) if is_word else None
        self._levels = Levels(self.form, threads, self.budget, problem.children, folder, few, graph=graph)
        expand = kernel.expand_shortest if graph else kernel.expand_counts
        self.forward = Forward(problem, threads, expand, self._levels, self._refuse_wrong, piece)
        self._level, self._size = self.lowest, 0
        """The number of the level that is expanded, and its number of entries."""
        if solved[0]:
            self.count, self.cost = 1, cost
        else:
            entry = [*keys[0].tolist(), *([cost] if problem.has_cost else []), 1]
            self._levels.put(self.lowest, np.array(entry, np.uint64), 1)

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
        """Whether the numbers and `packed` are complete: not after a rule has failed."""
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
        """Maximum number of bytes that `packed` yields."""
        return self._levels.size

    def packed(self) -> Iterator[tuple[int, Packed]]:
        """Yield all entries in pieces; see `Levels`."""
        return self._levels.packed(self._level)

    def restore(self, packed: Iterable[tuple[int, int, Array]]) -> None:
        """Restore the entries of another process, before any is expanded.

        Args:
            packed: what `packed` has yielded, with the words of a count before the entries.

        Raises:
            OutOfMemory: they do not fit.
            ValueError: they are not of this search.
        """
        self._levels.empty()
        for level, words, entries in packed:
            if not words >= 1 or len(entries) % (self.form.head + words):
                raise ValueError("entries of another length")
            self._levels.restore(level, entries, words)

    @property
    def is_solved(self) -> bool:
        """Whether a solution has been found."""
        return self.count > 0

    def confirm(self, total: int) -> None:
        """Compare the count with the count backwards.

        Raises:
            BadPuzzle: they differ.
        """
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
        while levels and (self.problem.rises or min(levels.numbers) < self.cost):
            self.begun += 1
            self._level = min(levels.numbers)
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

    def _begin(self) -> None:
        """Keep the entries of a level before they are expanded; a sample drops a part of them here."""
        if self._keep is not None:
            self._keep(self, self._level, [*self._levels.packed_of(self._levels.now, 1)])

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
                self._proof.add(self._level)

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
        if self.problem.rises:
            return self.forward.asked(level, 0, self._sampled, self.cost)
        return self.forward.asked(level, *Proof.hashes(self._size))  # a state made from a key has no bound

    def _refuse_wrong(self, tally: Array, level: int) -> None:
        """Raise the error that an expansion has found, if any."""
        fault, where = int(tally[kernel_code.FAULT]), int(tally[kernel_code.WHERE])
        if fault == kernel_code.LEVEL:
            if not self.problem.rises:
                raise BadInput(
                    f"{self.problem.name} has moves that cost nothing and may lead back, which the engine sharing"
                    " cannot count: take the engine deepening"
                )
            raise misdeclared(self.problem, f"'level' does not rise: a move leads from level {level} to {where}")
        if fault == kernel_code.UNKEYED:
            raise misdeclared(self.problem, "'unkey' gives a state with another key")
        if fault == kernel_code.UNLIKE:
            raise misdeclared(self.problem, "'key' or 'level' merges states with different ways on")


def number_of(words: Array, bits: int) -> int:
    """Return a count as a Python integer."""
    return sum(int(word) << bits * place for place, word in enumerate(words))
