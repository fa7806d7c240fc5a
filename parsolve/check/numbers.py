"""Compare `index`, `unindex` and `entry` with each other, with the key and with the small graph."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from parsolve.check.faults import Fault, Key
from parsolve.check.graph import Graph

MOST = 2000
"""Number of states turned into numbers and back."""


class Way(NamedTuple):
    """A move from a state without a history: its cost, the number to which it leads, and the row."""

    cost: int
    number: int
    row: Any


class Numbers:
    """States by their numbers, each without a history, as made by `unindex`.

    Args:
        graph: states with their histories.

    Attributes:
        of_states: the number of each state of the graph; None if `index` gives an invalid one.
        faults: faults seen during the comparison.
    """

    def __init__(self, graph: Graph) -> None:
        self.rules, self._graph = graph.rules, graph
        self.faults: list[Fault] = []
        self._seen: dict[int, tuple[Any, Key | None]] = {}  # by number: the first row with it, and its key
        self._of_key: dict[Key, tuple[int, Any]] = {}
        self._free: dict[int, Any] = {}
        self._ways: dict[int, list[Way]] = {}
        self.of_states = [self.number(row) for row in graph.rows]

    @property
    def tried(self) -> int:
        """The number of numbers turned back into states."""
        return len(self._free)

    def number(self, row: Any) -> int | None:
        """Return the number of a row; None if it is invalid."""
        number, key = self.rules.index(row), self.rules.key(row)
        size = self.rules.problem.size or 0
        if not 0 <= number < size:
            self._fault("size", f"'index' is {number}, 'size' says below {size}", row)
            return None
        if key is not None:
            other, its_key = self._seen.setdefault(number, (row, key))
            if its_key != key:
                own = self.rules.own_fields(other)
                self._fault("numbers", f"'index' is {number} for this state and for {own}, whose keys differ:", row)
            its_number, other = self._of_key.setdefault(key, (number, row))
            if its_number != number:
                own = self.rules.own_fields(other)
                text = f"'index' is {number} for this state and {its_number} for {own}, which has the same key:"
                self._fault("numbers", text, row)
        return number

    def free(self, number: int, row: Any) -> Any:
        """Return the row that `unindex` makes from the number of a row."""
        if number not in self._free:
            self._free[number] = free = self.rules.unindex(number)
            what = f"'unindex' of {number}, the number of this state, gives {self.rules.own_fields(free)}"
            if (other := self.rules.index(free)) != number:
                self._fault("unindexed", f"{what}, whose number is {other}:", row)
            elif self.rules.key(free) != self.rules.key(row):
                self._fault("unindexed", f"{what}, whose key is another:", row)
            elif self.rules.solved(free) != self.rules.solved(row):
                self._fault("unindexed", f"{what}, but only one of them is solved:", row)
        return self._free[number]

    def ways(self, number: int, row: Any) -> list[Way]:
        """Return the moves from a state without a history, also past solved states; `row` has that number."""
        if number not in self._ways:
            free = self.free(number, row)
            ways = self._ways[number] = []
            for child in self.rules.children(free):
                to = self.number(child)
                if to is not None:
                    ways.append(Way(int(child["cost"]) - int(free["cost"]), to, child))
        return self._ways[number]

    def compare_ways(self) -> None:
        """Compare the moves from states with a history with those from the same states without one."""
        graph, numbers = self._graph, self.of_states
        nearest = graph.nearest(numbers)
        expanded = [number for number in sorted(graph.expanded) if numbers[number] is not None]
        for at in expanded[:: -(-len(expanded) // MOST)] if expanded else ():
            number, row = numbers[at], graph.rows[at]
            if number is None or graph.solved(at):
                continue
            ways = self.ways(number, row)
            what = f"{self.rules.own_fields(self.free(number, row))}, which 'unindex' gives for this state"
            given = {(way.cost, way.number) for way in ways}
            for child, cost in graph.edges[at]:
                if (cost, numbers[child]) not in given and numbers[child] is not None:
                    text = f"a move leads to {self.rules.own_fields(graph.rows[child])}, but not from {what}"
                    self._fault("ways", f"{text}, with every move open:", row)
            for way in ways:
                cost = nearest[number] + way.cost
                if cost <= graph.radius and nearest.get(way.number, cost + 1) > cost:
                    text = f"from {what}, a move leads to {self.rules.own_fields(way.row)}"
                    self._fault("ways", f"{text}, which no move from this state leads to:", row)

    def look_up_entries(self) -> None:
        """Look for a place beyond the end of the table of distances."""
        if not self.rules.plain.has("entry"):
            return
        entries = self.rules.problem.entries or 0
        for number, row in list(dict(zip(self.of_states, self._graph.rows, strict=True)).items())[:MOST]:
            if number is not None and not 0 <= (entry := self.rules.entry(number)) < entries:
                text = f"'entry' is {entry} for the number {number}, 'entries' says below {entries}"
                self._fault("entries", text, row)

    def search(self, start: Iterable[Any]) -> Iterator[tuple[int, Any, list[Way]]]:
        """Yield the states around some rows, the nearest first, without histories and past solved states: the number, a
        row and the moves of each."""
        first = ((self.number(row), row) for row in start)
        queue = deque((number, row) for number, row in first if number is not None)
        seen = {number for number, _ in queue}
        for _ in range(MOST):
            if not queue:
                return
            number, row = queue.popleft()
            ways = self.ways(number, row)
            yield number, row, ways
            for way in ways:
                if way.number not in seen:
                    seen.add(way.number)
                    queue.append((way.number, way.row))

    def _fault(self, kind: str, text: str, row: Any) -> None:
        self.faults.append(Fault(kind, text, self.rules.state(row)))
