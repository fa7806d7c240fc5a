"""The optional members of the contract, with their defaults, in groups."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from parsolve.puzzle.parameters import values_of
from parsolve.puzzle.shapes import Shape, text_shapes


def either(getter: Callable[..., Any]) -> Any:
    """Return a property. To a type checker it is anything, so that a class may give a plain value instead."""
    return property(getter)


def with_fewer(method: Callable[..., Any]) -> Any:
    """Return a method as it is. To a type checker it is anything, so that a class may leave out arguments."""
    return method


@dataclass(frozen=True)
class Rule:
    """A rule that engines compile.

    Attributes:
        arguments: names of its arguments.
        returns: what it must return, for messages; empty for nothing.
        ending: what its last line must be, if it returns something.
    """

    arguments: tuple[str, ...]
    returns: str = ""
    ending: str = ""

    @property
    def returning_nothing(self) -> str:
        """The error text, with advice, if it returns nothing."""
        return f"returns nothing: {self.ending}"


@dataclass(frozen=True)
class MemberGroup:
    """A part of the contract that a puzzle may give.

    Attributes:
        title: its title in `parsolve describe`.
        members: the class with these members, their documentation and defaults; `Puzzle` derives from it.
        rules: the compiled rules among the members, by name.
        needs: a member, the member that must be given with it, and what that gives.
    """

    title: str
    members: type
    rules: Mapping[str, Rule]
    needs: Sequence[tuple[str, str, str]]

    def is_given_by(self, cls: type) -> bool:
        """Return whether a puzzle class defines one of the members."""
        return any(gives(cls, name) for name in vars(self.members) if not name.startswith("_"))


GROUPS: list[MemberGroup] = []
"""The optional groups of the contract."""


def group(
    title: str, rules: Mapping[str, Rule] | None = None, needs: Sequence[tuple[str, str, str]] = ()
) -> Callable[[type], type]:
    """Return a decorator that adds the members of a class to `GROUPS`; for the arguments see `MemberGroup`."""

    def added(members: type) -> type:
        GROUPS.append(MemberGroup(title, members, rules or {}, needs))
        return members

    return added


def gives(cls: type, name: str) -> bool:
    """Return whether a puzzle class gives an optional member itself."""
    return getattr(cls, name) not in (None, getattr(Members, name))


Graph = Literal["graded", "bipartite", "reversible", "any"]
"""The declared graph of a puzzle's states. graded: a state is reached by one number of moves only. reversible: every
move can be taken back, at the same cost. bipartite: reversible, and every cycle has an even number of moves."""


@group(
    "keys",
    {
        "key": Rule(("tables", "here"), "a uint64, or a tuple of at most 13", "end it with 'return' and the key"),
        "unkey": Rule(("tables", "key", "row")),
    },
    (("unkey", "key", "the key of a state"),),
)
class KeysMixin:
    """Keys of states: for the transposition table, for breadth-first search and, with the way back, for levels of any
    size."""

    key: Callable[..., Any] | None = None
    """`key(tables, here) -> uint64`, or a tuple of up to 13 uint64, always the same number; optional: exact; key and
    room left determine everything below the state."""

    unkey: Callable[..., Any] | None = None
    """`unkey(tables, key, row)`, optional: the way back from a key, uint64 or a tuple of several. Write the state into
    `row`: the puzzle's own fields, a `move` after which every move is open, and a `bound` if the rules compute it from
    the previous one. Breadth-first search then takes 8 bytes a state for each word of its key; the
    engine `sharing` needs it."""

    graph: ClassVar[Graph] = "any"
    """In which earlier levels breadth-first search must look for duplicates. `parsolve check` tests it."""


@group(
    "numbers",
    {
        "index": Rule(
            ("tables", "here"), "a whole number (uint64)", "end it with 'return' and the number of the state"
        ),
        "unindex": Rule(("tables", "number", "row")),
    },
    (
        ("index", "unindex", "the way back from a number to a state"),
        ("index", "size", "how many numbers there are"),
        ("unindex", "index", "the number of a state"),
        ("size", "index", "the number of a state"),
    ),
)
class NumbersMixin:
    """The number of each state, for search in 3 bits a state."""

    @either
    def size(self) -> Any:
        """The number of values of `index`: a class variable or a property; None without `index`."""
        return None

    index: Callable[..., Any] | None = None
    """`index(tables, here) -> uint64`, optional: the number of a state, below `size`, exact like a key. A puzzle
    without `key` uses it as its key. With `unindex` breadth-first search takes 3 bits a state."""

    unindex: Callable[..., Any] | None = None
    """`unindex(tables, number, row)`: write the state of that number into `row`, as `unkey` does. Numbers without a
    state may give anything."""


@group(
    "levels",
    {"level": Rule(("tables", "here"), "a whole number", "end it with 'return' and the level")},
    (("level", "key", "the key of a state"),),
)
class LevelsMixin:
    """A level that every move raises, for the engine `sharing`."""

    level: Callable[..., Any] | None = None
    """`level(tables, here) -> int`, optional, with `key`: a whole number that every move raises, the same for all
    states with one key. The engine `sharing` takes states in this order, so all ways to a state are known before it is
    expanded. A graded graph needs no level: there it is the number of moves."""


@group(
    "abstractions",
    {
        "entry": Rule(
            ("tables", "number"),
            "a whole number (uint64)",
            "end it with 'return' and the place of the state's distance",
        )
    },
    (
        ("entry", "index", "the number of a state"),
        ("entries", "entry", "the place of a number in the table"),
    ),
)
class AbstractionsMixin:
    """Smaller puzzles whose distances are lower bounds for this one, and the members for their tables."""

    def abstractions(self) -> Sequence[Any]:
        """Return smaller puzzles that estimate how far this one is from being solved; none by default.

        If one gives `index`, `unindex`, `size` and `goals`, its table is uint8[entries]: the distance of each state
        from the nearest goal, 255 if there is no way. If one without an index gives `key` and `unkey`, its graph is
        graded and its moves cost 1, its table is uint64[any]: the keys, ascending, of all states on paths from its root
        to a solved state. A table is built once and kept. `root` and `tables` are called with the tables, in this
        order.
        """
        return ()

    @either
    def entries(self) -> Any:
        """Of an abstraction: the number of entries of its table of distances, a class variable or a property; by
        default `size`."""
        return self.size  # type: ignore[attr-defined]

    entry: Callable[..., Any] | None = None
    """`entry(tables, number) -> uint64`, optional, of an abstraction: the place of a state in the table of distances,
    below `entries`. If several states share a place, the least distance counts; by default `number`."""


@group(
    "both ends",
    needs=(
        ("inverse_puzzle", "unkey", "the way back from a key to a state"),
        ("inverse_puzzle", "goals", "the states to begin with"),
    ),
)
class BothEndsMixin:
    """The solved states and the ways back from them, for searches from the root and the goals at once."""

    def goals(self) -> list[dict[str, Any]]:
        """Return all solved states, by their fields as in `root`; none by default. For puzzles whose moves are
        reversible, or with `inverse_puzzle`. `parsolve explore` measures distances from the goals if moves are
        reversible."""
        return []

    def inverse_puzzle(self) -> Any:
        """Return the puzzle with the same states, fields and keys whose moves are these taken back: then breadth-first
        search begins at both ends, the root and `goals`, and so does that for the states on paths of an abstraction,
        all of whose goals must be at one distance from the root then, the first of `limits`. None by default.

        If the root leads to a state, and a move from it to another, then a move taken back leads from the other to the
        state, or to one with its key. If a state leads to a goal, and a move taken back from it to another, then a move
        leads from the other to the state, or to one with its key. All cost 1. How many there are may differ, and which
        states are solved there is not asked.
        """
        return None


class Roots(NamedTuple):
    """The roots of puzzles with one `batch_key`, read from texts.

    Attributes:
        states: record[n]: the roots.
        read: bool[n]: which roots were read. The other puzzles are constructed, which also reports their errors.
        limits: the different limits that occur, each a sequence, such as a range.
        which: uint8[n]: the index of each root's limits in `limits`.
    """

    states: Any
    read: Any
    limits: Sequence[Sequence[int]]
    which: Any


@group("batches")
class BatchesMixin:
    """What puzzles of one class share, and reading many roots at once."""

    def batch_key(self) -> Hashable:
        """Return a value that determines everything except `root` and `limits`. Puzzles of one class with equal keys
        share their tables in a batch; by default only puzzles with the same parameters do."""
        return tuple(values_of(self).values())

    @staticmethod
    def table_lines(lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of a table, one for each line of a file whose puzzles may have several lines: all but one of
        them become empty. By default the file is a table.

        Args:
            lines: with their ends; no more of them are read than necessary.

        Raises:
            BadInput: they have no puzzles; the message shows the possible forms.
        """
        return iter(lines)

    root_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that `roots` reads."""

    def roots(self, texts: Mapping[str, Sequence[str]], state: Any, *distances: Any) -> Roots | None:
        """Return the roots of many puzzles with this one's `batch_key` at once, which saves constructing them; None,
        the default, to construct each.

        Args:
            texts: n values of each of the `root_parameters`, as text from a file. The other parameters are this
                puzzle's.
            state: dtype of the rows: `state` and perhaps fields that are 0.
            distances: see `root`.
        """
        return None


State = Mapping[str, Any]
"""A state by the names of its fields; an array field is a list."""


@group("pictures")
class PicturesMixin:
    """Drawings of states, and symmetric solutions."""

    def show_state(self, state: State) -> str:
        """Return a state as text on one line; by default its own fields."""
        return " ".join(f"{name}={value}" for name, value in state.items() if name not in ("cost", "bound", "move"))

    def render(self, state: State, moves: Sequence[int]) -> str:
        """Return a state as text for a terminal, on one line or several; by default on one.

        Args:
            state: its fields.
            moves: the moves that led there; empty if unknown.
        """
        return self.show_state(state)

    def picture(self, state: State, moves: Sequence[int]) -> Sequence[Shape]:
        """Return a state as shapes, for all drawings: SVG, the HTML report and its player; by default the text of
        `render`.

        Args:
            state, moves: see `render`.
        """
        return text_shapes(self.render(state, moves))

    def images_of(self, moves: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the images of a solution by the symmetries of the puzzle, itself included; by default itself alone.
        The HTML report groups them. Where one image counts for all (`up_to`), they are those of all solutions."""
        return (moves,)

    def up_to(self) -> str:
        """Return the symmetries whose images of a solution count once, such as `turns and reflections`, the default
        where a parameter `unique` is true; empty if all solutions count."""
        return "turns and reflections" if getattr(self, "unique", False) is True else ""


Want = Literal["all", "count", "first", "any"]
"""All cheapest solutions, their number, the first in depth-first order, or any up to a limit, cheapest or not."""


@dataclass(frozen=True)
class Better:
    """A puzzle with a better lower bound and no other difference, and when its pattern databases pay.

    Attributes:
        puzzle: returns the puzzle.
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
        unbounded: a puzzle that differs from `puzzle` and those of `better` only in its lower bound; its moves have the
            same codes. A journal compares its rules, so a stopped search can be resumed with another bound. By default
            `puzzle` if there are better ones.
        better: puzzles whose pattern databases take longer than a small search, the best bound last. Deepening takes
            the best that pays from the next limit on, and may take a better one later.
    """

    puzzle: Any
    total: Callable[[int], int] = int
    warning: Callable[[int], str] = lambda workers: ""
    breadth: Any = None
    unbounded: Any = None
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


@group(
    "other puzzles instead",
    {"weight": Rule(("tables", "here"), "two whole numbers", "end it with 'return' and two numbers")},
)
class InsteadMixin:
    """Other puzzles that are counted or explored instead of this one."""

    weight: Callable[..., Any] | None = None
    """`weight(tables, here) -> (solutions, nodes)`, optional, of a class named by `counting`: how many solutions a
    solved state represents, below 2^63, and how many further nodes were visited to count them."""

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


class Members(
    KeysMixin,
    NumbersMixin,
    LevelsMixin,
    AbstractionsMixin,
    BothEndsMixin,
    BatchesMixin,
    PicturesMixin,
    InsteadMixin,
):
    """The optional members of all groups."""
