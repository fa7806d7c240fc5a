"""Breadth-first search from both ends: layers from the root, and layers of moves taken back from the goals.

A cheapest solution of cost n has a state after each number k of its n moves, which lies in layer k from the root and in
layer n - k from the goals. So if there are k layers from the root and m from the goals, and no shorter solution was
found, there is a solution of cost k + m exactly if the last two layers share a state. Each step adds a layer to the
smaller end. From the shared states, moves and moves taken back lead to all other states of cheapest solutions.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from parsolve.levels.counted import CountedLevels
from parsolve.levels.keys import BY_ARRAY, Keys
from parsolve.levels.pieces import joined
from parsolve.levels.store import Array, TooLarge, misdeclared, nothing
from parsolve.levels.templates.entries import FREE
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.problem.states import NO_LIMIT
from parsolve.search.checkpoint import Entries

PART = 1 << 20
"""States of cheapest solutions whose children are listed at once."""


class BothEnds:
    """A search from the root and from the goals; see `CountedLevels`.

    Args:
        problem: the problem, whose moves cost 1, and whose keys have one word.
        back: the same problem with moves taken back.
        threads, folder: see `CountedLevels`.

    Attributes:
        between: called between two steps of a layer.
        nodes: number of states reached.
        level: the level that solutions have if the last layers share a state.
        cost: the cost of the solutions, once the ends have met.
    """

    by_cost, share, count = True, 0.0, 0  # the solutions are counted afterwards

    def __init__(self, problem: Problem, back: Problem, threads: Threads, folder: Path | None = None) -> None:
        self.problem, self._back, self._threads, self._folder = problem, back, threads, folder
        self._goals = back.rows("goal", problem.puzzle.goals())
        self.between: Callable[[], None] = nothing
        self.level, self.cost = -1, NO_LIMIT
        self._begin(short=True)

    def _begin(self, short: bool) -> None:
        """Begin with entries of 4 bytes or, if a key was too large for them, of 8."""
        self.nodes, self._on_paths = 0, list[Array]()  # by step
        front = Keys(self.problem, self._threads, BY_ARRAY, self._folder, short=short)
        back = Keys(self._back, self._threads, beside=front)
        self._ends = front, back
        front.warm_up(self.problem.root)
        back.warm_up(self._goals)
        front.proof.opposite, back.proof.opposite = back, front
        front.between = back.between = lambda: self.between()

    # Its progress.

    @property
    def begun(self) -> int:
        """The number of layers."""
        return sum(end.reached for end in self._ends)

    @property
    def waiting(self) -> int:
        """The number of states that are not expanded."""
        return sum(end.waiting for end in self._ends if end.reached)

    @property
    def is_whole(self) -> bool:
        """Whether `kept` is complete: not once the ends have met, because layers are forgotten then."""
        return all(end.is_whole for end in self._ends) and self.cost == NO_LIMIT

    @property
    def finished(self) -> int:
        """The number of expanded layers."""
        return sum(end.finished for end in self._ends)

    @property
    def size(self) -> int:
        """Maximum number of bytes that `kept` yields."""
        return sum(end.bytes_kept for end in self._ends)

    def kept(self) -> Iterator[Entries]:
        """Yield all layers in pieces."""
        for number, end in enumerate(self._ends, 1):
            yield from end.kept(number)

    def restore(self, entries: Iterable[Entries], *_: int) -> None:
        """Restore what `kept` has yielded in another process; `expand` repeats all else.

        Raises:
            OutOfMemory, KeyError, ValueError, IndexError: see `Keys.restore`.
        """
        arrays = joined(entries)
        try:
            for number, end in enumerate(self._ends, 1):
                end.restore(arrays, number)
        except TooLarge:
            self.close()
            self._begin(short=False)
            for number, end in enumerate(self._ends, 1):
                end.restore(arrays, number)

    def close(self) -> None:
        """Give back the memory of the layers."""
        self._ends[0].levels.close()

    # The search.

    def expand(self) -> Iterator[int]:
        """Search, a layer of the smaller end at a time; yield the number of states of each.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: it breaks the contract.
        """
        try:
            yield from self._expand()
        except TooLarge:
            self.close()
            self._begin(short=False)
            yield from self._expand()

    def _expand(self) -> Iterator[int]:
        front, back = self._ends
        sizes = self._sizes(front, self.problem.root), self._sizes(back, self._goals)
        states = [next(each, 0) for each in sizes]
        depths, new = [0, 0], sum(states)
        while all(states):
            common = self._common(*depths)
            self.nodes += new
            level = int(self.problem.root["cost"][0]) + sum(depths) << FREE
            if level > self.level:
                self.level = level
                yield new
            if len(common):
                self.cost = level >> FREE
                self._on_paths = self._through(common, *depths)
                break
            side = int(states[1] < states[0])
            new = states[side] = next(sizes[side], 0)
            depths[side] += 1
            if not side and front.has_solved:  # for moves taken back, solved states are not looked for
                text = "a solved state was met which 'goals' lacks, or to which no moves lead that 'taken_back' gives"
                raise misdeclared(self.problem, text)
        front.prove()
        back.prove()
        front.proof.follow(self.problem.root, front.ids_of(self._goals))

    def counted(self) -> CountedLevels:
        """Return a count that has the states of cheapest solutions as its levels; they are to be counted backwards."""
        self.close()
        counted = CountedLevels(self.problem, self._threads, self._folder, keeps=True)
        if len(self._on_paths) > 1:  # the last ones are solved
            first = counted.lowest >> FREE
            steps = enumerate(self._on_paths[:-1], first)
            packed = (
                Entries(2 * (cost << FREE), 1, np.stack([keys, keys], axis=1).reshape(-1)) for cost, keys in steps
            )
            counted.restore(packed, len(self._on_paths), self.nodes, self.cost)
        return counted

    def _sizes(self, end: Keys, start: Array) -> Iterator[int]:
        """Yield how many states each layer from an end has, those of an earlier run too."""
        yield from end.sizes
        yield from (states for _, states in end.layers(start, end is self._ends[1], keep=True))

    def _common(self, near: int, far: int) -> Array:
        """Return the keys that two layers share; none if an earlier run has gone beyond these layers."""
        front, back = self._ends
        is_last = near + 1 == len(front.sizes) and far + 1 == len(back.sizes)
        return front.common(front.layer(near), back.layer(far)) if is_last else np.zeros(0, np.uint64)

    def _through(self, common: Array, near: int, far: int) -> list[Array]:
        """Return the keys of all states of cheapest solutions by step, from the shared states."""
        front, back = self._ends
        front.forget(near)
        back.forget(far)
        on = [common]
        for depth in reversed(range(far)):
            on.append(self._led_on(front, on[-1], back, depth))
        before = [common]
        for depth in reversed(range(near)):
            before.append(self._led_on(back, before[-1], front, depth))
        return before[:0:-1] + on

    def _led_on(self, end: Keys, keys: Array, other: Keys, depth: int) -> Array:
        """Return the keys of the children of some states in a layer from the other end, and forget that layer."""
        layer = other.layer(depth)
        pieces = [keys[first : first + PART] for first in range(0, len(keys), PART)]
        found = [end.following(piece, past_solved=end is self._ends[1], among=layer) for piece in pieces]
        other.forget(depth)
        return np.unique(np.concatenate([keys[:0], *found]))
