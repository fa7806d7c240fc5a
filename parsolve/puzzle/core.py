"""The contract between a puzzle and the engine: its core, which the author of a puzzle reads first.

A puzzle is a frozen dataclass that derives from `Puzzle`. Its fields are its parameters, made by `parameter`. Its rules
(`expand`, `solved` and, optionally, `key`) are static methods that the engine compiles with numba: plain functions on
numbers, arrays and rows, which may call other plain functions. The optional parts of the contract are in
`members`, in groups.
"""

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from parsolve.puzzle.catalogue import Instance
from parsolve.puzzle.members import (
    GROUPS,
    Better,
    Counting,
    Exploring,
    Graph,
    Members,
    Roots,
    Rule,
    State,
    Want,
    either,
    with_fewer,
)
from parsolve.puzzle.parameters import PuzzleType, Text, parameter, refuse_reserved
from parsolve.puzzle.shapes import Shape

__all__ = [
    "GROUPS",
    "Better",
    "Counting",
    "EngineName",
    "Exploring",
    "Graph",
    "Instance",
    "NoTables",
    "Puzzle",
    "Roots",
    "Shape",
    "State",
    "Text",
    "Want",
    "parameter",
]

EngineName = Literal["deepening", "breadth", "both", "sharing"]

SINGLE = frozenset({"first", "any"})
"""The wants of a single solution without a count."""


class NoTables(NamedTuple):
    """The tables of a puzzle without lookups."""

    nothing: int = 0


class Puzzle(Members, metaclass=PuzzleType):
    """Base class of all puzzles. See the README's tutorial for one in 40 lines.

    A solution is a path of moves from the root that ends at its first solved state. Two moves to the same state are two
    solutions; a move that changes nothing is not allowed.
    """

    @either
    def state(self) -> Any:
        """Structured `numpy.dtype` of a state: a class variable, or a property if it depends on the parameters.

        Its fields are unsigned integers or arrays of them: `move`, the code of the move that led here (2 bytes at
        most); if solutions differ in cost, `cost`, the cost so far; if there is a lower bound on the remaining cost,
        `bound`, which may never be too high (both 4 bytes at most); and the puzzle's own fields."""
        raise NotImplementedError

    @either
    def children(self) -> int:
        """The maximum number of children of a state: a class variable or a property."""
        raise NotImplementedError

    @either
    def default_engine(self) -> EngineName:
        """The engine that `solve` uses by default. Deepening alone never ends on an unsolvable puzzle whose moves go in
        circles."""
        return "deepening"

    @either
    def default_transposition(self) -> int:
        """Default bytes of the transposition table, which needs a key; 0 if it does not pay."""
        return 0

    expand: Callable[..., Any]
    """`expand(tables, here, limit, rows, top) -> top`: write each child of the state `here` that can still
    meet `limit` (cost + bound <= limit) into `rows[top]` and step `top`. Every field of a child is written.
    Children come in a fixed order; `move` is different for each child of a state and grows in that order.
    Writing into `rows[top]` without stepping is allowed: it drops the child without a branch."""

    solved: Callable[..., Any]
    """`solved(tables, here) -> bool`."""

    @with_fewer
    def root(self, *distances: Any) -> dict[str, Any]:
        """Return the fields of the first state; missing ones are 0.

        Args:
            distances: the table of each abstraction.
        """
        raise NotImplementedError

    @with_fewer
    def tables(self, *distances: Any) -> tuple[Any, ...]:
        """Return a NamedTuple with the arrays and numbers that the rules look up.

        Args:
            distances: the table of each abstraction.
        """
        return NoTables()

    def limits(self) -> Iterable[int]:
        """Return the limits to try, ascending: by default every whole number, without end. The search skips those below
        the root's cost + bound."""
        return itertools.count()

    jumps: ClassVar[bool] = False
    """Whether a limit is followed by the first one that reaches the least cost + bound that it has cut off (IDA*), not
    by the next: for costs that are far apart. A greater limit then leaves a state the same children, and more."""

    def steps(self, limit: int) -> int:
        """Return the maximum number of moves within `limit`; by default it is not known."""
        return limit

    def show(self, solution: Any) -> str:
        """Return a solution as text; by default its moves.

        Args:
            solution: a `parsolve.Solution`, with its `moves` and the `states` along it.
        """
        return " ".join(map(str, solution.moves))

    @classmethod
    def instances(cls) -> Mapping[str, Mapping[str, Any] | Instance]:
        """Return named instances: their parameters by name, or an `Instance` with a description. `PUZZLE:NAME` means
        one wherever a puzzle is named, such as `my_puzzle.py:LightsOut:small`; by default there are none."""
        return {}

    def unsolvable(self) -> str:
        """Return why there is no solution, if that is known without a search; by default nothing. Then nothing is
        searched, and the answer is that there is none."""
        return ""

    def hint(self) -> str:
        """Return an explanation and advice if the number of solutions may surprise; by default nothing."""
        return ""

    def overview(self) -> str:
        """Return what `parsolve describe` shows of the puzzle with these parameters, such as its board; by default
        nothing, and then the root is drawn."""
        return ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A parameter called `size` or `entries` has another meaning, or the same.
        refuse_reserved(cls, inspect.get_annotations(cls), {*CORE, *dir(Puzzle)} - {"size", "entries"})


CORE = {
    "expand": Rule(("tables", "here", "limit", "rows", "top"), "top, a whole number", "end it with 'return top'"),
    "solved": Rule(("tables", "here"), "True or False", "write 'return' before what says whether a state is solved"),
}
"""The required rules."""

RULES = CORE | {name: rule for group in GROUPS for name, rule in group.rules.items()}
"""All rules that a puzzle class may have, by name."""
