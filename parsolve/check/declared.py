"""Compare what a puzzle declares with the states of the small graph: `levels.proof` by single rules."""

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from parsolve.check.compared import ComparedRules
from parsolve.check.faults import CheckReport, Fault, Key
from parsolve.check.graph import SmallGraph, distances
from parsolve.levels.pairs import FOLLOW, SOLVED, is_unlike, unlike_states
from parsolve.levels.proof import Proof
from parsolve.levels.states import Coding, Misdeclared
from parsolve.problem.data import Array
from parsolve.tables.databases import supply

MOST_CODED = 1000
"""Number of states turned into keys or numbers and back."""

AT_ONCE = 100
"""States that are compared at once."""

NAMES = ("key", "unkey"), ("index", "unindex")
"""The rules that give a key or a number, and the way back from it."""

CLOSE = 2
"""States that are checked closely at each step from the root, and from the goals."""


class RuleCoding(Coding):
    """States by key or by number, by single rules; an id is the place of a key in a list.

    Args:
        rules: the puzzle's.
        names: the rules that give the key or number of a state, and the way back.
        like: another coding with the same ids.
    """

    def __init__(self, rules: ComparedRules, names: tuple[str, str], like: "RuleCoding | None" = None) -> None:
        super().__init__(rules.problem)
        self.rules, self.names = rules, names
        self.keys: list[Key] = like.keys if like else []
        self._ids: dict[Key, int] = like._ids if like else {}
        self._made = functools.cache(lambda number: rules.made(names[1], self.keys[number]))

    def look(self, rows: Array) -> tuple[Array, Array]:
        return self._ids_of(rows), self._solved(rows)

    def shown(self, number: int) -> Any:
        return self.keys[number]

    def keys_of(self, rows: Array) -> Array:
        keys = [self.rules.value("key", row) for row in rows if self.rules.plain.has("key")]
        return np.array(keys, np.uint64).reshape(len(rows), -1 if keys else 0)

    def states_of(self, ids: Array) -> tuple[Array, Array]:
        rows = np.array([self._made(number) for number in ids.tolist()], self.problem.state)
        return rows, self._solved(rows)

    def children(self, rows: Array, past_solved: bool) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the children of each state; see `Coding.children`."""
        for at, row in enumerate(rows):
            if past_solved or not self.rules.solved(row):
                children = self.rules.children(row)
                yield children, np.full(len(children), at), self._ids_of(children)

    def _solved(self, rows: Array) -> Array:
        return np.array([self.rules.solved(row) for row in rows], np.bool_)

    def _ids_of(self, rows: Any) -> Array:
        return np.array([self._id_of(row) for row in rows], np.uint64).reshape(-1, 1)

    def _id_of(self, row: Any) -> int:
        there, _ = self.names
        key, size = self.rules.value(there, row), self.problem.size
        if there == "index" and not self.rules.plain.is_number(key):
            raise Misdeclared(self.problem, f"'index' is {key}, 'size' says below {size}", "size", row)
        if key not in self._ids:
            self._ids[key] = len(self.keys)
            self.keys.append(key)
        return self._ids[key]


def declared_faults(graph: SmallGraph, goals: list[Any], report: CheckReport) -> Iterator[Fault]:
    """Yield what is wrong with keys, numbers, levels, `graph` and `inverse_puzzle`; `goals` are rows."""
    rules, problem = graph.rules, graph.problem
    possible = NAMES if problem.size else NAMES[:1]
    codings = [RuleCoding(rules, names) for names in possible if all(map(rules.plain.has, names))]
    for coding in codings:
        try:
            _prove(graph, coding)
            if coding is codings[-1]:
                _follow(graph, coding, goals)
        except Misdeclared as error:
            yield declaration_fault(error, rules)
        if coding.names[0] == "index":
            report.numbered = len(coding.keys)
            yield from _number_faults(graph)
    if problem.key_rule:
        yield from _merge_faults(graph, report)
        yield from _graph_faults(graph)
    if rules.plain.has("level"):
        yield from _level_faults(graph)


def declaration_fault(error: Misdeclared, rules: ComparedRules) -> Fault:
    """Return the fault of a wrong declaration."""
    return Fault(error.kind, *((error.text,) if error.row is None else (f"{error.text}:", rules.state(error.row))))


def _prove(graph: SmallGraph, coding: RuleCoding) -> None:
    """Compare states with those made from their keys or numbers."""
    proof, some = Proof(coding, 1, False), graph.some(MOST_CODED)
    for places in (some[first : first + AT_ONCE] for first in range(0, len(some), AT_ONCE)):
        rows = np.array([graph.rows[at] for at in places])
        ids, solved = coding.look(rows)
        free, _ = proof.compare(rows, ids[:, 0], solved)
        if coding.names[0] == "index":
            _refuse_more_moves(graph, places, free)


def _follow(graph: SmallGraph, coding: RuleCoding, goals: list[Any]) -> None:
    """Check the ways back, step after step from the root and from the goals."""
    problem, ends = graph.problem, np.array(goals, graph.rules.dtype)
    back = problem.inverse
    if back is None:
        Proof(coding, 1, False).follow(problem.root, None, CLOSE)
        if problem.graph in ("reversible", "bipartite"):
            Proof(coding, 1, True).follow(ends, None, CLOSE)
        return
    rules = ComparedRules(supply(back))
    rules.compile()
    opposite = RuleCoding(rules, coding.names, coding)
    known = coding.ids_of(ends)
    solved = np.array([row for number, row in enumerate(graph.rows) if graph.solved(number)], graph.rules.dtype)
    for row in solved[~np.isin(coding.ids_of(solved), known)]:
        raise Misdeclared(problem, "'goals' lacks this solved state", "goals", row)
    Proof(coding, 1, False, opposite).follow(problem.root, known, CLOSE)
    Proof(opposite, 1, False, coding).follow(ends, None, CLOSE)


def _refuse_more_moves(graph: SmallGraph, places: Iterable[int], free: Array) -> None:
    """Refuse a state made from a number from which a move leads farther than from any state of that key."""
    rules, problem, nearest = graph.rules, graph.problem, graph.nearest
    for at, row in zip(places, free, strict=True):
        for child in [] if graph.solved(at) else rules.children(row):
            cost = nearest[graph.keys[at]] + int(child["cost"]) - int(row["cost"])
            if cost <= graph.radius and nearest.get(rules.value(problem.key_rule, child), cost + 1) > cost:
                text = f"from {rules.text(row)}, made for this state, a move leads to {rules.text(child)}"
                raise Misdeclared(problem, f"{text}, which no move from this state leads to", "moves", graph.rows[at])


def _number_faults(graph: SmallGraph) -> Iterator[Fault]:
    """Yield states of one key and several numbers, and a place beyond the end of the table of distances."""
    rules, entries = graph.rules, graph.problem.entries or 0
    first: dict[Any, tuple[Any, Any]] = {}
    for at in graph.some(MOST_CODED):
        row = graph.rows[at]
        number = rules.value("index", row)
        if rules.plain.has("key"):
            other, its_row = first.setdefault(rules.value("key", row), (number, row))
            if other != number:
                text = f"'index' is {number} for this state and {other} for {rules.text(its_row)}"
                yield Fault("numbers", f"{text}, which has the same key:", rules.state(row))
        if rules.plain.has("entry") and not 0 <= (entry := rules.entry(number)) < entries:
            text = f"'entry' is {entry} for the number {number}, 'entries' says below {entries}"
            yield Fault("entries", text, rules.state(row))


def _merge_faults(graph: SmallGraph, report: CheckReport) -> Iterator[Fault]:
    """Yield states of one key that are not the same; see `levels.pairs`."""
    names, nearest, first = graph.keys, graph.nearest, dict[Any, int]()
    for at in sorted(graph.edges):
        other = first.setdefault(names[at], at)
        if other == at:
            continue
        report.key_pairs += 1
        back = {names[graph.parents[each]] for each in (at, other) if each}
        ways, others = ([(step, names[end]) for end, step in graph.edges[each]] for each in (at, other))
        why = SOLVED if graph.solved(at) != graph.solved(other) else ""
        if why or is_unlike(nearest[names[at]], ways, others, nearest, back):
            pair = graph.rows[other], graph.rows[at]
            yield declaration_fault(unlike_states(graph.problem, pair, why or FOLLOW), graph.rules)


def _graph_faults(graph: SmallGraph) -> Iterator[Fault]:
    """Yield states that are reached by two numbers of moves that a graded or bipartite graph excludes, or farther than
    a reversible one allows.

    A rule may leave out single ways back, so only all states together prove something.
    """
    rules, keys, nearest, word = graph.rules, graph.keys, graph.nearest, graph.problem.graph
    rows = dict(zip(reversed(keys), reversed(graph.rows), strict=True))
    ways, above = defaultdict[Any, list[Any]](list), defaultdict[Any, set[Any]](set)
    for number, on in graph.edges.items():
        ways[keys[number]] += [(keys[end], cost) for end, cost in on]
        for end, _ in on:
            above[keys[end]].add(keys[number])
    says = f"'graph' is {word}, but"
    once = {name: [(to, 1) for to, _ in on] for name, on in ways.items()}
    steps = distances(keys[:1], once) if word in ("graded", "bipartite") else {}
    for name, on in ways.items():
        for to, cost in on:
            more = steps.get(name, 0) + 1 - steps.get(to, 1)
            if name in steps and (more % 2 or (more and word == "graded")):
                text = f"{says} {steps[to]} moves lead to this state, and {steps[name] + 1} as well:"
                yield Fault("graph", text, rules.state(rows[to]))
                return
            if word in ("reversible", "bipartite") and nearest[to] + cost < nearest[name] <= graph.radius:
                text = f"{says} a move of cost {cost} leads to {rules.text(rows[to])}, which is reached at cost"
                text += f" {nearest[to]}, and this state only at {nearest[name]}:"
                yield Fault("graph", text, rules.state(rows[name]))
                return
    other = None
    for number, on in graph.edges.items() if word in ("reversible", "bipartite") else ():
        back = above[keys[number]] - {keys[graph.parents[number]]}
        if back & {keys[end] for end, _ in on}:
            return
        other = other or next(((number, name) for name in back if on), None)
    if other:
        number, name = other
        text = f"{says} no move is ever taken back, such as one from here to {rules.text(rows[name])}:"
        yield Fault("graph", text, rules.state(graph.rows[number]))


def _level_faults(graph: SmallGraph) -> Iterator[Fault]:
    """Yield moves that do not raise the level, and states with one key and different levels."""
    rules, first = graph.rules, dict[Any, int]()
    levels: list[Any] = [rules.value("level", row) for row in graph.rows]
    for at in sorted(graph.edges):
        other = first.setdefault(graph.keys[at], at)
        if levels[other] != levels[at]:
            text = f"'level' is {levels[at]} at this state, {levels[other]} at another one with its key:"
            yield Fault("leveled", text, rules.state(graph.rows[at]))
        for child, _ in graph.edges[at]:
            if levels[child] <= levels[at]:
                text = f"'level' does not rise from {levels[at]} by a move that leads to level {levels[child]}"
                yield Fault("level", text, rules.state(graph.rows[at]))
