"""What a puzzle is: the one contract between a puzzle and the engine.

A puzzle is a frozen dataclass that derives from `Puzzle`. Its fields are the one definition of its
parameters: the constructor, the command line's options and the saved spec all come from them. Its rules
(`expand`, `solved`, and `key` where there is one) are plain functions that the engine compiles.
"""

import dataclasses
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from parsolve.activity import doing
from parsolve.errors import BadInput, BadPuzzle
from parsolve.text import field_kind, place_of, raised_at, shown

RESERVED = frozenset(
    {
        *("boards", "budget", "buffer", "engine", "executor", "file", "help", "journal", "json", "keeper"),
        *("lease", "limit", "log", "max_memory", "name", "nice", "on_solution", "puzzle", "quiet", "rename", "report"),
        *("start_method", "states", "table", "time", "timeout", "want", "workers"),
    }
)
"""Names that a puzzle's parameters may not bear: the options of all commands, the arguments of `solve` and the keys of
a job file."""

Engine = Literal["deepening", "breadth", "both"]

Want = Literal["all", "count", "first"]
"""Every cheapest solution, their number, or the first in depth-first order."""

_END = object()

KEPT_FIELDS = ("cost", "bound", "move")
"""The fields of a state that the engine itself reads."""


class NoTables(NamedTuple):
    """The tables of a puzzle that needs none."""

    nothing: int = 0


def parameter(default: Any, help: str) -> Any:
    """A dataclass field with a default and the line that the command line's help shows for it."""
    return dataclasses.field(default=default, metadata={"help": help})


class Puzzle:
    """Base class of all puzzles. See the README's tutorial for one in 40 lines.

    A solution is a path of moves from the root that ends at its first solved state; two moves to the same
    state are two solutions. A move that changes nothing is no move.
    """

    state: ClassVar[Any]
    """Structured `numpy.dtype` of a state: unsigned integer fields `cost` (spent so far), `bound` (a lower
    bound on what is still to be spent; 0 where there is none; it may never be too high), both of 4 bytes at most, and
    `move` (the code of the move that led here, 2 bytes at most), and the puzzle's own fields."""

    children: ClassVar[int]
    """The greatest number of children that a state can have."""

    has_cost: ClassVar[bool] = True
    """False where solutions do not differ in cost: then `cost` stays 0, the one limit is 0, and no cost is told."""

    default_engine: ClassVar[Engine] = "deepening"
    """The engine that `solve` uses if nobody says otherwise. Deepening alone never ends on an unsolvable puzzle whose
    moves go in circles."""

    default_table: ClassVar[int] = 0
    """Bytes of the transposition table if nobody says otherwise; needs a key; 0 where it does not pay."""

    # The rules: compiled by the engine, so they may use what numba's nopython mode knows, and call plain
    # functions of their own.
    expand: ClassVar[Callable[..., Any]]
    """`expand(tables, here, limit, rows, top) -> top`: write each child of the state `here` that can still
    meet `limit` (cost + bound <= limit) into `rows[top]` and step `top`. Every field of a child is written.
    Children come in a fixed order; `move` is different for each child of a state and grows in that order.
    Writing into `rows[top]` without stepping is allowed: it drops the child without a branch."""

    solved: ClassVar[Callable[..., Any]]
    """`solved(tables, here) -> bool`."""

    key: ClassVar[Callable[..., Any] | None] = None
    """`key(tables, here) -> uint64`, optional: exact, and deciding, with the room left, everything below."""

    worth: ClassVar[Callable[..., Any] | None] = None
    """`worth(tables, here) -> (solutions, nodes)`, optional, for a puzzle that is only counted: how many solutions a
    solved state stands for, and how many nodes more it took to tell."""

    def for_want(self, want: Want) -> "Puzzle":
        """The puzzle to search where `want` is wanted: this one, or another with the same answer, sooner."""
        return self

    def total(self, found: int) -> int:
        """How many solutions there are, by what the solved states are worth in all."""
        return found

    def caution(self, workers: int) -> str:
        """What the user should know before a search that takes days; empty if it does not."""
        return ""

    def root(self) -> dict[str, Any]:
        """The fields of the first state; those not named are 0."""
        raise NotImplementedError

    def tables(self) -> tuple[Any, ...]:
        """A NamedTuple of arrays and numbers that the rules look things up in."""
        return NoTables()

    def limits(self) -> Iterable[int]:
        """The limits to try, rising: by default from the root's cost + bound in steps of 1, without end."""
        if not self.has_cost:
            return [0]
        root = self.root()
        return itertools.count(int(root.get("cost", 0)) + int(root.get("bound", 0)))

    def steps(self, limit: int) -> int:
        """The greatest number of moves within `limit`; by default each move costs at least 1."""
        return limit

    def show(self, moves: Sequence[int]) -> str:
        """A solution, given by its moves, as a person reads it."""
        return " ".join(map(str, moves))

    def show_state(self, state: Mapping[str, int]) -> str:
        """A state, given by its fields, as a person reads it."""
        return " ".join(f"{name}={value}" for name, value in state.items() if name not in KEPT_FIELDS)

    def goals(self) -> list[dict[str, Any]]:
        """All solved states, by their fields as in `root`, if moves are reversible; by default none are given.
        Then `parsolve explore` measures distances from them."""
        return []

    def draw(self, moves: Sequence[int]) -> str:
        """The states along a solution as a person sees them in a terminal; by default the solution itself."""
        return self.show(moves)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, note in inspect.get_annotations(cls).items():
            if name in RESERVED and "ClassVar" not in str(note):
                raise BadPuzzle(
                    f"{cls.__name__}: a parameter may not be called {name!r}: that is an option of parsolve"
                )


def parameters(puzzle: Puzzle) -> dict[str, Any]:
    """The parameters of a puzzle, as plain data."""
    return {field.name: getattr(puzzle, field.name) for field in dataclasses.fields(puzzle)}  # type: ignore[arg-type]


class Parameter(NamedTuple):
    """One parameter of a puzzle class, as the command line needs it."""

    name: str
    kind: type
    default: Any
    choices: tuple[str, ...] | None
    help: str


def parameters_of(cls: type[Puzzle]) -> list[Parameter]:
    """The parameters of a puzzle class, in order.

    Raises:
        BadPuzzle: a parameter has no default or is not one of int, float, str, bool and Literal[...] of str.
    """
    try:
        hints = get_type_hints(cls)
    except NameError as error:
        raise BadPuzzle(f"{cls.__name__}: a parameter's type is unknown: {error}") from error
    found = []
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        hint = hints[field.name]
        choices = tuple(get_args(hint)) if get_origin(hint) is Literal else None
        kind = str if choices else hint
        if kind not in (int, float, str, bool):
            raise BadPuzzle(f"{cls.__name__}: parameter {field.name!r} must be int, float, str, bool or Literal")
        if field.default is dataclasses.MISSING:
            raise BadPuzzle(f"{cls.__name__}: parameter {field.name!r} has no default")
        found.append(Parameter(field.name, kind, field.default, choices, field.metadata.get("help", "")))
    names = {parameter.name for parameter in found}
    for parameter in found:
        if parameter.kind is bool and f"no_{parameter.name}" in names:
            raise BadPuzzle(f"{cls.__name__}: 'no_{parameter.name}' is how {parameter.name!r} is denied: rename one")
    return found


_verified: set[type[Puzzle]] = set()


def verify_class(cls: type[Puzzle]) -> None:
    """Refuse a class that does not keep the contract, as far as can be seen without running it.

    Raises:
        BadPuzzle: says what is missing or wrong.
    """
    if cls in _verified:
        return
    name = cls.__name__
    if not (dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen):
        raise BadPuzzle(f"{name}: a puzzle must be a dataclass(frozen=True)")
    for rule, arguments in (("expand", 5), ("solved", 2), ("key", 2), ("worth", 2)):
        function = getattr(cls, rule, None)
        if function is None and rule in ("key", "worth"):
            continue
        if function is None:
            raise BadPuzzle(f"{name}: the rule {rule!r} is missing")
        if not isinstance(inspect.getattr_static(cls, rule), staticmethod):
            raise BadPuzzle(f"{name}: the rule {rule!r} must be a staticmethod")
        if len(inspect.signature(function).parameters) != arguments:
            raise BadPuzzle(f"{name}: the rule {rule!r} must take {arguments} arguments")
    if cls.root is Puzzle.root:
        raise BadPuzzle(f"{name}: 'root' is missing")
    parameters_of(cls)
    _verified.add(cls)


def verify(puzzle: Puzzle) -> None:
    """Refuse a puzzle whose class, state type or number of children breaks the contract.

    Raises:
        BadPuzzle: says what is missing or wrong.
    """
    verify_class(type(puzzle))
    name = type(puzzle).__name__
    state = _attribute(puzzle, "state")
    if not isinstance(state, np.dtype) or state.names is None:
        raise BadPuzzle(f"{name}: 'state' must be a structured numpy.dtype")
    for field in KEPT_FIELDS:
        if field not in state.names:
            raise BadPuzzle(f"{name}: 'state' lacks the field {field!r}")
        if state[field].kind != "u":
            raise BadPuzzle(f"{name}: the field {field!r} of 'state' must be an unsigned integer")
    for field in state.names:
        if state[field].base.kind != "u":
            raise BadPuzzle(f"{name}: the field {field!r} of 'state' must be of unsigned integers")
    for field in ("cost", "bound"):
        if state[field].itemsize > 4:
            raise BadPuzzle(f"{name}: the field {field!r} of 'state' must be u1, u2 or u4")
    if state["move"].itemsize > 2:
        raise BadPuzzle(f"{name}: the field 'move' of 'state' must be u1 or u2")
    children = _attribute(puzzle, "children")
    if not isinstance(children, int) or not 1 <= children < 1 << 16:
        raise BadPuzzle(f"{name}: 'children', the greatest number of children, must be an int, at least 1, below 65536")


def _attribute(puzzle: Puzzle, name: str) -> Any:
    """Return what a class variable or property gives; None where there is none."""
    try:
        return getattr(puzzle, name, None)
    except Exception as error:
        raise BadPuzzle(f"{type(puzzle).__name__}: {name!r} raises {type(error).__name__}: {error}") from error


def ask(puzzle: Puzzle, method: str, *arguments: Any) -> Any:
    """Call one of a puzzle's own methods: whatever goes wrong in it is told in one line.

    Raises:
        BadPuzzle: it raises, or wants to end this process.
    """
    return _called(puzzle, method, lambda: getattr(puzzle, method)(*arguments))


def _called(puzzle: Puzzle, method: str, call: Callable[[], Any]) -> Any:
    name = type(puzzle).__name__
    try:
        with doing(f"{method!r} of {name}"):
            return call()
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise BadPuzzle(f"{name}: {method!r} raises {type(error).__name__}: {error}{raised_at(error)}") from error


def text_from(puzzle: Puzzle, method: str, *arguments: Any) -> str:
    """Return the text that one of a puzzle's methods gives.

    Raises:
        BadPuzzle: it raises, or gives no text, or one that cannot be written in any encoding.
    """
    text = ask(puzzle, method, *arguments)
    name = type(puzzle).__name__
    if not isinstance(text, str):
        place = place_of(getattr(type(puzzle), method))
        raise BadPuzzle(f"{name}: {method!r}{place} must return a text, not {shown(text)}: is a 'return' missing?")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadPuzzle(f"{name}: {method!r} returns half a character (a surrogate): {ascii(text)[:60]}") from None
    return text


def number_from(puzzle: Puzzle, method: str, *arguments: Any) -> int:
    """Return the whole number that one of a puzzle's methods gives.

    Raises:
        BadPuzzle: it raises, or gives no whole number.
    """
    number = ask(puzzle, method, *arguments)
    if not isinstance(number, int | np.integer):
        raise BadPuzzle(f"{type(puzzle).__name__}: {method!r} must return a whole number, not {shown(number)}")
    return int(number)


def searched_for(puzzle: Puzzle, want: Want) -> Puzzle:
    """Return the puzzle to search where `want` is wanted.

    Raises:
        BadPuzzle: its `for_want` gives none.
    """
    other = ask(puzzle, "for_want", want)
    if not isinstance(other, Puzzle):
        raise BadPuzzle(f"{type(puzzle).__name__}: 'for_want' must return a puzzle, not {shown(other)}")
    return other


def cost_overflow(puzzle: Puzzle) -> BadPuzzle:
    """The error where costs do not fit their field any more."""
    most = np.iinfo(puzzle.state["cost"]).max
    return BadPuzzle(
        f"{type(puzzle).__name__}: nothing found up to cost {most}, which is all that the field 'cost' holds"
    )


def root_row(puzzle: Puzzle, state: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The root as an array of one row of dtype `state`.

    Raises:
        BadPuzzle: the root names a field that the state does not have, or a value that does not fit.
    """
    fields = ask(puzzle, "root")
    if not isinstance(fields, Mapping):
        raise BadPuzzle(f"{type(puzzle).__name__}: 'root' must return a dict of fields, not {shown(fields)}")
    return rows_of(puzzle, state, "root", [fields])


def tables_of(puzzle: Puzzle) -> tuple[Any, ...]:
    """The tables of a puzzle.

    Raises:
        BadPuzzle: it gives none.
    """
    tables = ask(puzzle, "tables")
    if not isinstance(tables, tuple):
        raise BadPuzzle(f"{type(puzzle).__name__}: 'tables' must return a NamedTuple")
    return tables


def steps_within(puzzle: Puzzle, limit: int) -> int:
    """The greatest number of moves within a limit, at least 0.

    Raises:
        BadPuzzle: the puzzle does not tell.
    """
    steps = number_from(puzzle, "steps", limit)
    if steps >= 1 << 16:
        raise BadPuzzle(f"{type(puzzle).__name__}: 'steps' must return a whole number below 65536, not {shown(steps)}")
    return max(0, steps)


def limits_of(puzzle: Puzzle) -> Iterator[int]:
    """The limits to try.

    Raises:
        BadPuzzle: the puzzle gives no numbers, or they do not rise.
    """
    before = -1
    every: Iterator[Any] | None = None

    def following() -> Any:
        nonlocal every
        if every is None:
            every = iter(puzzle.limits())
        return next(every, _END)

    while (limit := _called(puzzle, "limits", following)) is not _END:
        if not isinstance(limit, int | np.integer) or limit <= before:
            raise BadPuzzle(
                f"{type(puzzle).__name__}: 'limits' must give rising whole numbers, not {shown(limit)} after {before}"
            )
        before = int(limit)
        yield before


def rows_of(
    puzzle: Puzzle, state: np.dtype[Any], what: str, states: Sequence[Mapping[str, Any]]
) -> np.ndarray[Any, Any]:
    """States given by their fields as rows of dtype `state`; `what` names them in errors.

    Raises:
        BadPuzzle: one names a field that the state does not have, or a value that does not fit.
    """
    name, names = type(puzzle).__name__, state.names or ()
    place = place_of(getattr(type(puzzle), "goals" if what == "goal" else what, None))
    rows = np.zeros(len(states), state)
    for row, fields in zip(rows, states, strict=True):
        for field, value in fields.items():
            if field not in names:
                text = f"which is no field of 'state'; its fields are {', '.join(names)}"
                raise BadPuzzle(f"{name}: the {what}{place} names {field!r}, {text}")
            try:
                row[field] = _fitting(value, state[field])
            except Exception:
                text = f"{shown(value)} does not fit the field, {field_kind(state[field])}"
                raise BadPuzzle(f"{name}: the {what}'s {field!r}{place} = {text}") from None
    return rows


def _fitting(value: Any, field: np.dtype[Any]) -> Any:
    """Return a value for a field.

    Raises:
        ValueError: it has another shape, or is too large.
    """
    given = np.array(value, object)
    if given.shape not in ((), field.shape):
        raise ValueError
    if field.shape and not all(0 <= number <= np.iinfo(field.base).max for number in given.flat):
        raise ValueError  # numpy would take such a number modulo
    return value


def aligned(state: np.dtype[Any]) -> np.dtype[Any]:
    """The same fields in the same order, aligned, as compiled code likes them."""
    return np.dtype([(name, state[name]) for name in state.names or ()], align=True)


def whole(text: str, what: str) -> list[int]:
    """The whole numbers in a text, separated by spaces or commas.

    Raises:
        BadInput: something in it is no whole number.
    """
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise BadInput(f"{what}: expected whole numbers separated by spaces, got {shown(text)}") from None
