"""Expand entries on a thread: each one whole or not at all, wherever a search is stopped."""

from collections.abc import Callable, Sequence

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.levels.chains import Chains, number_of
from parsolve.levels.states import Misdeclared, crowded
from parsolve.levels.templates import entries
from parsolve.levels.templates.entries import Asked, Found, Scratch
from parsolve.problem.calling import call_kernel
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem


class Expander:
    """Expands the entries of levels. A method raises BadPuzzle if the puzzle breaks the contract.

    Args:
        problem: the problem.
        threads: number of threads.
        kernel: `templates.entries.expand_entries`, compiled for the problem.

    Attributes:
        has_failed: whether a rule has failed.
    """

    def __init__(self, problem: Problem, threads: int, kernel: Callable[..., int]) -> None:
        self._problem, self._kernel, self.has_failed = problem, kernel, False
        most = problem.children
        rows = [rows_to_overrun(2 + most, problem.state) for _ in range(threads)]
        self._rows = [(each, Scratch(each.view(np.uint8), rows_to_overrun(2 + most, problem.state))) for each in rows]

    def begin(self, chains: Chains, cost: int) -> None:
        """Begin a step, in which solutions count that cost at most `cost`."""
        for buffers in chains.buffers:
            buffers.tally["expanded"], buffers.tally["solved"], buffers.tally["best"] = 0, 0, cost

    def sums(self, chains: Chains, found: Sequence[Found]) -> tuple[int, bool, int, int]:
        """Return what a step has met: the number of expanded entries; whether one is solved; the least cost of
        solutions, and the number of those that have it. `found`: by thread."""
        tallies = [buffers.tally for buffers in chains.buffers]
        cost = min(int(tally["best"]) for tally in tallies)
        cheapest = (each.total for each, tally in zip(found, tallies, strict=True) if tally["best"] == cost)
        ways = sum(number_of(total, chains.form.bits) for total in cheapest)
        return sum(int(tally["expanded"]) for tally in tallies), any(tally["solved"] for tally in tallies), cost, ways

    def expand(
        self, thread: int, chains: Chains, ends: Array, found: Found, asked: Asked, first: int, last: int
    ) -> bool:
        """Expand the entries of some buckets, on a thread; return False if the pool has too few blocks.

        Args:
            chains: take the children.
            ends, first, last: the chains of the entries; the first bucket, and the one after the last.
            found, asked: see `templates.entries`.
        """
        buffers, pool, problem = chains.buffers[thread], chains.pool, self._problem
        tally = buffers.tally
        tally["next"], tally["last"] = first, last
        while True:
            memory = *self._rows[thread], pool.blocks, ends, buffers.children, buffers.own, buffers.tallies
            try:
                why = call_kernel(self._kernel, problem.puzzle, problem.tables, *memory, found, asked)
                self._refuse(int(tally["fault"]), asked.now, int(tally["where"]))
            except BaseException:
                self.has_failed = True
                raise
            if why == entries.FULL:
                buffers.enlarge(len(buffers.own))
            elif why == entries.MANY:
                buffers.double()
            elif why == entries.DONE or not pool.grow():
                return bool(why == entries.DONE)

    def _refuse(self, fault: int, level: int, where: int) -> None:
        """Raise the error that an expansion has found, if any."""
        if fault == entries.CROWDED:
            raise crowded(self._problem)
        if fault == entries.FALLS:
            raise self._problem.costs.falling()
        if fault:
            texts = {
                entries.LEVEL: f"'level' does not rise: a move leads from level {level} to {where}",
                entries.UNKEYED: "'unkey' gives a state with another key",
                entries.UNLIKE: "'key' merges states with different ways on, or 'level' or 'graph' is wrong",
            }
            raise Misdeclared(self._problem, texts[fault])
