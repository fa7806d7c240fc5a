"""Breadth-first search from both ends: levels from the root, and levels of moves taken back from the goals.

A cheapest solution of cost n has a state after each number k of its n moves, which lies in level k from the root and in
level n - k from the goals. So if there are k levels from the root and m from the goals, and no shorter solution was
found, there is a solution of cost k + m exactly if the last two levels share a state. Each step adds a level to the
smaller end. From the shared states, moves and moves taken back lead to all other states of cheapest solutions.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.pieces import PieceKind
from parsolve.levels.search import LIST, WAYS, WAYS_BACK, Search
from parsolve.levels.store import Store
from parsolve.levels.templates.entries import cost_of, first_of
from parsolve.levels.threads import Threads
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers


class BothEnds:
    """A search from the root and from the goals; see `Search`.

    Args:
        problem: the problem, whose moves cost 1, and whose keys have one word.
        back: the same problem with moves taken back.
        threads, folder: see `Search`.

    Attributes:
        ends: the search from the root, and that from the goals.
    """

    def __init__(self, problem: Problem, back: Problem, threads: Threads, folder: Path | None = None) -> None:
        self.problem, self._threads, self._folder = problem, threads, folder
        self._goals = problem.goals()
        stores: list[Store] = []  # in the same memory
        front = Search(problem, threads, folder, WAYS, opposite=back, stores=stores)
        rear = Search(back, threads, folder, WAYS_BACK, self._goals, opposite=problem, stores=stores)
        self.ends = front, rear
        self._common = np.zeros(0, np.uint64)

    @property
    def nodes(self) -> int:
        """The number of states expanded."""
        return sum(end.nodes for end in self.ends)

    @property
    def level(self) -> int:
        """The level of solutions if the last levels share a state."""
        return sum(end.level for end in self.ends)

    def expand(self) -> Iterator[int]:
        """Search, a level of the smaller end at a time, in steps; yield after each level and step."""
        front, rear = self.ends
        for end in self.ends:
            end.begin()
        front.settle()
        rear.store.face(front.top)
        end = rear
        while all(top is not None and top.total for top in [each.settle() for each in self.ends]):
            yield 0
            if end.store.policy.meeting.is_found:
                self._common = end.top.keys()
                break
            end, other = sorted(self.ends, key=lambda each: each.top.total)
            end.store.face(other.top)
            yield from end.expand_level()
            if end.store.numbers - {end.level + first_of(1)}:
                raise BadPuzzle(f"{end.problem.name}: a move does not cost 1, as 'inverse_puzzle' asks")

    def paths(self) -> list[Array]:
        """Return the keys of all states of cheapest solutions by level, uint64[n] each; levels are forgotten."""
        front, paths = self.ends[0], [self._common]
        if len(self._common):
            on, before = (led_on(self._common, *ends) for ends in (self.ends, self.ends[::-1]))
            paths = before[:0:-1] + on
        for end in self.ends:
            end.store.close()
            end.check_declarations()
        assert front.proof is not None
        front.proof.follow(self.problem.root, front.coding.ids_of(self._goals))
        return paths

    def counted(self) -> Search:
        """Return a count that has the states of cheapest solutions as its levels; they are to be counted backwards."""
        nodes, begun, paths = self.nodes, sum(end.begun for end in self.ends), self.paths()
        counted = Search(self.problem, self._threads, self._folder, LIST)
        if len(paths) == 1:  # the last ones are solved
            counted.begin()
        else:
            for cost, keys in enumerate(paths[:-1], cost_of(counted.lowest)):  # as after an earlier run
                counted.store.add(first_of(cost), np.repeat(keys, 2), 1, PieceKind.SETTLED)
            counted.nodes, counted.begun, counted.cost = nodes, begun, cost_of(self.level)
        return counted


def led_on(keys: Array, end: Search, other: Search) -> list[Array]:
    """Return keys of the last level of the other end, then for each of its levels before, which are forgotten, the keys
    that an end's moves reach from the keys found last: uint64[n] each."""
    found = [keys]
    for number in sorted(other.store.settled, reverse=True):
        if number != other.level:
            end.store.replace_piece(found[-1], 0, [other.store.settled[number]])
            for _ in end.expand_piece(is_of_level=False):
                pass
            reached = (end.store.take_keys(each) for each in end.store.numbers)
            found.append(np.concatenate([keys[:0], *reached]))
        other.store.drop(number)
    return found


def feasible_keys(problem: Problem, back: Problem | None = None, watch: Watch = UNWATCHED) -> Array:
    """Return the keys of all states on paths from the root to a goal.

    Args:
        problem: an abstraction with the way back from keys, whose graph is graded.
        back: the same with moves taken back; None for a search from the root alone, which takes more memory.
        watch: receives each level.

    Returns:
        uint64[n], ascending; none if there is no way to a goal.

    Raises:
        BadPuzzle: it breaks the contract.
        OutOfMemory: the states do not fit.
    """
    if back is not None and not problem.has_cost:
        raise BadPuzzle(f"{problem.name}: 'inverse_puzzle' needs a cost and 'limits', how far the goals are")
    with Threads(default_workers(), watch) as threads:
        if back is None:
            return _feasible_from_root(problem, threads)
        ends = BothEnds(problem, back, threads)
        for _ in ends.expand():
            watch.listener.progress_made(Progress(cost_of(ends.level), nodes=ends.nodes))
        return np.sort(np.concatenate(ends.paths()))


def _feasible_from_root(problem: Problem, threads: Threads) -> Array:
    """Return the same as `feasible_keys`."""
    search = Search(problem, threads, aim=WAYS)
    for _ in search.expand():
        threads.watch.listener.progress_made(Progress(search.begun, nodes=search.nodes))
    found = [np.zeros(0, np.uint64)]
    for _, level in sorted(search.store.settled.items(), reverse=True):
        keys = level.keys()
        rows, leads_on = search.coding.states_of(keys)
        for _, parents, children in search.coding.children(rows, False):
            leads_on[parents[np.isin(children[:, 0], found[-1])]] = True
        found.append(keys[leads_on])
    return np.sort(np.concatenate(found))
