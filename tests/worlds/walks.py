"""Instances of random graphs."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from worlds.abstractions import Bounded, Improving, Layered, LayeredPruned, Pruned
from worlds.graphs import (
    Costless,
    CostlyNumbered,
    FiveWords,
    FreeNumbered,
    Numbered,
    OneWord,
    TwoWords,
    UnitWayBack,
    Walk,
    WayBack,
    Weighted,
)
from worlds.plain import Answer, Instance, cheapest, distances, every_path, tree_size

LARGEST = 5_000
"""Nodes of a search without a bound, at its last limit."""

Make = Callable[[random.Random], Instance]


class Plain:
    """A random graph for plain brute force: its states are places.

    Args:
        puzzle: whose data tell the graph; no rule of it is used.
    """

    def __init__(self, puzzle: Walk | Costless) -> None:
        self.data = puzzle.data
        # A solved place that stands for no solution ends a path all the same.
        weights = self.data.weights if isinstance(puzzle, Weighted) else [1] * len(self.data.edges)
        self.worth = [weights[place] if place in self.data.solved else 0 for place in range(len(weights))]

    def moves(self, place: int) -> Iterable[tuple[int, int, int]]:
        """Return the moves from a place, none from a solved one."""
        if place in self.data.solved:
            return []
        edges = zip(self.data.codes[place], self.data.edges[place], strict=True)
        return [(code, to, cost) for code, (to, cost) in edges]

    def solved(self, place: int) -> bool:
        """Return whether a place is a solution's end."""
        return self.worth[place] > 0

    def walk(self, codes: Iterable[int]) -> tuple[int, int] | None:
        """Return where moves lead and what they cost; None if that is no solution."""
        place, spent = self.data.root, 0
        for wanted in codes:
            found = [(to, cost) for code, to, cost in self.moves(place) if code == wanted]
            if not found:
                return None
            place, spent = found[0][0], spent + found[0][1]
        return (place, spent) if self.solved(place) else None

    def cost_of(self, codes: Iterable[int]) -> int | None:
        """Return what a solution costs, None if it is none."""
        end = self.walk(codes)
        return None if end is None else end[1]

    def spaces(self) -> dict[str, Counter[int]]:
        """Return how many places, twins once, are at each distance from the root and from the solved ones."""
        classes = self.data.classes

        def moves(place: int) -> list[tuple[int, int, int]]:
            return [(0, to % classes, cost) for to, cost in self.data.edges[place]]

        ends = {"root": [self.data.root % classes], "goal": [place % classes for place in self.data.solved]}
        return {start: Counter(distances(places, moves).values()) for start, places in ends.items()}


def made(puzzle: Walk | Costless) -> Instance | None:
    """Return an instance; None where a search would take too long."""
    plain = Plain(puzzle)
    data, has_cost, has_key = plain.data, isinstance(puzzle, Walk), type(puzzle).key is not None
    search = cheapest if has_cost else every_path
    if not has_cost and tree_size(data.root, plain.moves, plain.solved, len(data.edges)) > LARGEST:
        return None
    answer = search(data.root, plain.moves, plain.solved)
    engines: list[Any] = ["deepening", "breadth", "both"] if has_key else ["deepening"]
    if has_cost:
        last = _last_limit(puzzle, answer)
        ends = last is not None and (answer.cost or 0) <= last
        if not ends or tree_size(data.root, plain.moves, plain.solved, last or 0) > LARGEST:
            engines = ["breadth"]
    if engines == ["breadth"] and (not has_key or isinstance(puzzle, Weighted)):
        return None
    wants = ["all", "all", "count", "count", "first"]
    wants += ["any"] if engines != ["breadth"] else []
    if isinstance(puzzle, Weighted):
        if answer.solutions is None:
            return None
        walks = [plain.walk(path) for path in answer.solutions]
        answer = Answer(answer.cost, sum(plain.worth[walk[0]] for walk in walks if walk), None)
        engines, wants = ["deepening"], ["count"]
    if type(puzzle) in (UnitWayBack, Numbered):
        engines = [*engines, "sharing", "sharing"]  # by levels, or level after level
    has_space = has_cost and has_key and not isinstance(puzzle, Pruned)
    return Instance(
        puzzle,
        answer,
        read=lambda solution: tuple(solution.moves),
        is_ordered=True,
        engines=engines,
        wants=wants,
        cost_of=plain.cost_of if has_cost else None,
        spaces=plain.spaces() if has_space else {},
    )


def _last_limit(puzzle: Walk | Costless, answer: Answer) -> int | None:
    """Return the last limit that a search tries, None if it never ends."""
    declared = puzzle.data.limits if isinstance(puzzle, OneWord) else None
    if answer.cost is not None:
        return answer.cost if declared is None else min(answer.cost, declared[-1])
    return None if declared is None else declared[-1]


def of_class(cls: Any, made: Callable[[Any], Instance | None] = made) -> Make:
    """Return what makes random instances of a class."""

    def make(random_: random.Random) -> Instance:
        return next(filter(None, (made(cls(random_.getrandbits(32))) for _ in itertools.count())))

    return make


FAMILIES: dict[str, tuple[Make, float]] = {
    f"graphs {cls.__name__}": (of_class(cls), share)
    for cls, share in (
        *((Walk, 6.0), (OneWord, 8.0), (TwoWords, 4.0), (FiveWords, 4.0), (WayBack, 8.0)),
        *((UnitWayBack, 6.0), (Numbered, 8.0), (FreeNumbered, 4.0), (CostlyNumbered, 4.0), (Weighted, 3.0)),
        *((Costless, 4.0), (Bounded, 3.0), (Improving, 2.0), (Pruned, 2.0), (Layered, 2.0), (LayeredPruned, 2.0)),
    )
}
"""What makes random instances of each class, and its share."""
