"""Check that a key merges only equivalent states, in a search whose entries have their rows.

A search treats states with one key as one state, so the same moves must lead on from all of them. Some states of each
level are expanded once more. For some keys of their children, chosen by hash, two different states are kept, and
compared at the end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.proof import Remembered, mixed, own_fields
from parsolve.levels.states import Array, expander_of, looked_at, misdeclared
from parsolve.problem.problem import Problem

PAIRS = 128
"""Maximum number of pairs that are compared."""

KEPT = 1 << 11
"""Maximum number of states that are kept for comparison, and that are looked at in a level."""


class Merging:
    """Pairs of different states of one key."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._expander = problem, expander_of(problem)
        self._kept: Remembered[tuple[Array, bytes]] = Remembered(KEPT)
        self._pairs: list[tuple[Array, set[bytes]]] = []
        self._fields = [name for name in problem.state.names or () if name not in ("cost", "bound")]

    def look(self, rows: Array, keys: Array) -> None:
        """Look at some of the states of a level, those with the least hashes, and their keys."""
        for children, parents, ids in self._expander.children(rows, False):
            self._add(children, ids, keys[parents])

    def _add(self, rows: Array, keys: Array, before: Array) -> None:
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

    def end(self, settled: Iterable[tuple[int, Iterator[Array]]], radius: float) -> None:
        """Compare the pairs.

        Args:
            settled: costs, ascending, with the keys of the states that are reached at each, in pieces.
            radius: no state is missing up to this cost.

        Ways to states that are reached at less cost do not count, nor do ways back: a rule may leave out what no
        cheapest solution uses.
        """
        if not self._pairs:
            return
        ways, wanted = [], set[bytes]()
        for pair, _ in self._pairs:
            keys, solved = looked_at(self._problem, pair)
            if solved[0] != solved[1]:
                raise self._fault(pair, "only one of them is solved")
            pair["cost"] = pair["cost"].min()  # so that costs fit their field after the same moves
            on = [
                (parent, int(row["cost"]) - int(pair["cost"][parent]), child.tobytes())
                for children, parents, ids in self._expander.children(pair, False)
                for child, parent, row in zip(ids, parents.tolist(), children, strict=True)
            ]
            ways.append((keys[0].tobytes(), on))
            wanted |= {keys[0].tobytes(), *(name for _, _, name in on)}
        nearest: dict[bytes, int] = {}
        firsts = np.array([np.frombuffer(name, np.uint64)[0] for name in wanted], np.uint64)
        for cost, pieces in settled:
            for keys in pieces:
                for key in keys[np.isin(keys[:, 0], firsts)]:
                    nearest.setdefault(key.tobytes(), cost)
        for (pair, back), (own, on) in zip(self._pairs, ways, strict=True):
            near, counts = nearest.get(own, 0), (Counter[Any](), Counter[Any]())
            for parent, step, name in on:
                known = nearest.get(name)
                if near + step <= radius and (known is None or known >= near + step) and name not in back:
                    counts[parent][step, name] += 1
            if counts[0] != counts[1]:
                raise self._fault(pair, "other states follow them")
        self._pairs = []

    def _fault(self, pair: Array, why: str) -> BadPuzzle:
        first, second = (own_fields(self._problem, row) for row in pair)
        rule = self._problem.key_rule
        return misdeclared(self._problem, f"{rule!r} merges {second} with {first}, but {why}")
