"""N queens: as many queens on a board as it has columns, none of which attacks another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle import Puzzle, parameter
from parsolve.words import nearest

MOST = {"permutations": 12, "backtrack": 27, "bits": 27}
"""The methods, and the largest board of each."""

COLUMNS = 9
"""How many columns a word of a list holds."""

FIVE_BITS = np.uint64(31)
ONE = np.uint64(1)

# The powers of two below 2**36 all differ modulo 37: where a single bit stands.
PRIME = np.uint64(37)


class Tables(NamedTuple):
    """What the rules look up. Three words tell the queens so far, each method's in its own way."""

    n: np.int64
    bits: np.int64  # 1: the words are masks of the rows taken and of the diagonals, rising and falling
    early: np.int64  # 1: diagonals are tested at each queen; 0: once all stand
    every: np.uint64  # the mask of all rows
    which: np.ndarray[Any, Any]  # uint8[37]: the row of a mask of one row, by the mask modulo 37


@dataclass(frozen=True)
class Queens(Puzzle):
    """Place n queens, one a column, so that none attacks another. A solution prints as their rows, from 1.

    permutations: all ways to give each column a row of its own; only whole ones are tested. backtrack: each
    queen is tested against the list of those before. bits: the attacked rows of the next column are a mask.
    """

    n: int = parameter(8, "the size of the board, up to 27; up to 12 with method permutations")
    method: Literal["permutations", "backtrack", "bits"] = parameter("bits", "how to search; all find the same")

    # Lists: the words hold the rows of the queens in columns 0–8, 9–17 and 18–26, five bits each.
    state = np.dtype(
        [
            ("first", "u8"),
            ("second", "u8"),
            ("third", "u8"),
            ("column", "u1"),
            ("cost", "u1"),
            ("bound", "u1"),
            ("move", "u1"),
        ]
    )
    has_cost = False

    def __post_init__(self) -> None:
        if self.method not in MOST:
            raise BadInput(f"queens: there is no method {self.method!r}{nearest(str(self.method), MOST)}")
        most = MOST[self.method]
        if self.n not in range(most + 1):
            raise BadInput(f"queens: with method {self.method}, n is 0 to {most}, not {self.n}")

    @property
    def children(self) -> int:  # type: ignore[override]
        return max(1, self.n)

    def root(self) -> dict[str, Any]:
        return {"column": 0}

    def tables(self) -> Tables:
        which = np.zeros(int(PRIME), np.uint8)
        for number in range(self.n):
            which[(1 << number) % int(PRIME)] = number
        return Tables(
            np.int64(self.n),
            np.int64(self.method == "bits"),
            np.int64(self.method != "permutations"),
            np.uint64((1 << self.n) - 1),
            which,
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.column == tables.n:  # a permutation with queens that attack each other
            return top
        if tables.bits:
            return expand_masks(tables, here, rows, top)
        return expand_lists(tables, here, rows, top)

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.column == tables.n and (tables.early == 1 or peaceful(here, tables.n))

    def steps(self, limit: int) -> int:
        return self.n

    def show(self, moves: Sequence[int]) -> str:
        return " ".join(str(move + 1) for move in moves)

    def draw(self, moves: Sequence[int]) -> str:
        return "\n".join(" ".join("Q" if move == row else "·" for move in moves) for row in range(self.n))


def expand_masks(tables: Any, here: Any, rows: Any, top: Any) -> Any:
    """`expand` with masks: the free rows are what three words leave over, taken bit by bit."""
    free = tables.every & ~(here.first | here.second | here.third)
    while free:
        queen = free & ~(free - ONE)
        free ^= queen
        row = rows[top]
        row.first = here.first | queen
        row.second = (here.second | queen) << ONE
        row.third = (here.third | queen) >> ONE
        row.column = here.column + 1
        row.cost, row.bound, row.move = 0, 0, tables.which[queen % PRIME]
        top += 1
    return top


def expand_lists(tables: Any, here: Any, rows: Any, top: Any) -> Any:
    """`expand` with lists: each row is compared with those of the queens so far."""
    column = np.int64(here.column)
    word, shift = column // COLUMNS, np.uint64(5 * (column % COLUMNS))
    for queen in range(tables.n):
        if attacked(here, column, queen, tables.early):
            continue
        entry = np.uint64(queen) << shift
        row = rows[top]
        row.first = here.first | entry * np.uint64(word == 0)
        row.second = here.second | entry * np.uint64(word == 1)
        row.third = here.third | entry * np.uint64(word == 2)
        row.column = column + 1
        row.cost, row.bound, row.move = 0, 0, queen
        top += 1
    return top


def listed(here: Any, column: Any) -> Any:
    """The row of the queen in a column, from the list: int64."""
    # Not a tuple with an index: that goes through memory, and takes twice the time.
    word = here.first if column < COLUMNS else here.second if column < 2 * COLUMNS else here.third
    return np.int64((word >> np.uint64(5 * (column % COLUMNS))) & FIVE_BITS)


def attacked(here: Any, column: Any, queen: Any, diagonals: Any) -> Any:
    """Whether a queen in a column and row is in the row, or on a diagonal, of one in the columns before."""
    for before in range(column):
        distance = abs(listed(here, before) - queen)
        if distance == 0 or (diagonals and distance == column - before):
            return True
    return False


def peaceful(here: Any, n: Any) -> Any:
    """Whether no queen of a whole list attacks another."""
    for column in range(n):  # noqa: SIM110 (a generator does not compile)
        if attacked(here, column, listed(here, column), 1):
            return False
    return True
