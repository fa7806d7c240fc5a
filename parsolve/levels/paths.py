"""The states on cheapest paths: marked backwards, with the number of ways from each, and listed in depth-first order.

Only these states are visited again, and their ways are added as Python integers if 64 bits are too few.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.store import Array, Layer, Place, Store, by_cost, misdeclared
from parsolve.problem.problem import Problem

LARGEST = 1 << 62
"""Greater sums are Python integers."""


class CheapestPaths:
    """Every path from the root to a solved state of the least cost.

    Args:
        store: a store that has been searched.
        layers: all layers, from the root's to the last of that cost.
        cost: the least cost of a solved state.
        problem: the problem.

    Raises:
        BadPuzzle: the rules contradict each other: no path leads to a solved state that the search has met.
    """

    def __init__(self, store: Store, layers: Sequence[Layer], cost: int, problem: Problem) -> None:
        self._store, self._cost, self._problem = store, cost, problem
        self._ids: dict[Place, Array] = {}  # ascending
        self._ways: dict[Place, Array] = {}  # int64 or Python integers: from each id to a solved state
        self._solved: dict[Place, set[Any]] = {}  # the solved ones of these ids
        self._root = layers[0].place
        for layer in reversed(layers):
            if layer.cost <= cost:
                self._mark(layer)
        if not self.count:
            raise self._contradiction("no path to it is found again")

    @property
    def count(self) -> int:
        """The number of paths."""
        return sum(self._ways[self._root].tolist()) if self._root in self._ways else 0

    def _mark(self, layer: Layer) -> None:
        rows, ids, solved = self._store.candidates(layer, self._ids)
        ways = np.zeros(len(rows), np.int64)
        if layer.cost == self._cost:
            ways[solved] = 1
            self._solved[layer.place] = set(ids[solved].tolist())
        for children, parents, child_ids in self._store.children(rows):
            for cost, here in by_cost(children):
                place = cost, layer.steps + 1
                known = self._ids.get(place)
                if known is None:
                    continue
                at = np.searchsorted(known, child_ids[here])
                at[at == len(known)] = 0
                good = known[at] == child_ids[here]
                more = self._ways[place][at[good]]
                if len(more) and max(more) > LARGEST // self._problem.children:
                    ways = ways.astype(object)
                np.add.at(ways, parents[here][good], more.astype(ways.dtype))
        chosen = np.flatnonzero(ways)
        chosen = chosen[np.argsort(ids[chosen])]
        if len(chosen):
            self._ids[layer.place], self._ways[layer.place] = ids[chosen], ways[chosen]

    def walk(self, root: Array) -> Iterator[tuple[int, ...]]:
        """Yield every path in depth-first order.

        Args:
            root: record[1].

        Raises:
            BadPuzzle: the rules contradict each other: there are more or fewer paths than counted, or one ends
                elsewhere.
        """
        found = 0
        for path, end in self._walk(root):
            if end not in self._solved.get((self._cost, self._root[1] + len(path)), ()):
                raise self._contradiction("a path that should lead there ends before")
            found += 1
            yield path
        if found != self.count:
            raise self._contradiction(f"{self.count:,} paths are counted, and {found:,} found")

    def _contradiction(self, why: str) -> BadPuzzle:
        text = f"a solved state of cost {self._cost} was met, but {why}: {self._store.declared} must be wrong"
        return misdeclared(self._problem, text)

    def _walk(self, root: Array) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Yield every path in depth-first order, and the id of its last state."""
        wanted = {place: set(ids.tolist()) for place, ids in self._ids.items()}
        known: dict[tuple[int, bytes], list[tuple[int, Any, Array]]] = {}

        def ways_on(row: Array, steps: int) -> list[tuple[int, Any, Array]]:
            # By the whole row, not by its id: states with one key may be mirror images of each other.
            place = steps, row.tobytes()
            if place not in known:
                known[place] = [
                    (int(children["move"][i]), each, children[i : i + 1].copy())
                    for children, _, ids in self._store.children(row)
                    for i, each in enumerate(ids.tolist())
                    if each in wanted.get((int(children["cost"][i]), steps + 1), ())
                ]
            return known[place]

        # With an explicit stack instead of recursion: solutions may be longer than Python's stack.
        first = ways_on(root, self._root[1])
        stack = [iter(first)]
        path: list[int] = []
        if not first:
            yield (), self._ids[self._root].tolist()[0]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                if path:
                    path.pop()
                continue
            move, end, row = step
            path.append(move)
            on = ways_on(row, self._root[1] + len(path))
            if on:
                stack.append(iter(on))
            else:
                yield tuple(path), end
                path.pop()
