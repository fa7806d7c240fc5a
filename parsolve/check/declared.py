"""Compare the `graph` that a puzzle declares with the moves between a few of its states."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from parsolve.check.faults import Fault
from parsolve.check.graph import Graph
from parsolve.check.numbers import Numbers
from parsolve.check.rules import Rules

Ways = Mapping[Any, list[tuple[Any, int]]]
"""By the name of a state (its key, or its number): name and cost of each state to which a move leads."""


def faults_by_key(graph: Graph) -> Iterator[Fault]:
    """Yield faults shown by states with histories, for a puzzle without an index."""
    if not graph.rules.problem.key_rule:
        return  # nothing uses the declared graph
    ways: dict[Any, list[tuple[Any, int]]] = defaultdict(list)
    for number, on in graph.edges.items():
        ways[graph.keys[number]] += [(graph.keys[end], cost) for end, cost in on]
    rows = dict(zip(reversed(graph.keys), reversed(graph.rows), strict=True))
    yield from _step_faults(graph.rules, graph.keys[:1], ways, rows)
    yield from _distance_faults(graph, rows)


def faults_by_number(numbers: Numbers, start: Iterable[Any]) -> Iterator[Fault]:
    """Yield faults shown by states made by `unindex`, around the rows in `start`."""
    ways: dict[int, list[tuple[int, int]]] = {}
    rows: dict[int, Any] = {}
    for number, row, on in numbers.search(start):
        ways[number] = [(way.number, way.cost) for way in on]
        rows |= {way.number: way.row for way in on} | {number: row}
    first = [known for row in start if (known := numbers.number(row)) is not None]
    yield from _step_faults(numbers.rules, first, ways, rows)
    yield from _return_faults(numbers.rules, ways, rows)


def _step_faults(rules: Rules, start: Iterable[Any], ways: Ways, rows: Mapping[Any, Any]) -> Iterator[Fault]:
    """Yield states that are reached by two numbers of moves that a graded or bipartite graph excludes.

    Args:
        rules: the puzzle's.
        start: the names of the states where paths begin.
        ways: the moves between all expanded states.
        rows: a row of each name.
    """
    word = rules.problem.graph
    if word not in ("graded", "bipartite"):
        return
    steps = dict.fromkeys(start, 0)
    queue = deque(steps)
    while queue:
        name = queue.popleft()
        for to, _ in ways.get(name, ()):
            if to not in steps:
                steps[to] = steps[name] + 1
                queue.append(to)
            more = steps[name] + 1 - steps[to]
            if more % 2 or (more and word == "graded"):
                text = f"'graph' is {word}, but {steps[to]} moves lead to this state, and {steps[name] + 1} as well:"
                yield Fault("graph", text, rules.state(rows[to]))
                return


def _return_faults(rules: Rules, ways: Ways, rows: Mapping[Any, Any]) -> Iterator[Fault]:
    """Yield moves of states made by `unindex` that no move of the same cost reverses; see `_step_faults`."""
    word = rules.problem.graph
    if word not in ("reversible", "bipartite"):
        return
    for name, on in ways.items():
        for to, cost in on:
            if to not in ways:
                continue
            back = [other for end, other in ways[to] if end == name]
            if cost not in back:
                why = f"costs {cost}, and the way back {min(back)}" if back else "cannot be taken back"
                text = f"'graph' is {word}, but the move to {rules.own_fields(rows[to])} {why}:"
                yield Fault("graph", text, rules.state(rows[name]))
                return


def _distance_faults(graph: Graph, rows: Mapping[Any, Any]) -> Iterator[Fault]:
    """Yield states with a history that are farther than a reversible graph allows, by their keys.

    A rule may leave out single ways back, so only all states together prove something.
    """
    rules, keys = graph.rules, graph.keys
    word = rules.problem.graph
    if word not in ("reversible", "bipartite"):
        return
    nearest = graph.nearest(keys)
    above: dict[Any, set[Any]] = defaultdict(set)  # by key: the states before it
    for number, on in graph.edges.items():
        name = keys[number]
        for end, cost in on:
            to = keys[end]
            above[to].add(name)
            if nearest[to] + cost < nearest[name] <= graph.radius:
                text = (
                    f"'graph' is {word}, but a move of cost {cost} leads to {rules.own_fields(rows[to])}, which is"
                    f" reached at cost {nearest[to]}, and this state only at {nearest[name]}:"
                )
                yield Fault("graph", text, rules.state(rows[name]))
                return
    other = None
    for number, on in graph.edges.items():
        back = above[keys[number]] - {keys[graph.parents[number]]}
        if back & {keys[end] for end, _ in on}:
            return
        other = other or next(((number, name) for name in back), None)
    if other:
        number, name = other
        text = f"'graph' is {word}, but no move is ever taken back, such as one from here to"
        yield Fault("graph", f"{text} {rules.own_fields(rows[name])}:", rules.state(graph.rows[number]))
