"""The contract between a puzzle and the engine: all that the author of a puzzle reads.

A puzzle is a frozen dataclass that derives from `Puzzle`. Its fields are its parameters, made by `parameter`. Its rules
(`expand`, `solved` and, where there is one, `key`) are static methods that the engine compiles with numba: plain
functions on numbers, arrays and rows, which may call plain functions of their own.
"""

import inspect
import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from parsolve.catalogue import Instance
from parsolve.parameters import PuzzleType, Text, parameter, refuse_reserved, values_of
from parsolve.shapes import Shape, text_shapes

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

Want = Literal["all", "count", "first", "any"]
"""Every cheapest solution, their number, the first in depth-first order, or any up to a limit, cheapest or not."""

SINGLE = frozenset({"first", "any"})
"""What is one solution alone, and is not counted."""

Graph = Literal["graded", "bipartite", "reversible", "any"]
"""What is known of the graph of a puzzle's states. graded: a state is reached by one number of moves only. reversible:
every move can be taken back, at the same cost. bipartite: reversible, and every way around has an even number of
moves."""

State = Mapping[str, Any]
"""A state by the names of its fields; an array field is a list."""


class NoTables(NamedTuple):
    """The tables of a puzzle that needs none."""

    nothing: int = 0


@dataclass(frozen=True)
class Better:
    """A puzzle with a better lower bound and no other difference, and when its pattern databases pay.

    Attributes:
        puzzle: returns it; its class says `bounds_only`.
        after: how many nodes an iteration must have visited before it pays to build them.
        kept: the same where they are at hand, and mapped at no cost.
    """

    puzzle: "Callable[[], Puzzle]"
    after: int
    kept: int


@dataclass(frozen=True)
class Counting:
    """Another puzzle to search instead, with the same answer, sooner.

    Its class may have one more rule, `weight(tables, here) -> (solutions, nodes)`: how many solutions a solved state
    stands for, below 2^63, and how many more nodes were visited to count them. Then it only counts, by deepening.

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

    puzzle: "Puzzle"
    total: Callable[[int], int] = int
    warning: Callable[[int], str] = lambda workers: ""
    breadth: "Puzzle | None" = None
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

    puzzle: "Puzzle"
    measure: str = ""
    at: Callable[[int], int] = int
    in_all: Callable[[Any], int] | None = None
    findings: "Callable[[Sequence[State]], Mapping[str, Sequence[str]]]" = lambda farthest: {}


class Roots(NamedTuple):
    """The roots of puzzles with one `batch_key`, read from texts.

    Attributes:
        states: record[n]: the roots.
        read: bool[n]: which of them were read. The others are constructed, which also says what is wrong with them.
        limits: the different limits that occur, each a sequence, such as a range.
        which: uint8[n]: which of these is each one's.
    """

    states: Any
    read: Any
    limits: Sequence[Sequence[int]]
    which: Any


class Puzzle(metaclass=PuzzleType):
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

    # Large tables: two rules instead of `expand`, so that other rows are expanded while the memory answers.

    propose: ClassVar[Callable[..., Any] | None] = None
    """`propose(tables, here, limit, rows, top) -> top`: do as `expand`, but read no table that is larger than the
    processor's caches: write down where, and begin to load it by `parsolve.compiler.atomics.prefetch(array, place)`.
    Children that cannot meet the limit may be left out, and need not be."""

    admit: ClassVar[Callable[..., Any] | None] = None
    """`admit(tables, row, limit) -> bool`: finish a child that `propose` has written, and say whether it can meet
    `limit`. After it every field is written, and goes by the child's state and the path alone."""

    key: ClassVar[Callable[..., Any] | None] = None
    """`key(tables, here) -> uint64`, or a tuple of up to 13 uint64, always as many; optional: exact, and deciding, with
    the room left, everything below."""

    unkey: ClassVar[Callable[..., Any] | None] = None
    """`unkey(tables, key, row)`, optional: the way back from a key, uint64 or a tuple of several. Write the state into
    `row`: the puzzle's own fields, a `move` from where every move is open, and a `bound` if the rules go by the one
    before. From a key of one word breadth-first search then takes 4 bytes a state, or 8, on all cores; the engine
    `sharing` needs it."""

    level: ClassVar[Callable[..., Any] | None] = None
    """`level(tables, here) -> int`, optional, with `key`: a whole number that every move raises, the same for all
    states of one key. The engine `sharing` takes states in this order, so that all ways to one are known before it is
    expanded. A graded graph needs none: there it is the number of moves."""

    dead_key: ClassVar[Callable[..., Any] | None] = None
    """`dead_key(tables, here) -> uint64`, or a tuple as of `key`, with `key`; optional: what decides whether a state
    has a solution at all, at whatever cost. States with the same one are solved or not alike, and their children have
    the same ones. A search for any solution remembers by it what has none. It tells less than `key`, such as not the
    piece moved last, or gives the least image by a symmetry."""

    reverse: ClassVar[Callable[..., Any] | None] = None
    """`reverse(tables, here, row)`, optional, with `unkey` and `goals`: write into `row` the image of a state under a
    map that turns all moves around: wherever a move leads from a to b, one leads from the image of b to that of a, and
    the image of an image is the state itself. Holes for pegs in peg solitaire is one. With it the states between root
    and goals are searched for from both ends."""

    bounds_only: ClassVar[bool] = False
    """Of a class that `counting` names: whether it differs from the puzzle by its lower bound alone, its moves having
    the same codes. Then a stopped search can be resumed with another bound."""

    graph: ClassVar[Graph] = "any"
    """Which earlier layers breadth-first search must look for duplicates in. `parsolve check` tests it."""

    @property
    def size(self) -> Any:
        """How many numbers `index` gives: a class variable or a property; None without `index`."""
        return None

    index: ClassVar[Callable[..., Any] | None] = None
    """`index(tables, here) -> uint64`, optional: the number of a state, below `size`, exact as a key is. A puzzle
    without `key` has it as its key. With `unindex` breadth-first search takes 3 bits a state."""

    unindex: ClassVar[Callable[..., Any] | None] = None
    """`unindex(tables, number, row)`: write the state of that number into `row`, as `unkey` does. Numbers that no state
    has may give anything."""

    @property
    def entries(self) -> Any:
        """Of an abstraction: how many entries its table of distances has, a class variable or a property; by default
        `size`."""
        return None

    entry: ClassVar[Callable[..., Any] | None] = None
    """`entry(tables, number) -> uint64`, optional, of an abstraction: the place of a state in the table of distances,
    below `entries`. Where several states share one, the least distance counts; by default `number`."""

    def abstractions(self) -> Sequence["Puzzle"]:
        """Return smaller puzzles that tell how far this one is from being solved; none by default.

        The table of one that gives `index`, `unindex`, `size` and `goals` is uint8[entries]: the distance of each state
        from the nearest goal, 255 where there is no way. The table of one without an index that gives `key` and
        `unkey`, whose graph is graded and whose moves cost 1, is uint64[any]: the keys, ascending, of all states on
        paths from its root to a solved one. A table is built once and kept. `root` and `tables` are called with the
        tables, in this order.
        """
        return ()

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

    def batch_key(self) -> Hashable:
        """Return what all but `root` and `limits` depends on. Puzzles of one class with equal keys share their tables
        in a batch; by default those with the same parameters."""
        return tuple(values_of(self).values())

    root_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that `roots` reads."""

    def roots(self, texts: Mapping[str, Sequence[str]], state: Any, *distances: Any) -> Roots | None:
        """Return the roots of many puzzles with this one's `batch_key` at once, which saves constructing them; None,
        the default, to construct each.

        Args:
            texts: n values of each of the `root_parameters`, as a file has them. The other parameters are this one's.
            state: dtype of the rows: `state` and perhaps fields that are 0.
            distances: see `root`.
        """
        return None

    def goals(self) -> list[dict[str, Any]]:
        """Return all solved states, by their fields as in `root`, if moves are reversible, or `taken_back` is given, or
        `reverse`, when all must be at one distance from the root, the first of `limits`; none by default. `parsolve
        explore` measures distances from those of reversible moves."""
        return []

    def taken_back(self) -> "Puzzle | None":
        """Return the puzzle with the same states, fields and keys whose moves are these taken back: then breadth-first
        search begins at both ends, the root and `goals`. None by default.

        If the root leads to a state, and a move from it to another, then a move taken back leads from the other to the
        state, or to one with its key. If a state leads to a goal, and a move taken back from it to another, then a move
        leads from the other to the state, or to one with its key. All cost 1. How many there are may differ, and which
        states are solved there is not asked.
        """
        return None

    def show(self, solution: Any) -> str:
        """Return a solution as a person reads it; by default its moves.

        Args:
            solution: a `parsolve.Solution`, with its `moves` and the `states` along it.
        """
        return " ".join(map(str, solution.moves))

    def show_state(self, state: State) -> str:
        """Return a state as a person reads it, on one line; by default its own fields."""
        return " ".join(f"{name}={value}" for name, value in state.items() if name not in ("cost", "bound", "move"))

    def render(self, state: State, moves: Sequence[int]) -> str:
        """Return a state as a person sees it in a terminal, in as many lines as it takes; by default on one.

        Args:
            state: its fields.
            moves: the moves that led there; none where they are not known.
        """
        return self.show_state(state)

    def picture(self, state: State, moves: Sequence[int]) -> Sequence[Shape]:
        """Return a state as shapes, for all that is drawn: SVG, the HTML report and its player; by default the text of
        `render`.

        Args:
            state, moves: see `render`.
        """
        return text_shapes(self.render(state, moves))

    def images_of(self, moves: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the solutions that are images of one by a symmetry of the puzzle, itself included; by default itself
        alone. The HTML report groups them."""
        return (moves,)

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

    def counting(self, want: Want) -> Counting | None:
        """Return another puzzle to search where `want` is wanted; None to search this one."""
        return None

    def sharing(self) -> "Puzzle":
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

    def variants(self) -> Iterable["Puzzle"]:
        """Return the puzzles that `parsolve table` searches one after another, such as every start and goal of a board,
        those once that are images of one another; by default this one alone."""
        return (self,)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_reserved(cls, inspect.get_annotations(cls))
