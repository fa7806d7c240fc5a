"""Shortest solutions of a graph that may go back: its levels are those of breadth-first search."""

from collections.abc import Callable, Iterator

import numpy as np

from parsolve.breadth.keys import Keys
from parsolve.breadth.layers import Unsuited, is_keyed_by_word, misdeclared
from parsolve.errors import BadInput
from parsolve.kernel.entries import Asked
from parsolve.kernel.search import NO_LIMIT
from parsolve.levels.files import Packed
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.sharing.layers import LOWEST, Layers


class Shortest(Layers):
    """The levels of a breadth-first search, which are kept; how many solutions there are is found from the end back.

    Args:
        problem: gives a key of one word and the way back from it; each of its moves costs 1.
        threads: that share the work.
        keep: see `Layers`.

    Raises:
        BadInput: it does not.
        OutOfMemory: there is hardly any.
    """

    def __init__(self, problem: Problem, threads: Threads, keep: Callable[[Layers, int, list[Packed]], None]) -> None:
        if not is_keyed_by_word(problem):
            raise self._unsuited(problem, "and a key of several words")
        super().__init__(problem, threads, keep=keep)
        self._threads = threads
        self._has_ended = False

    def _unsuited(self, problem: Problem, why: str) -> BadInput:
        return BadInput(
            f"{problem.name} gives no level that every move raises (level, or a graded graph), {why}, which the engine"
            " sharing cannot list: take the engine deepening"
        )

    @property
    def is_solved(self) -> bool:
        """Whether a solved state was met."""
        return self._has_ended or super().is_solved

    def expand(self) -> Iterator[int]:
        """See `Layers`."""
        if self.is_solved:
            return
        keys = Keys(self.problem, self._threads, budget=self.budget)
        keys.warm_up(self.problem.root)
        sizes: list[int] = []
        try:
            for _, size in keys.layers(self.problem.root, past_solved=False, keep=True):
                if sizes:
                    yield self._expanded(sizes)
                    if keys.has_solved:
                        break
                sizes.append(size)
            else:
                yield self._expanded(sizes)
        except Unsuited:
            raise self._unsuited(self.problem, "and moves that do not all cost 1") from None
        keys.prove()
        if keys.has_solved:
            self._has_ended = True
            self._keep_all(keys, len(sizes) - 1)
        keys.levels.close()

    def _expanded(self, sizes: list[int]) -> int:
        """Note that the last of some levels was expanded; return how many entries it had."""
        self.begun, self.share = len(sizes), 1.0
        self.forward.nodes += sizes[-1]
        return sizes[-1]

    def _keep_all(self, keys: Keys, last: int) -> None:
        """Keep the levels before the one that has solved states."""
        cost = int(self.problem.root["cost"][0])
        self.cost = cost + last
        for depth in range(last):
            pieces = []
            for packed in keys.levels.packed_of(keys.layer(depth)):
                entries = np.zeros((len(packed.entries), 3), np.uint64)
                entries[:, 0], entries[:, 1] = packed.entries, cost + depth
                pieces.append(Packed(entries.reshape(-1), 1, packed.starts))
            keys.forget(depth)
            assert self._keep is not None
            self._keep(self, LOWEST + depth, pieces)

    def asked(self, level: int, bits: int, counts: int) -> Asked:
        """See `Layers`: without a limit, since a state from a key has no bound; and keys were looked at on the way."""
        return super().asked(level, bits, counts)._replace(limit=NO_LIMIT, sampled=np.uint64(0))

    def confirm(self, total: int) -> None:
        """See `Layers`: none are counted on the way there."""
        if not total:
            raise misdeclared(self.problem, f"a solved state of cost {self.cost} was met, but no path leads there")
        self.count = total
