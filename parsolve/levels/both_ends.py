"""Breadth-first search from both ends: layers from the root, and layers of moves taken back from the goals.

A cheapest solution of cost n has a state after each number k of its n moves, which lies in layer k from the root and in
layer n - k from the goals. So if there are k layers from the root and m from the goals, and no shorter solution was
found, there is a solution of cost k + m exactly if the last two layers share a state. Each step adds a layer to the
smaller end. From the shared states, moves and moves taken back lead to all other states of cheapest solutions.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.pieces import END, HEAD, TOTAL
from parsolve.levels.search import Search
from parsolve.levels.states import Array, misdeclared
from parsolve.levels.templates.entries import FREE
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.problem.states import NO_LIMIT
from parsolve.search.checkpoint import Entries

PART = 1 << 19
"""States whose children are listed at once."""


class BothEnds:
    """A search from the root and from the goals; see `Search`.

    Args:
        problem: the problem, whose moves cost 1, and whose keys have one word.
        back: the same problem with moves taken back.
        threads, folder: see `Search`.

    Attributes:
        level: the level of solutions if the last layers share a state.
        cost: the cost of the solutions, once the ends have met.
        nodes: number of states reached.
    """

    by_cost, share, count = True, 0.0, 0  # the solutions are counted afterwards

    def __init__(self, problem: Problem, back: Problem, threads: Threads, folder: Path | None = None) -> None:
        self.problem, self._how = problem, (threads, folder)
        self._goals = back.rows("goal", problem.puzzle.goals())
        front = Search(problem, *self._how, counts=False, keeps=True)
        rear = Search(back, *self._how, counts=False, keeps=True, past=True, start=self._goals, beside=front)
        front.levels.beside, rear.levels.beside = rear.levels, front.levels
        assert front.keys is not None
        assert front.proof is not None
        self._ends, self._keys, self._proof = (front, rear), front.keys, front.proof
        self.level = self.nodes = 0
        self.cost, self._on_paths = NO_LIMIT, list[Array]()  # by step

    # Its progress.

    @property
    def begun(self) -> int:
        """The number of layers begun."""
        return sum(end.begun for end in self._ends)

    @property
    def finished(self) -> int:
        """The number of expanded layers."""
        return sum(end.finished for end in self._ends)

    @property
    def waiting(self) -> int:
        """The number of states that are not expanded."""
        return sum(end.waiting for end in self._ends)

    @property
    def is_whole(self) -> bool:
        """Whether `kept` is complete: not once the ends have met, because layers are forgotten then."""
        return all(end.is_whole for end in self._ends) and self.cost == NO_LIMIT

    @property
    def bytes_kept(self) -> int:
        """Maximum number of bytes that `kept` yields."""
        return sum(end.bytes_kept for end in self._ends)

    def kept(self) -> Iterator[Entries]:
        """Yield all layers in pieces, those of each end after a head."""
        for end in self._ends:
            yield Entries(END, HEAD, np.array([end.finished, end.nodes], np.uint64))
            yield from end.kept()

    def restore(self, kept: Iterable[Entries], finished: int, nodes: int, *_: int) -> None:
        """Restore what `kept` has yielded in another process.

        Raises:
            OutOfMemory, ValueError: see `Search.restore`.
        """
        pieces: list[list[Entries]] = []
        for each in kept:
            if each.words == HEAD and each.level == END:
                pieces.append([])
            pieces[-1].append(each)
        for end, (head, *its) in zip(self._ends, pieces, strict=True):
            end.restore(its, *np.array(head.data, np.uint64).tolist())
        self.nodes = nodes

    def close(self) -> None:
        """Give back the memory of the layers."""
        for end in self._ends:
            end.close()

    # The search.

    def expand(self) -> Iterator[int]:
        """Search, a layer of the smaller end at a time, in steps; yield after each layer and step.

        Raises:
            OutOfMemory: the next layer does not fit.
            BadPuzzle: it breaks the contract.
        """
        front, rear = self._ends
        for end, other in (self._ends, self._ends[::-1]):
            end.begin()
            if end.proof is not None:
                end.proof.opposite = other.keys
        tops = [end.settle() for end in self._ends]
        while tops[0] is not None and tops[1] is not None and tops[0].total and tops[1].total:
            common = shared(*(self._keys_of(end, end.level) for end in self._ends))
            self.level = front.level + rear.level
            self.nodes = sum(level.total for end in self._ends for level in end.settled.values())
            yield 0
            if len(common):
                self.cost = self.level >> FREE
                self._on_paths = self._through(common)
                break
            side = int(tops[1].total < tops[0].total)
            end = self._ends[side]
            yield from end.expand_settled()
            if end.levels.numbers - {end.level + (1 << FREE)}:
                raise BadPuzzle(f"{end.problem.name}: a move does not cost 1, as 'taken_back' asks")
            if front.has_solved:  # for moves taken back, solved states are not looked for
                text = "a solved state was met which 'goals' lacks, or to which no moves lead that 'taken_back' gives"
                raise misdeclared(self.problem, text)
            tops[side] = end.settle()
        for end in self._ends:
            end.end()
        self._proof.follow(self.problem.root, self._keys.ids_of(self._goals))

    def counted(self) -> Search:
        """Return a count that has the states of cheapest solutions as its levels; they are to be counted backwards."""
        self.close()
        counted = Search(self.problem, *self._how, keeps=True)
        if len(self._on_paths) > 1:  # the last ones are solved
            steps = enumerate(self._on_paths[:-1], counted.lowest >> FREE)
            kept = [Entries(2 * (cost << FREE), 1, np.stack([keys, keys], axis=1).reshape(-1)) for cost, keys in steps]
            kept.append(Entries(TOTAL, HEAD, np.array([sum(len(each.data) for each in kept)], np.uint64)))
            counted.restore(kept, len(self._on_paths), self.nodes, self.cost)
        return counted

    @staticmethod
    def _keys_of(end: Search, number: int) -> Array:
        return end.levels.settled[number].entries()

    def _through(self, common: Array) -> list[Array]:
        """Return the keys of all states of cheapest solutions by step, from the shared states; forget all layers."""
        on, before = (
            led_on(common, self._taken(other), end.following) for end, other in (self._ends, self._ends[::-1])
        )
        return before[:0:-1] + on

    def _taken(self, end: Search) -> Iterator[Array]:
        for number in sorted(end.settled, reverse=True):
            keys = self._keys_of(end, number)
            end.levels.drop(number)
            if number != end.level:
                yield keys


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
