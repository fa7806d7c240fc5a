"""The settled levels of a search whose moves may lead back, as long as a later child may lie in them.

A level is settled once each of its keys occurs once, and in no level before. Here levels are costs, or numbers of
moves. If each move can be taken back at the same cost, a child in level k has a parent to which a move from k leads. If
moves from k cost at most c, the parent's level is at most k + c, and the child's at most k + 2c.
"""

import math
from collections.abc import Iterator

from parsolve.levels.chains import Level

BY_SEVERAL = {"graded": "any", "bipartite": "reversible"}
"""The graph that is assumed instead if the search starts from several states: one may be a move from another."""


class Graph:
    """The settled levels, as long as a later child may lie in them.

    Args:
        kind: see `Puzzle.graph`.
        dearest: the greatest cost of a move, if it is known before the search.

    Attributes:
        levels: by number, ascending.
        keeps: whether all levels stay, instead of only those in which a child may lie.
        is_from_several: whether the search starts from several states.
    """

    def __init__(self, kind: str, dearest: float = math.inf) -> None:
        self._kind, self._dearest = kind, dearest
        self.keeps = self.is_from_several = False
        self.levels: dict[int, Level] = {}
        self._until: dict[int, float] = {}
        """By number, the level up to which a child may lie in it."""
        self._last: int | None = None
        self._all_cost_1 = True

    @property
    def kind(self) -> str:
        """The kind of the graph, as seen from where the search starts."""
        return BY_SEVERAL.get(self._kind, self._kind) if self.is_from_several else self._kind

    @property
    def stays(self) -> bool:
        """Whether no level is ever forgotten."""
        return self.keeps or self.kind == "any"

    def _add(self, number: int, dearest: float) -> None:
        """Record that a level is settled, and that moves from it cost at most `dearest`."""
        self._until[number] = {"graded": number, "any": math.inf}.get(self.kind, number + 2 * dearest)

    def add(self, number: int, level: Level) -> None:
        """Add the level that is expanded next."""
        self.levels[number], self._last = level, number
        self._add(number, self._dearest)

    def restore(self, number: int) -> Level:
        """Return a level that an earlier run has settled: what its moves cost is known only if it always was."""
        self._all_cost_1 &= self._dearest == 1
        self._add(number, self._dearest)
        return self.levels.setdefault(number, Level())

    def expanded(self, highest: int) -> None:
        """Record that the last level is expanded.

        Args:
            highest: the highest level of a child.
        """
        if self._last is not None:
            self._all_cost_1 &= highest - self._last == 1
            self._add(self._last, highest - self._last)

    def passed(self, number: int) -> Iterator[Level]:
        """Yield and forget the levels in which no child lies that is in this level or a later one."""
        gone = [each for each in self.levels if each != self._last and self._until[each] < number]
        for each in [] if self.keeps else gone:
            yield self.levels.pop(each)

    def before(self, number: int) -> list[Level]:
        """Return the levels that may have keys of a level already."""
        nearest = number - (2 if self.kind == "bipartite" and self._all_cost_1 else 1)
        return [level for each, level in self.levels.items() if each <= nearest and self._until[each] >= number]
