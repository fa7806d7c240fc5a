"""Flip-It: a row of two-sided pieces and one gap; pieces that are jumped over turn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import Instance, Puzzle, Shape, State, parameter
from parsolve.puzzles.flipit import INSTANCES

MOST = 32
"""Maximum number of cells of a row."""

ONE = np.uint64(1)


class Tables(NamedTuple):
    """The lookups of the rules: cells are bits, the leftmost lowest."""

    over: np.ndarray[Any, Any]  # uint64[cells, cells]: by gap and cell, the cells between them
    both: np.ndarray[Any, Any]  # uint64[cells, cells]: by gap and cell, the bits of both
    black: np.uint64  # the black cells of the goal
    gap: np.int64  # the gap of the goal, -1 if it may be anywhere
    runs: np.int64  # the runs of black in the goal


@dataclass(frozen=True)
class FlipIt(Puzzle):
    """Turn all pieces of a row to white. A piece jumps over one or more others into the gap, and these turn.

    A solution prints as its rows: B black, W white, _ the gap.
    """

    row: str = parameter("BB_BBB", "the pieces at the start, B or W, and one gap _")
    goal: str = parameter("white", "white: all white, the gap anywhere; or a row such as _WWWWW")

    state = np.dtype([("black", "u8"), ("gap", "u1"), ("bound", "u1"), ("cost", "u2"), ("move", "u1")])

    def __post_init__(self) -> None:
        check_row(self.row, "row")
        if self.goal != "white":
            check_row(self.goal, "goal", " or white")
            if len(self.goal) != len(self.row):
                raise BadInput(f"flipit: goal has {len(self.goal)} cells, row has {len(self.row)}")

    @classmethod
    def instances(cls) -> dict[str, Instance]:
        return INSTANCES

    @property
    def children(self) -> int:
        return max(1, len(self.row) - 2)

    def root(self) -> dict[str, Any]:
        bound = abs(black_runs(self.row) - black_runs(self.goal))
        return {"black": black_cells(self.row), "gap": self.row.index("_"), "bound": bound}

    def tables(self) -> Tables:
        cells = range(len(self.row))
        over = [[sum(1 << cell for cell in range(min(a, b) + 1, max(a, b))) for a in cells] for b in cells]
        return Tables(
            np.array(over, np.uint64),
            np.array([[1 << a | 1 << b for a in cells] for b in cells], np.uint64),
            np.uint64(black_cells(self.goal)),
            np.int64(self.goal.find("_")),
            np.int64(black_runs(self.goal)),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        gap, cost = np.int64(here.gap), np.int64(here.cost) + 1
        for cell in range(tables.over.shape[0]):
            over = tables.over[gap, cell]
            if over:
                jumper = (here.black >> np.uint64(cell)) & ONE
                black = here.black ^ over ^ (jumper * tables.both[gap, cell])
                bound = abs(runs(black, cell) - tables.runs)
                row = rows[top]
                row.black = black
                row.gap = cell
                row.cost = cost
                row.bound = bound
                row.move = cell
                top += cost + bound <= limit
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.black == tables.black and (here.gap == tables.gap or tables.gap < 0)

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return (np.uint64(here.gap) << np.uint64(MOST)) | here.black

    def goals(self) -> list[dict[str, Any]]:
        # A jump back turns the same pieces again.
        if self.goal != "white":
            return [{"black": black_cells(self.goal), "gap": self.goal.index("_")}]
        return [{"gap": gap} for gap in range(len(self.row))]

    def show_state(self, state: State) -> str:
        pieces = ("B" if state["black"] >> cell & 1 else "W" for cell in range(len(self.row)))
        return "".join("_" if cell == state["gap"] else piece for cell, piece in enumerate(pieces))

    def limits(self) -> Iterable[int]:
        # A cheapest solution meets no state twice.
        cells = len(self.row)
        return range(cells << (cells - 1))

    def show(self, solution: Any) -> str:
        return " ".join(map(self.show_state, solution.states))

    def render(self, state: State, moves: Sequence[int]) -> str:
        return " ".join(self.show_state(state).translate(str.maketrans("BW_", "●○ "))).rstrip()

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        cells = len(self.row)
        names, gap = list(range(cells)), self.row.index("_")
        for cell in moves:
            names[gap], names[cell], gap = names[cell], names[gap], cell
        shapes = [Shape("box", (cells - 1) / 2, 0, "board", cells + 0.2, 1.2)]
        shapes += [Shape("disc", cell, 0, "hole", 0.3, 0.3) for cell in range(cells)]
        shapes += [
            Shape("disc", cell, 0, "piece" if piece == "B" else "other", 0.84, 0.84, name=f"piece {1 + names[cell]}")
            for cell, piece in enumerate(self.show_state(state))
            if piece != "_"
        ]
        return shapes


def runs(black: Any, gap: Any) -> Any:
    """Return the number of runs of black pieces, ignoring the gap: int64.

    The lower bound: a jump turns x…z y into y x'…z', between neighbours l and r, so only three pairs of neighbours
    change: l x, z y, y r. With white walls at both ends, the number of pairs that differ is even: two for each run. So
    a jump changes it by at most two, and ends or begins at most one run.
    """
    below = (ONE << np.uint64(gap)) - ONE
    pieces = (black & below) | ((black >> ONE) & ~below)
    starts = pieces & ~(pieces << ONE)
    number = 0
    while starts:  # measured: `bit_count` takes 1.4 times the search's time here
        starts &= starts - ONE
        number += 1
    return number


def black_cells(row: str) -> int:
    """Return the black cells of a row, as bits; none for `white`."""
    return sum(1 << cell for cell, piece in enumerate(row) if piece == "B")


def black_runs(row: str) -> int:
    """Return the runs of black pieces in a row, ignoring the gap; none for `white`."""
    return len(row.replace("_", "").replace("W", " ").split()) if row != "white" else 0


def check_row(row: str, what: str, other: str = "") -> None:
    """Refuse a text that is not a row of pieces with one gap; messages call it `what`."""
    if set(row) - set("BW_") or row.count("_") != 1:
        raise BadInput(f"flipit: {what} is a row of B and W with one gap _{other}, not {row!r}")
    if not 2 <= len(row) <= MOST:
        raise BadInput(f"flipit: {what} has {len(row)} cells; 2 to {MOST} are possible")
