"""A plain breadth-first search with path counts, to hold the engine's answers against."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


def shortest(
    start: State, moves: Callable[[State], Iterable[State]], solved: Callable[[State], bool]
) -> tuple[int | None, int]:
    """The fewest moves to a solved state, None if there is no way, and the number of ways with as many."""
    layer, seen, depth = Counter([start]), {start}, 0
    while layer:
        ways = sum(count for state, count in layer.items() if solved(state))
        if ways:
            return depth, ways
        after: Counter[State] = Counter()
        for state, count in layer.items():
            for other in moves(state):
                if other not in seen:
                    after[other] += count
        seen.update(after)
        layer, depth = after, depth + 1
    return None, 0
