"""The closed list of a search: its settled levels, with which later ones are compared."""

import math

from parsolve.levels.forgotten import Forgotten
from parsolve.levels.level import MergedLevel
from parsolve.levels.templates.entries import cost_of, first_of
from parsolve.levels.threads import FEW

BY_SEVERAL = {"graded": "any", "bipartite": "reversible"}
"""The graph that is assumed instead if the search starts from several states: one may be a move from another."""


class Settled:
    """The settled levels of a search whose moves may lead back, as long as a later child may lie in them.

    A level is settled once each of its keys occurs once, and in no level before. Here levels are costs, or numbers of
    moves. If each move can be taken back at the same cost, a child in level k has a parent to which a move from k
    leads. If moves from k cost at most c, the parent's level is at most k + c, and the child's at most k + 2c.

    Args:
        kind: see `Puzzle.graph`; `rising` if every move raises the level, whatever it costs.
        once: whether a state is in one level only, not in several of one cost.
        keeps: whether all levels stay, instead of only those in which a child may lie.
        is_from_several: whether the search starts from several states.

    Attributes:
        levels: by number, ascending.
        forgotten: the keys of small levels that are forgotten, although a child may lie in them.
    """

    def __init__(self, kind: str, once: bool, keeps: bool, is_from_several: bool) -> None:
        self._kind = BY_SEVERAL.get(kind, kind) if is_from_several else kind
        self._once, self.keeps = once, keeps
        self.levels, self.forgotten = dict[int, MergedLevel](), Forgotten()
        self._until: dict[int, float] = {}  # by number, the level up to which a child may lie in it
        self._all_cost_1 = True

    def next(self, number: int) -> int:
        """Return the first level of a greater cost, or if levels rise, the next one."""
        return number + 1 if self._kind == "rising" else first_of(cost_of(number) + 1)

    @property
    def stays(self) -> bool:
        """Whether no level is ever forgotten."""
        return self.keeps or self._kind == "any"

    def _add(self, number: int, dearest: float = math.inf) -> None:
        """Record that a level is settled, and that moves from it cost at most `dearest`."""
        cost = cost_of(number)
        # In a graded graph a state has one number of moves, which is its cost as long as all moves cost 1.
        graded = math.inf if self._once and not self._all_cost_1 else cost
        kinds = {"rising": -math.inf, "graded": graded, "any": math.inf}
        self._until[number] = kinds.get(self._kind, cost + 2 * dearest)

    def add(self, number: int, level: MergedLevel) -> None:
        """Add the level that is expanded next."""
        self.levels[number] = level
        self._add(number)

    def restore(self, number: int, level: MergedLevel) -> MergedLevel:
        """Return a level that an earlier run has settled, first an empty one: what its moves cost is not known."""
        self._all_cost_1 = False
        self._add(number)
        return self.levels.setdefault(number, level)

    def expanded(self, number: int, lowest: int, highest: int) -> None:
        """Record that a level is expanded, to children from the level `lowest` to `highest`, and strip it."""
        if number in self.levels:
            cost = cost_of(number)
            cheapest, dearest = (cost_of(each) - cost for each in (lowest, highest))
            self._all_cost_1 &= cheapest == dearest == 1
            self._add(number, dearest)
            self.levels[number].strip(has_rows=self.keeps)  # rows are needed again to list solutions

    def forget(self, last: int) -> None:
        """Forget the levels before the last one in which no child lies that costs more than it."""
        cost = cost_of(self.next(last))
        gone = [each for each in self.levels if each != last and self._until[each] < cost]
        for each in [] if self.keeps else gone:
            self.levels.pop(each).release()

    def forget_small(self, number: int) -> None:
        """If levels would stay for ever, forget small ones of less cost than a level: their keys are kept."""
        for each, level in [*self.levels.items()] if self.stays and not self.keeps else []:
            form, is_small = level.chains.form, level.size <= FEW and level.file is None
            has_rows = form.head > len(form.like) + form.costs  # which are compared at the end
            if is_small and not has_rows and self.next(each) <= number and self.forgotten.add(level):
                self.levels.pop(each).release()

    def before(self, number: int) -> list[MergedLevel]:
        """Return the levels that may have keys of a level already."""
        cost = cost_of(number)
        nearest = cost - (2 if self._kind == "bipartite" and self._all_cost_1 else 1)
        least = first_of(cost)
        first = number if self._once else least
        return [
            level
            for each, level in self.levels.items()
            if (cost_of(each) <= nearest or least <= each < first) and self._until[each] >= cost
        ]
