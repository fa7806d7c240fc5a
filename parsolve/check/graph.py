"""A small breadth-first search that holds bound and key against true distances and ways on."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from parsolve.check.faults import Fault, Report
from parsolve.check.rules import Rules
from parsolve.errors import RuleRaised


class Graph:
    """A breadth-first search by the compiled rules, cheapest states first, from the root."""

    def __init__(self, rules: Rules, most: int) -> None:
        self.rules = rules
        self.rows: list[Any] = []
        self.faults: list[tuple[str, Fault]] = []
        self._costs: list[int] = []
        self._parents: list[int] = []
        self._known_solved: dict[int, bool] = {}
        self._edges: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by state: (child, cost of the move)
        numbers: dict[tuple[bytes, ...], int] = {}
        own = [name for name in rules.names if name not in ("cost", "bound")]
        heap: list[tuple[int, int]] = []

        def number_of(row: Any, parent: int) -> int:
            identity = tuple(row[name].tobytes() for name in own)
            if identity not in numbers:
                numbers[identity] = len(self.rows)
                self.rows.append(row)
                self._costs.append(int(row["cost"]))
                self._parents.append(parent)
                heapq.heappush(heap, (int(row["cost"]), numbers[identity]))
            return numbers[identity]

        number_of(rules.root, 0)
        self._expanded: set[int] = set()
        while heap and len(self.rows) < most:
            _, number = heapq.heappop(heap)
            row = self.rows[number]
            self._expanded.add(number)
            if self._solved(number):
                continue
            try:
                children = rules.children(row)
            except RuleRaised as error:
                self._raised(number, error)
                continue
            if len(children) > rules.puzzle.children:
                text = f"'expand' gives {len(children)} children, 'children' says at most {rules.puzzle.children}"
                self.faults.append(("children", Fault(text, rules.state(row))))
                break
            for child in children:
                cost = int(child["cost"]) - int(row["cost"])
                if cost < 0:
                    text = f"the cost falls to {child['cost']} by move {child['move']}"
                    self.faults.append(("cost", Fault(text, rules.state(row))))
                    return
                self._edges[number].append((number_of(child, number), cost))

    def _solved(self, number: int) -> bool:
        if number not in self._known_solved:
            try:
                self._known_solved[number] = self.rules.solved(self.rows[number])
            except RuleRaised as error:
                self._raised(number, error)
                self._known_solved[number] = False
        return self._known_solved[number]

    def moves_to_solved(self) -> list[int]:
        """Return the moves of a path to a solved state, empty where none was reached."""
        moves: list[int] = []
        number = next((number for number in range(len(self.rows)) if self._solved(number)), 0)
        while number:
            moves.append(int(self.rows[number]["move"]))
            number = self._parents[number]
        return moves[::-1]

    def _raised(self, number: int, error: RuleRaised) -> None:
        self.faults.append(("raises", Fault(f"a rule raises {error.__cause__!r}", self.rules.state(self.rows[number]))))
        self._expanded.discard(number)

    def bound_faults(self, report: Report) -> Iterator[tuple[str, Fault]]:
        """States whose bound exceeds the cost of a path to a solved state."""
        back: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for start, edges in self._edges.items():
            for end, cost in edges:
                back[end].append((start, cost))
        heap = [(0, number) for number in range(len(self.rows)) if self._solved(number)]
        seen: set[int] = set()
        while heap:
            far, number = heapq.heappop(heap)
            if number in seen:
                continue
            seen.add(number)
            row = self.rows[number]
            if row["bound"] > far:
                text = f"the bound {row['bound']} exceeds the distance {far} to a solved state"
                yield "bound", Fault(text, self.rules.state(row))
            for start, cost in back[number]:
                heapq.heappush(heap, (far + cost, start))
        report.on_solved_paths = len(seen)

    def key_faults(self, report: Report) -> Iterator[tuple[str, Fault]]:
        """States with one key and different ways on. Ways to what can be reached at less cost do not count, nor
        do ways back: a rule may leave out what no cheapest solution takes."""
        if self.rules.puzzle.key is None:
            return
        keys = [self.rules.key(row) for row in self.rows]
        nearest: dict[int | None, int] = {}
        for key, cost in zip(keys, self._costs, strict=True):
            nearest[key] = min(cost, nearest.get(key, cost))

        def ways(number: int, back: set[int | None]) -> Counter[tuple[int, int | None]]:
            near = nearest[keys[number]]
            on = ((step, keys[end]) for end, step in self._edges[number])
            return Counter((step, key) for step, key in on if nearest[key] >= near + step and key not in back)

        first: dict[int | None, int] = {}
        for number in sorted(self._expanded):
            other = first.setdefault(keys[number], number)
            if other == number:
                continue
            report.key_pairs += 1
            if self._solved(number) != self._solved(other):
                yield "merge", self._merge(number, other, "only one of them is solved")
            back = {keys[self._parents[each]] for each in (number, other) if each}
            if ways(number, back) != ways(other, back):
                yield "merge", self._merge(number, other, "other states follow them")

    def _merge(self, number: int, other: int, why: str) -> Fault:
        states = [self.rules.state(self.rows[each]) for each in (number, other)]
        differing = {name: value for name, value in states[1].items() if name in self.rules.problem.own_fields}
        return Fault(f"'key' merges this state with {differing}, but {why}:", states[0])
