"""Plain brute force: it shares no code with parsolve, and knows nothing but moves."""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import EngineName, Puzzle, Want

State = TypeVar("State", bound=Hashable)

Moves = Callable[[State], Iterable[tuple[Any, State, int]]]
"""The moves from a state, in the puzzle's order: what a solution shows of each, where it leads, and its cost."""

MOST = 3000
"""Solutions that are listed at most."""


@dataclass(frozen=True)
class Answer:
    """The answer to a puzzle.

    Attributes:
        cost: of the cheapest solutions; None if there are none, or where solutions have no cost.
        count: how many there are.
        solutions: all of them; None where they are more than MOST.
    """

    cost: int | None
    count: int
    solutions: list[Any] | None


@dataclass(frozen=True)
class Instance:
    """A random puzzle and what plain brute force knows of it.

    Attributes:
        puzzle: for parsolve.
        answer: what the search must give.
        read: returns one of parsolve's solutions as `answer` has it.
        is_ordered: whether `answer.solutions` are in depth-first order.
        engines, wants: what may be asked for.
        counted_by: more engines, which only count.
        cost_of: returns the cost of a solution, as `read` gives it, cheapest or not; None if it is none.
        spaces: the number of states by distance, from the `root` or from the nearest `goal`.
        overflows_at: the cost from which on a search must be refused, because costs overflow; None for no cost.
    """

    puzzle: Puzzle
    answer: Answer
    read: Callable[[Solution], Any] = lambda solution: solution.text
    is_ordered: bool = False
    engines: Sequence[EngineName] = ("deepening", "breadth", "both")
    wants: Sequence[Want] = ("all", "count", "first", "any")
    counted_by: Sequence[EngineName] = ()
    cost_of: Callable[[Any], int | None] | None = None
    spaces: Mapping[str, Counter[int]] = field(default_factory=dict)
    overflows_at: int | None = None

    def may_refuse(self, text: str, cost: int | None) -> bool:
        """Return whether a search may be refused with a message: its costs go up to one, None for no end."""
        return "overflows" in text and self.overflows_at is not None and (cost is None or cost >= self.overflows_at)

    @property
    def has_cost(self) -> bool:
        """Whether solutions differ in cost."""
        return Problem(self.puzzle, "all").has_cost


def distances(
    starts: Iterable[State], moves: Moves[State], ends: Callable[[State], bool] = lambda state: False
) -> dict[State, int]:
    """Return the least cost from any of some states to each state that can be reached, by Dijkstra's algorithm; up to
    that of the nearest end, if there are ends."""
    found: dict[State, int] = {}
    queue = [(0, number, start) for number, start in enumerate(starts)]
    number, last = len(queue), math.inf
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > last:
            break
        if state not in found:
            found[state] = cost
            if ends(state):
                last = cost
            for _, other, more in moves(state):
                number += 1
                heapq.heappush(queue, (cost + more, number, other))
    return found


def cheapest(root: State, moves: Moves[State], solved: Callable[[State], bool], most: float = MOST) -> Answer:
    """Return all cheapest paths from a state to a first solved one, as what they show, in depth-first order.

    There must be no way around that costs nothing. Of more paths than `most`, only the number is returned.
    """

    def onward(state: State) -> Iterable[tuple[Any, State, int]]:
        return () if solved(state) else moves(state)

    known = distances([root], onward, solved)
    ends = [cost for state, cost in known.items() if solved(state)]
    if not ends:
        return Answer(None, 0, [])
    least = min(ends)
    counts: dict[State, int] = {}

    def tight(state: State) -> Iterator[tuple[Any, State]]:
        """Yield the moves that a cheapest path may take."""
        for shown, other, cost in onward(state):
            if known[state] + cost == known.get(other):
                yield shown, other

    def count(state: State) -> int:
        if state not in counts:
            counts[state] = int(solved(state) and known[state] == least) or sum(count(to) for _, to in tight(state))
        return counts[state]

    def paths(state: State) -> Iterator[tuple[Any, ...]]:
        if solved(state):
            yield ()
            return
        for shown, other in tight(state):
            if count(other):
                for rest in paths(other):
                    yield (shown, *rest)

    number = count(root)
    return Answer(least, number, list(paths(root)) if number <= most else None)


def every_path(root: State, moves: Moves[State], solved: Callable[[State], bool]) -> Answer:
    """Return all paths to a first solved state, whatever they cost, in depth-first order."""

    def paths(state: State) -> Iterator[tuple[Any, ...]]:
        if solved(state):
            yield ()
            return
        for shown, other, _ in moves(state):
            for rest in paths(other):
                yield (shown, *rest)

    found = list(paths(root))
    return Answer(None, len(found), found)


def by_cost(
    root: State, moves: Moves[State], solved: Callable[[State], bool], most: int
) -> dict[int, list[tuple[Any, ...]]]:
    """Return every path to a first solved state that costs at most so much, by its cost, in depth-first order."""
    found: dict[int, list[tuple[Any, ...]]] = {}

    def go(state: State, cost: int, path: tuple[Any, ...]) -> None:
        if solved(state):
            found.setdefault(cost, []).append(path)
            return
        for shown, after, more in moves(state):
            if cost + more <= most:
                go(after, cost + more, (*path, shown))

    go(root, 0, ())
    return dict(sorted(found.items()))


def tree_size(root: State, moves: Moves[State], solved: Callable[[State], bool], limit: int) -> int:
    """Return how many nodes a search without a bound visits within a limit."""
    known: dict[tuple[State, int], int] = {}

    def size(state: State, room: int) -> int:
        if (state, room) not in known:
            below = 0 if solved(state) else sum(size(to, room - cost) for _, to, cost in moves(state) if cost <= room)
            known[state, room] = 1 + below
        return known[state, room]

    return size(root, limit)
