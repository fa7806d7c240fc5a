"""The distance of every state of an abstraction from its goals."""

from collections.abc import Callable

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.problem import Array, Problem
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress

FAR = (1 << 31) - 1


def distances(
    problem: Problem,
    *,
    threads: int | None = None,
    check: Callable[[], None] = lambda: None,
    listener: Listener | None = None,
) -> Array:
    """Return the distance of every state from the nearest goal.

    Args:
        problem: an abstraction: it numbers its states and gives its goals, from which its moves lead backwards too.
        threads: how many; this one searches alone.
        check: called for each state; what it raises ends the search.
        listener: told of each layer.

    Returns:
        uint8[entries], 255 where there is no way.

    Raises:
        BadPuzzle: a distance is above 254.
    """
    rules, tables, listener = type(problem.puzzle), problem.tables, listener or Listener()
    assert rules.index is not None and rules.unindex is not None and problem.size is not None  # noqa: PT018
    rows = np.recarray(1 + problem.children, problem.state)
    table = np.full(problem.entries, 255, np.uint8)
    visited = bytearray(problem.size)
    layer = []
    for goal in problem.goals():
        rows[0] = goal
        layer.append(int(rules.index(tables, rows[0])))
    depth = 0
    while layer:
        if depth > 254:
            raise BadPuzzle(f"{problem.name}: a state is {depth} moves away, and a table holds 254 at most")
        reached = layer
        following: list[int] = []
        for number in reached:  # grows by what is reached without cost
            if visited[number]:
                continue
            visited[number] = 1
            check()
            place = number if rules.entry is None else int(rules.entry(tables, number))
            table[place] = min(int(table[place]), depth)
            rows[0] = np.zeros(1, problem.state)[0]
            rules.unindex(tables, number, rows[0])
            end = rules.expand(tables, rows[0], FAR, rows, 1)
            for child in range(1, end):
                cost = rows[child].cost if problem.has_cost else 1
                (following if cost else reached).append(int(rules.index(tables, rows[child])))
        listener.progress(Progress(depth, share=sum(visited) / problem.size, nodes=sum(visited)))
        layer, depth = [number for number in following if not visited[number]], depth + 1
    return table
