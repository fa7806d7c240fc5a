"""Instead: other puzzles that give the answer sooner, or are shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from parsolve.contract.group import Group, Rule, either
from parsolve.contract.pictures import State

Want = Literal["all", "count", "first", "any"]
"""All cheapest solutions, their number, the first in depth-first order, or any up to a limit, cheapest or not."""


@dataclass(frozen=True)
class Better:
    """A puzzle with a better lower bound and no other difference, and when its pattern databases pay.

    Attributes:
        puzzle: returns the puzzle; its class sets `bounds_only`.
        after: number of nodes of an iteration after which it pays to build its pattern databases.
        kept: the same if they are available and mapped at no cost.
    """

    puzzle: Callable[[], Any]
    after: int
    kept: int


@dataclass(frozen=True)
class Counting:
    """Another puzzle with the same answer, to search instead because it is faster.

    If its class has the rule `weight`, it only counts, by deepening.

    Attributes:
        puzzle: the puzzle that is searched.
        total: the number of solutions, from the sum of the weights of all solved states. It must not fall when the sum
            rises.
        warning: returns what the user should know before the search, for example that it takes days, from the number of
            workers; or nothing.
        breadth: the puzzle for breadth-first search; by default the original one.
        better: puzzles whose pattern databases take longer than a small search, the best bound last. Deepening takes
            the best that pays from the next limit on, and may take a better one later.
    """

    puzzle: Any
    total: Callable[[int], int] = int
    warning: Callable[[int], str] = lambda workers: ""
    breadth: Any = None
    better: Sequence[Better] = ()


@dataclass(frozen=True)
class Exploring:
    """The puzzle whose states `parsolve explore` counts, and how it shows them.

    Attributes:
        puzzle: the puzzle.
        measure: a quantity that changes with the depth, such as pegs; empty for none.
        at: returns the measure at a depth.
        in_all: returns how many states some keys, uint64[n], represent, if the puzzle has `unkey` and its `key` merges
            symmetric states; None if each represents one.
        findings: returns further facts about the farthest states, by name.
    """

    puzzle: Any
    measure: str = ""
    at: Callable[[int], int] = int
    in_all: Callable[[Any], int] | None = None
    findings: Callable[[Sequence[State]], Mapping[str, Sequence[str]]] = lambda farthest: {}


class InsteadMixin:
    """Other puzzles that are counted or explored instead of this one."""

    weight: Callable[..., Any] | None = None
    """`weight(tables, here) -> (solutions, nodes)`, optional, of a class named by `counting`: how many solutions a
    solved state represents, below 2^63, and how many further nodes were visited to count them."""

    bounds_only: ClassVar[bool] = False
    """Of a class named by `counting`: whether only its lower bound differs from the puzzle's, and moves have the same
    codes. Then a stopped search can be resumed with another bound."""

    def counting(self, want: Want) -> Counting | None:
        """Return another puzzle to search if `want` is wanted; None to search this one."""
        return None

    def sharing(self) -> Any:
        """Return a puzzle with as many solutions, at the same cost, which the engine `sharing` counts instead; by
        default this one. If its moves differ, `unshared` is needed too."""
        return self

    @either
    def multiplicity(self) -> int:
        """Of a puzzle that `sharing` returns: how many of its solutions represent one of the original puzzle. If more
        than 1, solutions are only counted."""
        return 1

    def unshared(self, moves: Sequence[int]) -> Sequence[int]:
        """Return the moves of a solution, from the moves of a solution of the puzzle that `sharing` returns; by default
        the same. They may be in any order if in each state only one of the moves left is possible."""
        return moves

    def exploring(self) -> Exploring:
        """Return the puzzle whose states `parsolve explore` shows, with its display; by default this puzzle."""
        return Exploring(self)


INSTEAD = Group(
    "other puzzles instead",
    InsteadMixin,
    {"weight": Rule(("tables", "here"), "two whole numbers", "end it with 'return' and two numbers")},
)
