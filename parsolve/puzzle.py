"""The contract between a puzzle and the engine: its core, which the author of a puzzle reads first.

A puzzle is a frozen dataclass that derives from `Puzzle`. Its fields are its parameters, made by `parameter`. Its rules
(`expand`, `solved` and, where there is one, `key`) are static methods that the engine compiles with numba: plain
functions on numbers, arrays and rows, which may call plain functions of their own. Whatever else a puzzle may give is
in `parsolve.contract`, in groups.
"""

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from parsolve.catalogue import Instance
from parsolve.contract.abstractions import ABSTRACTIONS, AbstractionsMixin
from parsolve.contract.batches import BATCHES, BatchesMixin, Roots
from parsolve.contract.both_ends import BOTH_ENDS, BothEndsMixin
from parsolve.contract.group import Rule
from parsolve.contract.instead import INSTEAD, Better, Counting, Exploring, InsteadMixin, Want
from parsolve.contract.keys import KEYS, Graph, KeysMixin
from parsolve.contract.large_tables import LARGE_TABLES, LargeTablesMixin
from parsolve.contract.levels import LEVELS, LevelsMixin
from parsolve.contract.numbers import NUMBERS, NumbersMixin
from parsolve.contract.pictures import PICTURES, PicturesMixin, State
from parsolve.parameters import PuzzleType, Text, parameter, refuse_reserved
from parsolve.shapes import Shape

__all__ = [
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
"""What is one solution alone, and is not counted."""


class NoTables(NamedTuple):
    """The tables of a puzzle that needs none."""

    nothing: int = 0


class Puzzle(
    KeysMixin,
    NumbersMixin,
    LevelsMixin,
    AbstractionsMixin,
    BothEndsMixin,
    LargeTablesMixin,
    BatchesMixin,
    PicturesMixin,
    InsteadMixin,
    metaclass=PuzzleType,
):
    """Base class of all puzzles. See the README's tutorial for one in 40 lines.

    A solution is a path of moves from the root that ends at its first solved state. Two moves to the same state are two
    solutions; a move that changes nothing is no move.
    """

    @property
    def state(self) -> Any:
        """Structured `numpy.dtype` of a state: a class variable, or a property if it depends on the parameters.

        Its fields are unsigned integers or arrays of them: `move`, the code of the move that led here (2 bytes at
        most); where solutions differ in cost, `cost`, what was spent so far; where there is a lower bound on what is
        still to be spent, `bound`, which may never be too high (both 4 bytes at most); and the puzzle's own."""
        raise NotImplementedError

    @property
    def children(self) -> int:
        """The greatest number of children that a state can have: a class variable or a property."""
        raise NotImplementedError

    @property
    def default_engine(self) -> EngineName:
        """The engine that `solve` uses by default. Deepening alone never ends on an unsolvable puzzle whose moves go in
        circles."""
        return "deepening"

    @property
    def default_transposition(self) -> int:
        """Bytes of the transposition table by default, which needs a key; 0 where it does not pay."""
        return 0

    expand: ClassVar[Callable[..., Any] | None]
    """`expand(tables, here, limit, rows, top) -> top`: write each child of the state `here` that can still
    meet `limit` (cost + bound <= limit) into `rows[top]` and step `top`. Every field of a child is written.
    Children come in a fixed order; `move` is different for each child of a state and grows in that order.
    Writing into `rows[top]` without stepping is allowed: it drops the child without a branch."""

    solved: ClassVar[Callable[..., Any]]
    """`solved(tables, here) -> bool`."""

    def root(self, *distances: Any) -> dict[str, Any]:
        """Return the fields of the first state; those not named are 0.

        Args:
            distances: the table of each abstraction.
        """
        raise NotImplementedError

    def tables(self, *distances: Any) -> tuple[Any, ...]:
        """Return a NamedTuple of arrays and numbers that the rules look things up in.

        Args:
            distances: the table of each abstraction.
        """
        return NoTables()

    def limits(self) -> Iterable[int]:
        """Return the limits to try, rising: by default every one, without end. The search skips those below the root's
        cost + bound."""
        return itertools.count()

    def steps(self, limit: int) -> int:
        """Return the greatest number of moves within `limit`; by default each move costs at least 1."""
        return limit

    def show(self, solution: Any) -> str:
        """Return a solution as a person reads it; by default its moves.

        Args:
            solution: a `parsolve.Solution`, with its `moves` and the `states` along it.
        """
        return " ".join(map(str, solution.moves))

    @classmethod
    def instances(cls) -> Mapping[str, Mapping[str, Any] | Instance]:
        """Return named instances: by name their parameters, or an `Instance` with a description. `PUZZLE:NAME`
        means one wherever a puzzle is named, such as `my_puzzle.py:LightsOut:small`; by default there are none."""
        return {}

    def hint(self) -> str:
        """Return what of the number of solutions may surprise, and what to do; by default nothing."""
        return ""

    def overview(self) -> str:
        """Return what `parsolve describe` shows of the puzzle with these parameters, such as its board; by default
        nothing, and then it draws the root."""
        return ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_reserved(cls, inspect.get_annotations(cls))


GROUPS = (KEYS, NUMBERS, LEVELS, ABSTRACTIONS, BOTH_ENDS, LARGE_TABLES, BATCHES, PICTURES, INSTEAD)
"""What a puzzle may give beside the core."""

CORE = {
    "expand": Rule(("tables", "here", "limit", "rows", "top"), "top, a whole number", "end it with 'return top'"),
    "solved": Rule(("tables", "here"), "True or False", "write 'return' before what says whether a state is solved"),
}
"""The rules that a puzzle must have."""

RULES = CORE | {name: rule for group in GROUPS for name, rule in group.rules.items()}
"""The rules that a puzzle class may have, by name."""
