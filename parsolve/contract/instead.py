"""Instead: other puzzles that give the answer sooner, or are shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from parsolve.contract.group import Group, Rule
from parsolve.contract.pictures import State

Want = Literal["all", "count", "first", "any"]
"""Every cheapest solution, their number, the first in depth-first order, or any up to a limit, cheapest or not."""


@dataclass(frozen=True)
class Better:
    """A puzzle with a better lower bound and no other difference, and when its pattern databases pay.

    Attributes:
        puzzle: returns it; its class says `bounds_only`.
        after: how many nodes an iteration must have visited before it pays to build them.
        kept: the same where they are at hand, and mapped at no cost.
    """

    puzzle: Callable[[], Any]
    after: int
    kept: int


@dataclass(frozen=True)
class Counting:
    """Another puzzle to search instead, with the same answer, sooner.

    Where its class has the rule `weight`, it only counts, by deepening.

    Attributes:
        puzzle: what is searched.
        total: the number of solutions, from the sum of the weights of all solved states. It never falls when the sum
            rises.
        warning: what the user should know before the search, such as that it takes days, from the number of workers; or
            nothing.
        breadth: what breadth-first search takes instead; by default the puzzle itself.
        better: puzzles whose pattern databases take longer than a small search, the best bound last. Deepening takes
            the best that pays from the next limit on, and may take a still better one later.
    """

    puzzle: Any
    total: Callable[[int], int] = int
    warning: Callable[[int], str] = lambda workers: ""
    breadth: Any = None
    better: Sequence[Better] = ()


@dataclass(frozen=True)
class Exploring:
    """What `parsolve explore` counts the states of, and how it shows them.

    Attributes:
        puzzle: whose states are counted.
        measure: what changes with the depth, such as pegs; empty if there is nothing to show beside it.
        at: returns the measure at a depth.
        in_all: returns how many states some keys, uint64[n], stand for, of a puzzle with `unkey` whose `key` merges
            images of one another; None if each is one state.
        findings: returns what else the farthest states tell, by name.
    """

    puzzle: Any
    measure: str = ""
    at: Callable[[int], int] = int
    in_all: Callable[[Any], int] | None = None
    findings: Callable[[Sequence[State]], Mapping[str, Sequence[str]]] = lambda farthest: {}


class InsteadMixin:
    """Other puzzles that are counted, explored or searched one after another instead of this one."""

    weight: ClassVar[Callable[..., Any] | None] = None
    """`weight(tables, here) -> (solutions, nodes)`, optional, of a class that `counting` names: how many solutions a
    solved state stands for, below 2^63, and how many more nodes were visited to count them."""

    bounds_only: ClassVar[bool] = False
    """Of a class that `counting` names: whether it differs from the puzzle by its lower bound alone, its moves having
    the same codes. Then a stopped search can be resumed with another bound."""

    def counting(self, want: Want) -> Counting | None:
        """Return another puzzle to search where `want` is wanted; None to search this one."""
        return None

    def sharing(self) -> Any:
        """Return a puzzle with as many solutions, at the same cost, which the engine `sharing` counts instead; by
        default this one. Its moves may be others: then there is `unshared`, too."""
        return self

    @property
    def multiplicity(self) -> int:
        """Of a puzzle that `sharing` returns: how many of its solutions stand for one of the other puzzle. Where that
        is more than 1, they are only counted."""
        return 1

    def unshared(self, moves: Sequence[int]) -> Sequence[int]:
        """Return the moves of a solution, from those of one of the puzzle that `sharing` returns; by default the same.
        Their order is free where only one of those left is a move from each state."""
        return moves

    def exploring(self) -> Exploring:
        """Return what `parsolve explore` shows the states of; by default this puzzle."""
        return Exploring(self)

    def variants(self) -> Iterable[Any]:
        """Return the puzzles that `parsolve table` searches one after another, such as every start and goal of a board,
        those once that are images of one another; by default this one alone."""
        return (self,)


INSTEAD = Group(
    "other puzzles instead",
    InsteadMixin,
    {"weight": Rule(("tables", "here"), "two whole numbers", "end it with 'return' and two numbers")},
)
