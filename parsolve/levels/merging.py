"""Check that a key merges only equivalent states, in a search that stores whole states.

A search treats states with one key as one state, so the same moves must lead on from all of them. For some keys, chosen
by hash, two different states are kept and compared at the end.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.proof import Remembered, mixed, own_fields
from parsolve.levels.store import Array, Expander, misdeclared
from parsolve.problem.problem import Problem

PAIRS = 128
"""Maximum number of pairs that are compared."""

KEPT = 1 << 11
"""Maximum number of states that are kept for comparison."""


class Merging:
    """Pairs of different states of one key; `look` returns the keys of some rows and whether they are solved."""

    def __init__(self, problem: Problem, look: Callable[[Array], tuple[Array, Array]], expander: Expander) -> None:
        self._problem, self._look, self._expander = problem, look, expander
        self._kept: Remembered[tuple[Array, bytes]] = Remembered(KEPT)
        self._pairs: list[tuple[Array, set[bytes]]] = []
        self._fields = [name for name in problem.state.names or () if name not in ("cost", "bound")]

    def add(self, rows: Array, keys: Array, before: Array) -> None:
        """Add some states, record[n], with their keys and the keys of their parents, uint64[n, words]."""
        ids = keys[:, 0]
        for column in range(1, keys.shape[1]):
            ids = mixed(ids, keys[:, column])
        chosen = np.flatnonzero(self._kept.chosen(ids))[:KEPT]
        for at, each in zip(chosen.tolist(), ids[chosen].tolist(), strict=True):
            here, parent = rows[at : at + 1], before[at].tobytes()
            other, its_parent = self._kept.first(each, lambda: (here.copy(), parent))  # noqa: B023
            if len(self._pairs) < PAIRS and any((here[name] != other[name]).any() for name in self._fields):
                self._pairs.append((np.concatenate([other, here]), {parent, its_parent}))
        self._kept.trim()

    def end(self, nearest: Callable[[Array], int | None], radius: float) -> None:
        """Compare the pairs: `nearest` returns the least cost at which a key, uint64[1, words], was reached, if at all,
        and no state is missing up to `radius`.

        Ways to states that are reached at less cost do not count, nor do ways back: a rule may leave out what no
        cheapest solution uses.
        """
        for pair, back in self._pairs:
            keys, solved = self._look(pair)
            if solved[0] != solved[1]:
                raise self._fault(pair, "only one of them is solved")
            near = nearest(keys[:1]) or 0
            pair["cost"] = pair["cost"].min()  # so that costs fit their field after the same moves
            ways: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
            for children, parents, ids in self._expander.children(pair, False):
                for child, parent, row in zip(ids, parents.tolist(), children, strict=True):
                    step = int(row["cost"]) - int(pair["cost"][parent])
                    known, name = nearest(child[None]), child.tobytes()
                    if near + step <= radius and (known is None or known >= near + step) and name not in back:
                        ways[parent][step, name] += 1
            if ways[0] != ways[1]:
                raise self._fault(pair, "other states follow them")
        self._pairs = []

    def _fault(self, pair: Array, why: str) -> BadPuzzle:
        first, second = (own_fields(self._problem, row) for row in pair)
        rule = self._problem.key_rule
        return misdeclared(self._problem, f"{rule!r} merges {second} with {first}, but {why}")
