"""Compare the way back from a key, and moves reversed or taken back, with the states of the small graph."""

from collections.abc import Iterator

from parsolve.check.faults import Fault, Key
from parsolve.check.graph import Graph
from parsolve.check.plain import fault_of
from parsolve.check.rules import Rules
from parsolve.check.standins import Misuse
from parsolve.tables.databases import supply

MOST = 2000
"""Number of states turned into keys and back."""


def _some(graph: Graph) -> list[int]:
    """Return the places of at most `MOST` expanded states, equally spaced."""
    expanded = sorted(graph.expanded)
    return expanded[:: max(1, -(-len(expanded) // MOST))]


def unkey_faults(graph: Graph) -> Iterator[Fault]:
    """Yield the faults of the states that `unkey` makes."""
    rules = graph.rules
    if not rules.plain.has("unkey"):
        return
    for at in _some(graph):
        row, key = graph.rows[at], graph.keys[at]
        state = rules.state(row)
        assert key is not None
        free = rules.unkey(key)
        gives = f"'unkey' of {key}, the key of this state, gives"
        what = f"{gives} {rules.own_fields(free)}"
        try:
            plain, made = rules.plain.unkey(key), rules.state(free)
        except Misuse as error:
            yield fault_of(error, state)
            return
        if plain != made:
            yield Fault("unkey", f"{gives} {plain} as Python, {made} compiled", state)
        if (other := rules.key(free)) != key:
            yield Fault("unkeyed", f"{what}, whose key is {other}:", state)
            continue
        if rules.solved(free) != rules.solved(row):
            yield Fault("unkeyed", f"{what}, but only one of them is solved:", state)
        if graph.solved(at):
            continue
        ways = {(int(child["cost"]) - int(free["cost"]), rules.key(child)) for child in rules.children(free)}
        for child, cost in graph.edges[at]:
            if (cost, graph.keys[child]) not in ways:
                text = f"a move leads to {rules.own_fields(graph.rows[child])}, but not from {rules.own_fields(free)}"
                yield Fault("unkeyed", f"{text}, which 'unkey' gives for this state, with every move open:", state)


def level_faults(graph: Graph) -> Iterator[Fault]:
    """Yield moves that do not raise the level, and states with one key and different levels."""
    rules = graph.rules
    if not rules.plain.has("level"):
        return
    levels = [rules.level(row) for row in graph.rows]
    first: dict[Key | None, int] = {}
    for at in sorted(graph.expanded):
        other = first.setdefault(graph.keys[at], at)
        if levels[other] != levels[at]:
            text = f"'level' is {levels[at]} at this state, {levels[other]} at another one with its key:"
            yield Fault("leveled", text, rules.state(graph.rows[at]))
        for child, _ in [] if graph.solved(at) else graph.edges[at]:
            if levels[child] <= levels[at]:
                text = f"'level' does not rise from {levels[at]} by a move that leads to level {levels[child]}"
                yield Fault("level", text, rules.state(graph.rows[at]))


def reverse_faults(graph: Graph) -> Iterator[Fault]:
    """Yield the faults of the images made by `reverse`: of states, and of the moves between them."""
    rules = graph.rules
    if not rules.plain.has("reverse"):
        return
    for at in _some(graph):
        row, state = graph.rows[at], rules.state(graph.rows[at])
        image = rules.reverse(row)
        what = f"'reverse' gives {rules.own_fields(image)} for this state"
        try:
            plain, made = rules.plain.reverse(state), rules.state(image)
        except Misuse as error:
            yield fault_of(error, state)
            return
        if plain != made:
            yield Fault("reverse", f"'reverse' gives {plain} as Python, {made} compiled", state)
        if rules.key(rules.reverse(image)) != graph.keys[at]:
            yield Fault("reversed", f"{what}, whose image is another state:", state)
        if graph.solved(at):
            continue
        for child, _ in graph.edges[at]:
            back = rules.reverse(graph.rows[child])
            if rules.key(image) not in map(rules.key, rules.children(back)):
                text = f"a move leads to {rules.own_fields(graph.rows[child])}, whose image is {rules.own_fields(back)}"
                yield Fault("reversed", f"{text}, but {what}, to which no move leads from there:", state)


def taken_back_faults(graph: Graph) -> Iterator[Fault]:
    """Yield moves without a way back in the puzzle from `taken_back`, moves of that puzzle without a way back in this
    one, and solved states that are not among its first states."""
    problem = graph.rules.problem
    back = problem.taken_back
    if back is None:
        return
    goals = {graph.rules.key(row) for row in problem.goals()}
    for at in sorted(graph.expanded):
        if graph.solved(at) and graph.keys[at] not in goals:
            yield Fault("goals", "'goals' lacks this solved state:", graph.rules.state(graph.rows[at]))
    rules = Rules(supply(back))
    rules.compile()
    yield from _without_way_back(graph, rules)
    yield from _without_way_back(Graph(rules, MOST), graph.rules)


def _without_way_back(graph: Graph, other: Rules) -> Iterator[Fault]:
    leads_to: dict[Key, set[Key | None]] = {}  # many moves lead to the same state
    for at in _some(graph):
        for child, _ in [] if graph.solved(at) else graph.edges[at]:
            key = graph.keys[child]
            assert key is not None
            if key not in leads_to:
                leads_to[key] = set(map(other.key, other.children(other.unkey(key))))
            if graph.keys[at] not in leads_to[key]:
                names = graph.rules.problem.name, graph.rules.own_fields(graph.rows[child]), other.problem.name
                text = "a move of {} leads to {}, and none of {}, as 'taken_back' says, back to this state:"
                yield Fault("taken_back", text.format(*names), graph.rules.state(graph.rows[at]))
