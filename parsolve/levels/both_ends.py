"""Breadth-first search from both ends: layers from the root, and layers of moves taken back from the goals.

A cheapest solution of cost n has a state after each number k of its n moves, which lies in layer k from the root and in
layer n - k from the goals. So if there are k layers from the root and m from the goals, and no shorter solution was
found, there is a solution of cost k + m exactly if the last two layers share a state. Each step adds a layer to the
smaller end. From the shared states, moves and moves taken back lead to all other states of cheapest solutions.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.search import Search
from parsolve.levels.states import Array, misdeclared
from parsolve.levels.templates.entries import FREE
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem

PART = 1 << 19
"""States whose children are listed at once."""


class BothEnds:
    """A search from the root and from the goals; see `Search`.

    Args:
        problem: the problem, whose moves cost 1, and whose keys have one word.
        back: the same problem with moves taken back.
        threads, folder: see `Search`.

    Attributes:
        ends: the search from the root, and that from the goals.
        level: the level of solutions if the last layers share a state.
        nodes: number of states reached.
    """

    by_cost, share, count = True, 0.0, 0  # the solutions are counted afterwards

    def __init__(self, problem: Problem, back: Problem, threads: Threads, folder: Path | None = None) -> None:
        self.problem, self._how = problem, (threads, folder)
        self._goals = back.rows("goal", problem.puzzle.goals())
        front = Search(problem, *self._how, counts=False, keeps=True)
        rear = Search(back, *self._how, counts=False, keeps=True, past=True, start=self._goals, beside=front)
        front.levels.beside, rear.levels.beside = rear.levels, front.levels
        self.ends, self.level, self.nodes = (front, rear), 0, 0
        self._common = self._goals[:0]

    def expand(self) -> Iterator[int]:
        """Search, a layer of the smaller end at a time, in steps; yield after each layer and step.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: it breaks the contract.
        """
        front, rear = self.ends
        for end, other in (self.ends, self.ends[::-1]):
            end.begin()
            if end.proof is not None:
                end.proof.opposite = other.keys
        while all(top is not None and top.total for top in [end.settle() for end in self.ends]):
            self._common = shared(*(end.levels.settled[end.level].entries() for end in self.ends))
            self.level = front.level + rear.level
            self.nodes = sum(level.total for end in self.ends for level in end.levels.settled.values())
            yield 0
            if len(self._common):
                break
            end = min(self.ends, key=lambda end: end.levels.settled[end.level].total)
            yield from end.expand_settled()
            if end.levels.numbers - {end.level + (1 << FREE)}:
                raise BadPuzzle(f"{end.problem.name}: a move does not cost 1, as 'taken_back' asks")
            if front.has_solved:  # for moves taken back, solved states are not looked for
                text = "a solved state was met which 'goals' lacks, or to which no moves lead that 'taken_back' gives"
                raise misdeclared(self.problem, text)

    def counted(self) -> Search:
        """Return a count that has the states of cheapest solutions as its levels; they are to be counted backwards."""
        front, paths = self.ends[0], list[Array]()  # by step
        if len(self._common):
            on, before = (
                led_on(self._common, taken(other), partial(following, end))
                for end, other in (self.ends, self.ends[::-1])
            )
            paths = before[:0:-1] + on
        for end in self.ends:
            end.end()
            end.levels.close()
        assert front.proof is not None
        assert front.keys is not None
        front.proof.follow(self.problem.root, front.keys.ids_of(self._goals))
        counted = Search(self.problem, *self._how, keeps=True)
        if len(paths) > 1:  # the last ones are solved
            counted.levels.empty()
            for cost, keys in enumerate(paths[:-1], counted.lowest >> FREE):
                counted.levels.restore(2 * (cost << FREE), np.stack([keys, keys], axis=1).reshape(-1), 1)
            counted.forward.nodes, counted.cost = self.nodes, self.level >> FREE
        return counted


def taken(end: Search) -> Iterator[Array]:
    """Yield the keys of the levels before the last, the highest first, and forget all."""
    for number in sorted(end.levels.settled, reverse=True):
        keys = end.levels.settled[number].entries()
        end.levels.drop(number)
        if number != end.level:
            yield keys


def following(search: Search, keys: Array, depth: int | None = None) -> Array:
    """Return the keys of all children of some states, uint64[n], each once; in a search without counts.

    Args:
        search: what expands them; its own levels stay.
        keys: uint64[n], different ones.
        depth: the cost of the states, if they are all of that cost; otherwise None.

    Raises:
        OutOfMemory, BadPuzzle: see `Search.expand`.
    """
    levels, search.size = search.levels, len(keys)
    levels.replace(keys, 0)
    levels.divide(len(keys))
    while levels.now.size:
        search.step((depth or 0) << FREE)
    if search.proof is not None:
        search.proof.add(depth)
    found = [keys[:0]]
    for number in levels.numbers:
        level = levels.gathered(number)
        level.merge()
        found.append(level.entries())
        levels.drop(number)
    return np.unique(np.concatenate(found)) if len(found) > 2 else found[-1]


def shared(first: Array, second: Array) -> Array:
    """Return the keys that two arrays share, uint64[any] each, in which each key occurs once; sorts both."""
    first.sort()
    second.sort()
    small, large = sorted((first, second), key=len)
    parts = (small[at : at + PART] for at in range(0, len(small), PART))
    return np.concatenate([small[:0], *(part[large[large[:-1].searchsorted(part)] == part] for part in parts)])


def led_on(keys: Array, layers: Iterable[Array], following: Callable[[Array], Array]) -> list[Array]:
    """Return some keys, then by layer those that follow the ones before: uint64[n] each, each key once."""
    found = [keys]
    for layer in layers:
        parts = (found[-1][first : first + PART] for first in range(0, len(found[-1]), PART))
        every = np.sort(np.concatenate([keys[:0], *(shared(layer, following(part)) for part in parts)]))
        found.append(every[np.diff(every, prepend=~every[:1]) != 0])
    return found
