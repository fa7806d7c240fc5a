"""A small breadth-first search that compares the bound with true distances."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from parsolve.check.compared import ComparedRules
from parsolve.check.faults import CheckReport, Fault, Key
from parsolve.errors import RuleRaised


class SmallGraph:
    """A breadth-first search by the compiled rules, cheapest states first, from the root; not past solved states.

    Args:
        rules: of the puzzle.
        most: maximum number of states.
        by_key: whether states of one key are one.

    Attributes:
        is_whole: whether all states have been reached.
        rows: the states, each with its cheapest history.
        edges: by expanded state: the number of each child, and the cost of the move; none from solved states.
        parents: by state: its parent.
        faults: the fault that ended the search, if there is one.
    """

    def __init__(self, rules: ComparedRules, most: int, by_key: bool = False) -> None:
        self.rules, self.problem, self.is_whole = rules, rules.problem, False
        self.rows: list[Any] = []
        self.edges: dict[int, list[tuple[int, int]]] = {}
        self.parents: list[int] = []
        self.faults = list(self._grow(most, by_key))

    def _grow(self, most: int, by_key: bool) -> Iterator[Fault]:
        """Reach the states; yield a fault that ends the search."""
        rules, numbers = self.rules, dict[Any, int]()
        own = [name for name in rules.dtype.names or () if name not in ("cost", "bound")]
        heap: list[tuple[int, int]] = []

        def number_of(row: Any, parent: int) -> int:
            key = rules.value(self.problem.key_rule, row) if by_key else None
            number = numbers.setdefault(key if by_key else tuple(row[name].tobytes() for name in own), len(numbers))
            if number == len(self.rows):
                self.rows.append(row)
                self.parents.append(parent)
            elif row["cost"] < self.rows[number]["cost"]:
                self.rows[number], self.parents[number] = row, parent
            else:
                return number
            heapq.heappush(heap, (int(row["cost"]), number))
            return number

        at = rules.root
        try:
            number_of(at, 0)
            while heap and len(self.rows) < most:
                _, number = heapq.heappop(heap)
                if number in self.edges:
                    continue
                at = row = self.rows[number]
                children: Sequence[Any] = [] if rules.solved(row) else list(rules.children(row))
                edges = self.edges[number] = []
                if len(children) > rules.puzzle.children:
                    yield rules.crowded(len(children), rules.state(row))
                    return
                for at in children:
                    cost = int(at["cost"]) - int(row["cost"])
                    if cost < 0:
                        text = f"the cost falls to {at['cost']} by move {at['move']}"
                        yield Fault("cost", text, rules.state(row))
                        return
                    edges.append((number_of(at, number), cost))
            self.is_whole = not heap
        except RuleRaised as error:
            yield Fault("raises", f"a rule raises {error.__cause__!r}", rules.state(at))

    def solved(self, number: int) -> bool:
        """Return whether a state is solved."""
        return self.rules.solved(self.rows[number])

    def path_to_solved(self) -> list[Any]:
        """Return the rows from the root to a solved state; the root alone if none was reached."""
        number = next((number for number in range(len(self.rows)) if self.solved(number)), 0)
        path = [self.rows[number]]
        while number:
            number = self.parents[number]
            path.append(self.rows[number])
        return path[::-1]

    def bound_faults(self, report: CheckReport) -> Iterator[Fault]:
        """Yield states whose bound exceeds the cost of a path to a solved state."""
        back: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for start, edges in self.edges.items():
            for end, cost in edges:
                back[end].append((start, cost))
        far = distances((number for number in range(len(self.rows)) if self.solved(number)), back)
        for number, cost in far.items():
            row = self.rows[number]
            if row["bound"] > cost:
                text = f"the bound {row['bound']} exceeds the distance {cost} to a solved state"
                yield Fault("bound", text, self.rules.state(row))
        report.on_solved_paths = len(far)

    def some(self, most: int) -> list[int]:
        """Return at most `most` of the expanded states, equally spaced."""
        expanded = sorted(self.edges)
        return expanded[:: max(1, -(-len(expanded) // most))]

    @cached_property
    def keys(self) -> list[Key]:
        """What searches know each state by: its key or its number."""
        return [self.rules.value(self.problem.key_rule, row) for row in self.rows]

    @cached_property
    def radius(self) -> float:
        """No state is missing up to this cost."""
        ends = (number for number in range(len(self.rows)) if number not in self.edges or self.solved(number))
        return min((int(self.rows[number]["cost"]) for number in ends), default=math.inf)

    @cached_property
    def nearest(self) -> dict[Key, int]:
        """The least cost of the states of each key."""
        nearest: dict[Key, int] = {}
        for key, row in zip(self.keys, self.rows, strict=True):
            nearest[key] = min(int(row["cost"]), nearest.get(key, int(row["cost"])))
        return nearest


def distances(starts: Iterable[Any], ways: Mapping[Any, Iterable[tuple[Any, int]]]) -> dict[Any, int]:
    """Return the least cost to each state that some states lead to, ascending."""
    heap, found = sorted((0, start) for start in starts), dict[Any, int]()
    while heap:
        cost, name = heapq.heappop(heap)
        if name not in found:
            found[name] = cost
            for to, step in ways.get(name, ()):
                heapq.heappush(heap, (cost + step, to))
    return found
