"""N queens: as many queens on a board as it has columns, none of which attacks another."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.errors import BadInput
from parsolve.puzzle.core import Counting, Puzzle, Shape, State, Want, parameter
from parsolve.puzzles.queens.below import count_below

Method = Literal["auto", "permutations", "backtrack", "bits", "mirror", "quadrants"]

UNIQUE = ("auto", "permutations", "backtrack", "quadrants")
"""The methods that can count unique solutions: a mask of rows does not show where each queen is."""

SMALL, SMALL_UNIQUE = 13, 9
"""Largest sizes that `auto` does not count by quadrants: it takes some hundredths of a second, and one small kernel."""

COUNTED = 10
"""The number of last columns that are counted at once, in 10 us."""

COLUMNS = 10
"""Number of columns in a word of a list."""

FIVE_BITS = np.uint64(31)
ONE = np.uint64(1)

MOST = 28
"""The largest board: 28 is the smallest size whose number of solutions is unknown, and takes hundreds of core years."""

# fmt: off
KNOWN = (
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624,
    4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736, 2207893435808352,
    22317699616364044, 234907967154122528,
)
# fmt: on
"""Numbers of solutions by n (OEIS A000170), from which the time of a search is estimated."""

EXPECTED = 2_560_000_000_000_000_000
"""An estimate of the solutions of 28 queens: the quotients of successive counts grow evenly, to 10.9 here."""

RATES = {"backtrack": 8e4, "bits": 2.5e6, "mirror": 5e6, "quadrants": 8e8}
"""Solutions per second of each method on one core of 2025, at the sizes that take it minutes."""

PERMUTATIONS_RATE = 1e7
"""Permutations per second, all columns and their beginnings."""


def days_needed(n: int, method: str, workers: int) -> str:
    """Return a warning if counting takes days; otherwise nothing."""
    if method == "permutations":
        seconds = math.factorial(n) * math.e / PERMUTATIONS_RATE
    else:
        seconds = (*KNOWN, EXPECTED)[n] / RATES.get(method, RATES["bits"])
    days = seconds / 86400 / workers
    if days < 1:
        return ""
    return (
        f"queens: n = {n} by {method} takes some {days:,.0f} days on {workers if workers > 1 else 'one'}"
        f" {'cores' if workers > 1 else 'core'} of 2025"
    )


class Tables(NamedTuple):
    """The lookups of the rules. Three words hold the queens so far, in a form that depends on the method."""

    n: np.int64
    bits: np.int64  # 1: the words are masks of the rows taken and of the diagonals, rising and falling
    early: np.int64  # 1: diagonals are tested at each queen; 0: when all are placed
    unique: np.int64  # 1: only the least image of a solution counts
    every: np.uint64  # the mask of all rows
    # For `Counted`.
    half: np.uint64  # the mask of the rows in which the first queen may be
    first_counted: np.int64  # the first of the columns that are counted at once
    images: np.int64  # 2: each placement represents its reflection


@dataclass(frozen=True)
class Queens(Puzzle):
    """Place n queens, one a column, so that none attacks another. A solution prints as their rows, from 1.

    permutations: all ways to give each column a row of its own; only whole ones are tested. backtrack: each
    queen is tested against the list of those before. bits: the attacked rows of the next column are a mask.
    mirror: the same for half of the first column, to count only. quadrants: the halves of the board meet in
    the middle, to count only. auto: the fastest for what is wanted.
    """

    n: int = parameter(8, f"the size of the board, up to {MOST}", least=0, most=MOST)
    method: Method = parameter("auto", "how to search; all find the same; mirror and quadrants only count")
    unique: bool = parameter(False, "of solutions that are turns or reflections of one another, take one")

    # Lists: the words hold the rows of the queens in columns 0–9, 10–19 and 20–29, five bits each.
    state = np.dtype([("first", "u8"), ("second", "u8"), ("third", "u8"), ("column", "u1"), ("move", "u1")])

    known: ClassVar = KNOWN

    def __post_init__(self) -> None:
        if self.unique and self.method not in UNIQUE:
            raise BadInput(f"queens: method {self.method} cannot tell unique solutions; {', '.join(UNIQUE)} can")

    def counting(self, want: Want) -> Counting:
        method: str = self.method
        if method == "auto" and want == "count" and self.n > (SMALL_UNIQUE if self.unique else SMALL):
            method = "quadrants"
        elif method == "auto":
            method = "backtrack" if self.unique else "mirror" if want == "count" else "bits"
        if method in ("mirror", "quadrants") and want != "count":
            raise BadInput(f"queens: method {method} only counts; permutations, backtrack and bits list")
        if method == "quadrants" and self.n > 0:
            from parsolve.puzzles.queens.quadrants import Quadrants

            counting = Quadrants(self.n, self.unique).counting(want)
        elif method in ("bits", "mirror") and want == "count" and self.n > 1:
            counting = Counting(Counted(self.n, method))  # type: ignore[arg-type]
        else:
            counting = Counting(replace(self, method=method))  # type: ignore[arg-type]
        return counting if want == "first" else replace(counting, warning=partial(days_needed, self.n, method))

    @property
    def children(self) -> int:
        return max(1, self.n)

    def root(self) -> dict[str, Any]:
        return {"column": 0}

    def tables(self) -> Tables:
        return Tables(
            np.int64(self.n),
            np.int64(self.method not in ("backtrack", "permutations") and not self.unique),
            np.int64(self.method != "permutations"),
            np.int64(self.unique),
            np.uint64((1 << self.n) - 1),
            np.uint64((1 << self.n) - 1),
            np.int64(self.n),
            np.int64(1),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.column == tables.n:  # a complete permutation with queens that attack each other
            return top
        if tables.bits:
            return expand_masks(tables.every, here, rows, top)
        return expand_lists(tables, here, rows, top)

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        if here.column < tables.n or (tables.early == 0 and not peaceful(here, tables.n)):
            return False
        return tables.unique == 0 or least(here, tables.n)

    def steps(self, limit: int) -> int:
        return self.n

    def show(self, solution: Any) -> str:
        return " ".join(str(move + 1) for move in solution.moves)

    def render(self, state: State, moves: Sequence[int]) -> str:
        columns: list[int | None] = [*moves, *[None] * (self.n - len(moves))]
        return "\n".join(" ".join("Q" if queen == row else "·" for queen in columns) for row in range(self.n))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        cells = itertools.product(range(self.n), repeat=2)
        board = [Shape("box", x, y, "shade" if (x + y) % 2 else "cell") for x, y in cells]
        return board + [Shape("disc", x, y, "piece", 0.8, 0.8, "♛", f"queen {x + 1}") for x, y in enumerate(moves)]

    def images_of(self, moves: Sequence[int]) -> list[list[int]]:
        if len(moves) < self.n:  # counts place the first queens alone
            return [list(moves)]
        images = []
        turned = list(moves)
        for _ in range(4):
            turned = [len(turned) - 1 - turned.index(row) for row in range(len(turned))]
            images += [turned, turned[::-1]]
        return images

    def overview(self) -> str:
        return self.render({}, ())


@dataclass(frozen=True)
class Counted(Queens):
    """Count the placements of n > 1 queens: the last columns of each board at once.

    mirror: only those with the first queen in the lower half of its column, each of which also represents its
    reflection. If it is in the middle, the second queen is in the lower half.
    """

    def tables(self) -> Tables:
        tables = super().tables()._replace(first_counted=np.int64(min(self.n, max(2, self.n - COUNTED))))
        if self.method == "bits":
            return tables
        return tables._replace(half=np.uint64((1 << (self.n + 1) // 2) - 1), images=np.int64(2))

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        middle = ONE << np.uint64(tables.n >> 1)  # an even board has no queen there while it matters
        return expand_masks(tables.half if here.first | middle == middle else tables.every, here, rows, top)

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.column == tables.first_counted

    @staticmethod
    def weight(tables: Any, here: Any) -> Any:
        found, placed = count_below(tables.every, here.first, here.second, here.third)
        return tables.images * found, placed


def expand_masks(open_rows: Any, here: Any, rows: Any, top: Any) -> Any:
    """`expand` with masks: the free rows are the open ones without those in three words, taken bit by bit."""
    free = open_rows & ~(here.first | here.second | here.third)
    while free:
        queen = free & ~(free - ONE)
        free ^= queen
        row = rows[top]
        row.first = here.first | queen
        row.second = (here.second | queen) << ONE
        row.third = (here.third | queen) >> ONE
        row.column = here.column + 1
        row.move = trailing_zeros(queen)
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
        row.move = queen
        top += 1
    return top


def listed(here: Any, column: Any) -> Any:
    """Return the row of the queen in a column, from the list: int64."""
    # A tuple with an index would go through memory, and take twice the time.
    word = here.first if column < COLUMNS else here.second if column < 2 * COLUMNS else here.third
    return np.int64((word >> np.uint64(5 * (column % COLUMNS))) & FIVE_BITS)


def attacked(here: Any, column: Any, queen: Any, diagonals: Any) -> Any:
    """Return whether a queen in a column and row is in the row, or on a diagonal, of one in an earlier column."""
    for before in range(column):
        distance = abs(listed(here, before) - queen)
        if distance == 0 or (diagonals and distance == column - before):
            return True
    return False


def peaceful(here: Any, n: Any) -> Any:
    """Return whether no queen of a complete list attacks another."""
    for column in range(n):  # noqa: SIM110 (a generator does not compile)
        if attacked(here, column, listed(here, column), 1):
            return False
    return True


def least(here: Any, n: Any) -> Any:
    """Return whether no turn or reflection of a complete list comes before it."""
    for image in range(1, 8):
        for column in range(n):
            mine, other = listed(here, column), imaged(here, n, image, column)
            if other < mine:
                return False
            if other > mine:
                break
    return True


def imaged(here: Any, n: Any, image: Any, column: Any) -> Any:
    """Return the row of the queen in a column of an image: 1 for columns reversed, 2 for columns and rows exchanged and
    4 for rows reversed give all 8 images."""
    place = n - 1 - column if image & 1 else column
    row = listed(here, place)
    if image & 2:
        row = 0
        while listed(here, row) != place:
            row += 1
    return n - 1 - row if image & 4 else row
