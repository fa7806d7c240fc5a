"""Breadth-first search from both ends: layers from the root, and layers of moves taken back from the goals.

A cheapest solution of cost n has a state after each number k of its n moves, which lies in layer k from the root and in
layer n - k from the goals. So if there are k layers from the root and m from the goals, and no shorter solution was
found, there is a solution of cost k + m exactly if the last two layers share a state. Each step adds a layer to the
smaller end. From the shared states, moves and moves taken back lead to all other states of cheapest solutions.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from parsolve.levels.keys import BY_ARRAY, Keys
from parsolve.levels.store import Array, Layer, Place, misdeclared
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Entries

PART = 1 << 20
"""States of cheapest solutions whose children are listed at once."""


class BothEnds(Keys):
    """States by key from the root, with a second search from the goals. See `Store`.

    Args:
        problem: the problem, whose moves cost 1.
        back: the same problem with moves taken back.
        threads: share out the work.
        short, folder: see `Keys`.
    """

    declared = "'key', 'unkey', 'goals' or 'taken_back'"

    def __init__(
        self, problem: Problem, back: Problem, threads: Threads, folder: Path | None = None, short: bool = False
    ) -> None:
        super().__init__(problem, threads, BY_ARRAY, folder, short=short)
        self.form = f"ends-{self.entry}"
        self._back = Keys(back, threads, beside=self)
        self._goals = back.rows("goal", problem.puzzle.goals())
        self.warm_up(problem.root)
        self._back.warm_up(self._goals)
        self.proof.opposite, self._back.proof.opposite = self._back, self
        self._on_paths: list[Array] = []  # by step
        self._has_met = False

    def search(self) -> Iterator[Layer]:
        """See `Store`: a layer for each step, its cost the least that a solution can still have."""
        self._back.between = self.between
        ends = (self, self.problem.root), (self._back, self._goals)
        sizes = [self._sizes(end, start) for end, start in ends]
        states = [next(each, 0) for each in sizes]
        depths, new = [0, 0], sum(states)
        while all(states):
            common = self._common(*depths)
            yield Layer(sum(depths), sum(depths), new, len(common) > 0)
            if len(common):
                self._has_met = True
                self._on_paths = self._through(common, *depths)
                return
            side = int(states[1] < states[0])
            new = states[side] = next(sizes[side], 0)
            depths[side] += 1
            if not side and self.has_solved:  # for moves taken back, solved states are not looked for
                text = "a solved state was met which 'goals' lacks, or to which no moves lead that 'taken_back' gives"
                raise misdeclared(self.problem, text)

    def _sizes(self, end: Keys, start: Array) -> Iterator[int]:
        """Yield how many states each layer from an end has, those of an earlier run too."""
        yield from end.sizes
        yield from (states for _, states in end.layers(start, end is self._back, keep=True))

    def _common(self, near: int, far: int) -> Array:
        """Return the keys that two layers share; none if an earlier run has gone beyond these layers."""
        layers = self.layer(near), self._back.layer(far)
        is_last = near + 1 == len(self.sizes) and far + 1 == len(self._back.sizes)
        return self.common(*layers) if is_last else np.zeros(0, np.uint64)

    def _through(self, common: Array, near: int, far: int) -> list[Array]:
        """Return the keys of all states of cheapest solutions by step, from the shared states."""
        self.forget(near)
        self._back.forget(far)
        on = [common]
        for depth in reversed(range(far)):
            on.append(self._led_on(self, on[-1], self._back, depth))
        before = [common]
        for depth in reversed(range(near)):
            before.append(self._led_on(self._back, before[-1], self, depth))
        return before[:0:-1] + on

    def _led_on(self, end: Keys, keys: Array, other: Keys, depth: int) -> Array:
        """Return the keys of the children of some states in a layer from the other end, and forget that layer."""
        layer = other.layer(depth)
        pieces = [keys[first : first + PART] for first in range(0, len(keys), PART)]
        found = [end.following(piece, past_solved=end is self._back, among=layer) for piece in pieces]
        other.forget(depth)
        return np.unique(np.concatenate([keys[:0], *found]))

    @property
    def is_whole(self) -> bool:
        """See `Store`: false once the ends have met, because layers are forgotten then."""
        return super().is_whole and self._back.is_whole and not self._has_met

    @property
    def finished(self) -> int:
        """See `Store`."""
        return super().finished + self._back.finished

    @property
    def bytes_kept(self) -> int:
        """See `Store`."""
        return super().bytes_kept + self._back.bytes_kept

    def kept(self, side: int = 0) -> Iterator[Entries]:
        """See `Store`."""
        yield from super().kept(0)
        yield from self._back.kept(1)

    def restore(self, arrays: Mapping[Place, Array], side: int = 0) -> None:
        """See `Store`."""
        super().restore(arrays, 0)
        self._back.restore(arrays, 1)

    def prove(self) -> None:
        """See `Store`."""
        super().prove()
        self._back.prove()
        self.proof.follow(self.problem.root, self.ids_of(self._goals))

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """See `Store`: the states of cheapest solutions."""
        keys = self._on_paths[layer.steps]
        rows, solved = self.states_at(layer, keys)
        return rows, keys, solved
