"""A puzzle that has every member of the contract, and other values for each: true ones, with which it has the same
answer, and wrong ones, as they are before somebody corrects them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve import Counting, Exploring, Puzzle
from parsolve.puzzle.core import GROUPS

SIDE = 4


class Lookups(NamedTuple):
    side: int
    width: int
    rest: Any  # uint8[cells]: the least number of moves from each
    costs: Any  # uint8[cells]: what a move to it costs


def key(tables: Any, here: Any) -> Any:
    return np.uint64(here.x) << np.uint64(8) | np.uint64(here.y)


def unkey(tables: Any, key: Any, row: Any) -> Any:
    row.x, row.y, row.move = key >> np.uint64(8), key & np.uint64(255), 0


def number(tables: Any, here: Any) -> Any:
    return np.uint64(here.x * tables.side + here.y)


def unnumber(tables: Any, number: Any, row: Any) -> Any:
    row.x, row.y, row.move = number // np.uint64(tables.side), number % np.uint64(tables.side), 0


@dataclass(frozen=True)
class Back(Puzzle):
    """Left or up in a square."""

    state = np.dtype([("x", "u1"), ("y", "u1"), ("cost", "u1"), ("bound", "u1"), ("move", "u1")])
    children = 2
    graph = "graded"
    size = SIDE * SIDE
    key, unkey = staticmethod(key), staticmethod(unkey)
    index, unindex = staticmethod(number), staticmethod(unnumber)

    def root(self) -> Any:
        return {"x": SIDE - 1, "y": SIDE - 1}

    def goals(self) -> Any:
        return [self.root()]

    def tables(self) -> Any:
        return Lookups(SIDE, self.size // SIDE, np.zeros(1, np.uint8), np.ones(1, np.uint8))

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(2):
            row = rows[top]
            row.x, row.y, row.cost, row.bound = here.x - (move == 0), here.y - (move == 1), here.cost + 1, 0
            row.move = move
            top += ((here.x if move == 0 else here.y) > 0) & (here.cost + 1 <= limit)
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.x + here.y == 0


@dataclass(frozen=True)
class LeftAlone(Back):
    """Left only."""

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        row = rows[top]
        row.x, row.y, row.cost, row.bound, row.move = here.x - 1, here.y, here.cost + 1, 0, 0
        return top + ((here.x > 0) & (here.cost + 1 <= limit))


@dataclass(frozen=True)
class Rest(Back):
    """The distances of cells, from the last one, in all directions."""

    children = 4
    graph = "bipartite"

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(4):
            row, step = rows[top], 1 - move // 2 * 2
            x, y = here.x + step * (move % 2), here.y + step * (1 - move % 2)
            row.x, row.y, row.cost, row.bound, row.move = x, y, here.cost + 1, 0, move
            top += (min(x, y) >= 0) & (x < tables.width) & (y < tables.side) & (here.cost + 1 <= limit)
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.x + here.y == 2 * tables.side - 2


@dataclass(frozen=True)
class Quarters(Rest):
    """With a distance for each four neighbours."""

    entries = SIDE * SIDE // 4

    @staticmethod
    def entry(tables: Any, number: Any) -> Any:
        return number // np.uint64(4)


@dataclass(frozen=True)
class Far(Rest):
    """From a cell from which all distances are greater."""

    size = SIDE * SIDE + 2 * SIDE

    def goals(self) -> Any:
        return [{"x": SIDE + 1, "y": SIDE - 1}]

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.x + here.y == 2 * tables.side


@dataclass(frozen=True)
class Grid(Puzzle):
    """Right or down in a square, from a corner to the other."""

    state = Back.state
    children = 2
    graph = "graded"
    size = SIDE * SIDE
    key, unkey = staticmethod(key), staticmethod(unkey)
    index, unindex = staticmethod(number), staticmethod(unnumber)
    multiplicity = 1
    dear = 1
    """The cost of some moves; it is odd."""

    def root(self, *distances: Any) -> Any:
        return {}

    def tables(self, *distances: Any) -> Any:
        rest = np.zeros(1, np.uint8) if not distances else distances[0][: SIDE * SIDE]
        costs = np.where(np.arange(SIDE * SIDE) * 7 % 5 < 3, self.dear, 1).astype(np.uint8)
        return Lookups(SIDE, SIDE, np.repeat(rest, SIDE * SIDE // len(rest)), costs)

    def goals(self) -> Any:
        return [{"x": SIDE - 1, "y": SIDE - 1}]

    def inverse_puzzle(self) -> Any:
        return Back()

    def sharing(self) -> Any:
        return self if type(self) is Renamed else Renamed()

    def unshared(self, moves: Any) -> Any:
        return [move - 2 for move in moves]

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(2):
            row = rows[top]
            row.x, row.y, row.move = here.x + (move == 0), here.y + (move == 1), move
            if max(row.x, row.y) < tables.side:
                cell = row.x * tables.side + row.y
                row.cost, row.bound = here.cost + tables.costs[cell], tables.rest[cell]
                top += row.cost + row.bound <= limit
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return (here.x == tables.side - 1) & (here.y == tables.side - 1)


@dataclass(frozen=True)
class Renamed(Grid):
    """The same with other moves."""

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(2):
            row = rows[top]
            row.x, row.y, row.move, row.bound = here.x + (move == 0), here.y + (move == 1), move + 2, 0
            if max(row.x, row.y) < tables.side:
                row.cost = here.cost + tables.costs[row.x * tables.side + row.y]
                top += row.cost <= limit
        return top


@dataclass(frozen=True)
class Half(Grid):
    """After the first move to the right, which as many solutions begin with as with the other."""

    def root(self, *distances: Any) -> Any:
        return {"x": 1, "cost": 1}


@dataclass(frozen=True)
class Twice(Half):
    @staticmethod
    def weight(tables: Any, here: Any) -> Any:
        return 2, 0


@dataclass(frozen=True)
class Thrice(Half):
    @staticmethod
    def weight(tables: Any, here: Any) -> Any:
        return 3, 0


def counted(puzzle: Any, **more: Any) -> Any:
    return lambda self, want: Counting(puzzle(), **more) if want == "count" else None


@staticmethod
def by_other_key(tables: Any, here: Any) -> Any:
    return np.uint64(here.y) << np.uint64(8) | np.uint64(here.x)


@staticmethod
def by_row(tables: Any, here: Any) -> Any:
    return np.uint64(here.x)


@staticmethod
def by_column(tables: Any, key: Any, row: Any) -> Any:
    row.x, row.y, row.move = key & np.uint64(255), key >> np.uint64(8), 0


@staticmethod
def by_other_number(tables: Any, here: Any) -> Any:
    return np.uint64(here.y * tables.side + here.x)


@staticmethod
def to_other_number(tables: Any, number: Any, row: Any) -> Any:
    row.x, row.y, row.move = number % np.uint64(tables.side), number // np.uint64(tables.side), 0


@staticmethod
def by_diagonal(tables: Any, here: Any) -> Any:
    return here.x + here.y


@staticmethod
def twice_the_level(tables: Any, here: Any) -> Any:
    return 2 * (here.x + here.y)


@staticmethod
def one_level(tables: Any, here: Any) -> Any:
    return 1


@staticmethod
def solved_above(tables: Any, here: Any) -> Any:
    return (here.x == tables.side - 1) & (here.y == tables.side - 2)


WIDE = np.dtype([(name, "u2") for name in Back.state.names])

OWN: Mapping[str, Any] = {"sharing": lambda self: self, "unshared": Puzzle.unshared}
"""The edit by which the engine sharing counts the puzzle itself."""

DEAR: Mapping[str, Any] = {**OWN, "dear": 3, "inverse_puzzle": lambda self: None, "counting": Puzzle.counting}
"""The edit by which moves have different costs; then none of what needs a cost of 1 is given."""

CHEAPEST = 5
"""The number of solutions of least cost with that edit."""

Edits = tuple[Mapping[str, Any], ...]

TRUE: dict[str, Edits] = {
    "state": ({"state": WIDE, "inverse_puzzle": lambda self: None},),
    "children": ({"children": 3},),
    "default_engine": ({"default_engine": "breadth"}, {"default_engine": "sharing"}),
    "default_transposition": ({"default_transposition": 1 << 12},),
    "limits": ({"limits": lambda self: range(0, 300, 2)},),
    "steps": ({"steps": lambda self, limit: 2 * limit},),
    "unindex": ({"index": by_other_number, "unindex": to_other_number},),
    "unkey": ({"key": by_other_key, "unkey": by_column, "inverse_puzzle": lambda self: None},),
    "graph": ({"graph": "any"},),
    "size": ({"size": SIDE * SIDE + 5},),
    "level": ({"level": twice_the_level}, {"level": by_diagonal}),
    "abstractions": ({"abstractions": lambda self: (Rest(),)},),
    "entries": ({"abstractions": lambda self: (Quarters(),)},),
    "entry": ({"abstractions": lambda self: (Quarters(),)},),
    "inverse_puzzle": ({"inverse_puzzle": lambda self: None},),
    "batch_key": ({"batch_key": lambda self: 1},),
    "table_lines": ({"table_lines": staticmethod(list)},),
    "root_parameters": ({"root_parameters": ("side",)},),
    "roots": ({"roots": lambda self, texts, state, *distances: None},),
    "jumps": ({"jumps": True},),
    "counting": ({"counting": counted(Half, total=lambda weights: 2 * weights)},),
    "weight": ({"counting": counted(Twice)},),
    "sharing": (OWN,),
    "exploring": ({"exploring": lambda self: Exploring(self, in_all=len)},),
    "instances": ({"instances": classmethod(lambda cls: {"it": {}})},),
    "images_of": ({"images_of": lambda self, moves: (moves, moves)},),
    "picture": ({"picture": lambda self, state, moves: ()},),
} | {
    name: ({name: lambda self, *_: "another text"},)
    for name in ("show", "show_state", "render", "up_to", "hint", "overview")
}
"""By a member: other values, with which the puzzle has the same solutions."""

WRONG: dict[str, Edits] = {
    "expand": ({"expand": staticmethod(Renamed.expand)},),
    "solved": ({"solved": solved_above},),
    "root": ({"root": lambda self, *distances: {"x": 1}},),
    "tables": ({"tables": lambda self, *distances: Lookups(SIDE - 1, SIDE, *np.ones((2, SIDE * SIDE), np.uint8))},),
    "limits": ({"limits": lambda self: range(1, 300, 2)}, {"limits": lambda self: range(5)}),
    "graph": ({"graph": "bipartite"}, {"graph": "reversible"}),
    "key": ({"key": by_row}, {"key": by_other_key}),
    "index": ({"index": by_other_number},),
    "level": ({"level": one_level},),
    "abstractions": ({"abstractions": lambda self: (Far(),)},),
    "goals": ({"goals": lambda self: [{"x": SIDE - 1, "y": SIDE - 2}]}, {"goals": lambda self: []}),
    "inverse_puzzle": ({"inverse_puzzle": lambda self: LeftAlone()},),
    "counting": ({"counting": counted(Half, total=lambda weights: 3 * weights)},),
    "weight": ({"counting": counted(Thrice)},),
    "multiplicity": ({"sharing": lambda self: self, "multiplicity": 2},),
    "unshared": ({"unshared": Puzzle.unshared},),
    "exploring": ({"exploring": lambda self: Exploring(self, in_all=lambda keys: 2 * len(keys))},),
    "unsolvable": ({"unsolvable": lambda self: "there is a wall"},),
}
"""By a member: values that are not true of it."""


def members() -> set[str]:
    """Return all members of the contract."""
    every = (*vars(Puzzle), *Puzzle.__annotations__, *(name for group in GROUPS for name in vars(group.members)))
    return {name for name in every if not name.startswith("_")}


EVERY = [edit for edits in (*TRUE.values(), *WRONG.values()) for edit in edits]


def edited(*edits: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle with edits, as an edited file gives it: a class of its own, of the same name."""
    values = {name: value for edit in edits for name, value in edit.items()}
    made: Any = dataclass(frozen=True)(type("Grid", (Grid,), {**values, "__module__": __name__}))
    return made()  # type: ignore[no-any-return]
