"""Expand levels in steps, on all threads: each entry whole or not at all, wherever a search is stopped."""

from collections.abc import Callable, Sequence

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.levels.pool import Array, Buffers, Pool
from parsolve.levels.states import crowded, misdeclared
from parsolve.levels.store import Store
from parsolve.levels.templates import entries as kernel_code
from parsolve.levels.templates.entries import BATCH, Asked, Found, Rows
from parsolve.levels.threads import Threads
from parsolve.problem.calling import call_kernel
from parsolve.problem.problem import Problem

PIECE = 1 << 13
"""Approximate number of entries that a thread expands at once: about 5 ms."""

PIECES, PIECES_OF_KEYS = 4, 16
"""Such pieces for each thread in a step: with fewer, threads wait longer for each other; with more, counts are merged
too late."""


class Forward:
    """Expands the entries of levels. Methods raise OutOfMemory, and BadPuzzle if the puzzle breaks the contract.

    Args:
        problem: the problem.
        threads: that share the work.
        kernel: `templates.entries.expand_entries`, compiled for the problem.
        store: the entries.

    Attributes:
        nodes: number of entries expanded so far.
        has_failed: whether a rule has failed.
    """

    def __init__(self, problem: Problem, threads: Threads, kernel: Callable[..., int], store: Store) -> None:
        self._problem, self._kernel, self._store, self._tables = problem, kernel, store, problem.tables
        self._pieces = (PIECES if store.chains.form.bits else PIECES_OF_KEYS) * threads.number
        most = problem.children
        rows = [rows_to_overrun(2 + most, problem.state) for _ in range(threads.number)]
        self._rows = [Rows(each, rows_to_overrun(2 + most, problem.state), each.view(np.uint8)) for each in rows]
        self.nodes, self.has_failed = 0, False

    def step(self, asked: Asked, found: Sequence[Found]) -> int:
        """Expand some entries of the current level; return how many.

        Args:
            asked: how to expand them.
            found: by thread; results are added.
        """
        store = self._store
        ends = store.now.sets[0]
        buckets = np.flatnonzero(ends)
        step = max(1, int(PIECE * len(buckets) / store.now.size))
        buckets = buckets[: self._pieces * step]
        is_short = False
        for buffers in store.chains.buffers:
            buffers.tally[kernel_code.EXPANDED] = 0

        def expand(thread: int, piece: int) -> None:
            nonlocal is_short
            some = buckets[piece * step : (piece + 1) * step]
            buffers = store.chains.buffers[thread]
            if not self.expand(thread, store.chains.pool, ends, buffers, found[thread], asked, some[0], some[-1] + 1):
                is_short = True

        try:
            store.chains.threads.each(-(-len(buckets) // step), expand, store.now.size)
        finally:
            expanded = sum(int(buffers.tally[kernel_code.EXPANDED]) for buffers in store.chains.buffers)
            self.nodes += expanded
            store.now.size -= expanded
            store.now.merged = store.now.size
        if is_short:
            store.make_room(len(store.chains.buffers) * (self._problem.children + BATCH))
        else:
            store.merge_early()
        return expanded

    def expand(
        self, thread: int, pool: Pool, ends: Array, buffers: Buffers, found: Found, asked: Asked, first: int, last: int
    ) -> bool:
        """Expand the entries of some buckets, on a thread; return False if the pool has too few blocks.

        Args:
            ends, first, last: chains; the first bucket, and the one after the last.
            buffers, found, asked: see `templates.entries`.
        """
        tally, tables = buffers.tally, self._tables
        tally[kernel_code.NEXT], tally[kernel_code.LAST] = first, last
        while True:
            shared = self._problem.puzzle, tables, self._rows[thread], pool.blocks, ends
            try:
                why = call_kernel(self._kernel, *shared, buffers.children, buffers.own, tally, found, asked)
                self._refuse(int(tally[kernel_code.FAULT]), asked.now, int(tally[kernel_code.WHERE]))
            except BaseException:
                self.has_failed = True
                raise
            if why == kernel_code.FULL:
                buffers.enlarge(len(buffers.own))
            elif why == kernel_code.MANY:
                buffers.double()
            elif why == kernel_code.DONE or not pool.grow():
                return bool(why == kernel_code.DONE)

    def _refuse(self, fault: int, level: int, where: int) -> None:
        """Raise the error that an expansion has found, if any."""
        if fault == kernel_code.CROWDED:
            raise crowded(self._problem)
        if fault == kernel_code.FALLS:
            raise self._problem.cost_falls()
        if fault:
            texts = {
                kernel_code.LEVEL: f"'level' does not rise: a move leads from level {level} to {where}",
                kernel_code.UNKEYED: "'unkey' gives a state with another key",
                kernel_code.UNLIKE: "'key' merges states with different ways on, or 'level' or 'graph' is wrong",
            }
            raise misdeclared(self._problem, texts[fault])
