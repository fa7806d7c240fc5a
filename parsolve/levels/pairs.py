"""Check that a key merges only equivalent states, in a search whose entries have their rows.

A search treats states with one key as one state, so the same moves must lead on from all of them. Some states of each
level are expanded once more. For some keys of their children, chosen by hash, two different states are kept, and
compared at the end.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from parsolve.levels.proof import Remembered, mixed
from parsolve.levels.states import Coding, Misdeclared, own_fields
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem

PAIRS = 128
"""Maximum number of pairs that are compared."""

KEPT = 1 << 11
"""Maximum number of states that are kept for comparison, and that are looked at in a level."""


class Pairs:
    """Pairs of different states of one key."""

    def __init__(self, coding: Coding) -> None:
        self._problem, self._coding = coding.problem, coding
        self._kept: Remembered[tuple[Array, bytes]] = Remembered(KEPT)
        self._pairs: list[tuple[Array, set[bytes]]] = []
        self._fields = [name for name in coding.problem.state.names or () if name not in ("cost", "bound")]

    def look(self, rows: Array, keys: Array) -> None:
        """Look at some states of the level that is expanded, record[n], with their keys, uint64[n, words]."""
        for children, parents, child_keys in self._coding.children(rows, False):
            ids = mixed(*child_keys.T)
            chosen = np.flatnonzero(self._kept.chosen(ids))[:KEPT]
            for at, each in zip(chosen.tolist(), ids[chosen].tolist(), strict=True):
                here, parent = children[at : at + 1], keys[parents[at]].tobytes()
                other, another = self._kept.first(each, (here.copy(), parent))
                if len(self._pairs) < PAIRS and any((here[name] != other[name]).any() for name in self._fields):
                    self._pairs.append((np.concatenate([other, here]), {parent, another}))
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
            keys, solved = self._coding.look(pair)
            if solved[0] != solved[1]:
                raise unlike_states(self._problem, pair, SOLVED)
            pair["cost"] = pair["cost"].min()  # so that costs fit their field after the same moves
            on = [
                (parent, int(row["cost"]) - int(pair["cost"][parent]), child.tobytes())
                for children, parents, ids in self._coding.children(pair, False)
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
            first, second = ([(step, name) for parent, step, name in on if parent == each] for each in (0, 1))
            if is_unlike(nearest.get(own, 0), first, second, nearest, back, radius):
                raise unlike_states(self._problem, pair, FOLLOW)
        self._pairs = []


SOLVED, FOLLOW = "only one of them is solved", "other states follow them"

Ways = Sequence[tuple[int, Any]]
"""The moves from a state: the cost of each, and the key to which it leads."""


def is_unlike(
    near: int, first: Ways, second: Ways, nearest: Mapping[Any, int], back: Collection[Any], radius: float = math.inf
) -> bool:
    """Return whether other states follow one of two states of one key, which is reached at the cost `near`.

    `nearest`: by key, the least cost; `back`: the keys of their parents; `radius`: see `Pairs.end`.
    """

    def onward(ways: Ways) -> Counter[tuple[int, Any]]:
        ends = ((step, name) for step, name in ways if near + step <= radius and name not in back)
        return Counter((step, name) for step, name in ends if nearest.get(name, math.inf) >= near + step)

    return onward(first) != onward(second)


def unlike_states(problem: Problem, pair: Any, why: str) -> Misdeclared:
    """Return the error of a key that is the same for two states, record[2], that are different."""
    text = f"{problem.key_rule!r} merges this state with {own_fields(problem, pair[0])}, but {why}"
    return Misdeclared(problem, text, "merge", pair[1])
