"""Peg solitaire on any board: jump pegs over pegs until one is left, in as few moves as can be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle import Puzzle, parameter
from parsolve.puzzles.boards import BOARDS, Board
from parsolve.words import nearest


class Tables(NamedTuple):
    """What the rules look up, by jump in table order unless said otherwise."""

    here: np.ndarray[Any, Any]  # uint64[jumps]: the bits of the holes from and over, which must hold pegs
    holes: np.ndarray[Any, Any]  # uint64[jumps]: the bits of the three holes
    start: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped from
    to: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped to
    corner: np.ndarray[Any, Any]  # uint8[holes + 1]: by hole, 1 where the bound counts a peg
    first: np.int64  # the jump that must come first, -1 if any may
    target: np.uint64  # the bit of the last peg's hole


@dataclass(frozen=True)
class Peg(Puzzle):
    """Jump pegs over pegs until one is left. A run of jumps by one peg is one move, in one bracket."""

    board: str = parameter("hoppers", "the board: " + ", ".join(BOARDS))
    vacancy: int = parameter(6, "the hole that is empty at the start")
    target: int = parameter(6, "the hole where the last peg must end")
    first: str = parameter("any", "the first jump, such as 0-6 (from-to), or any")
    bound: Literal["none", "corners"] = parameter(
        "corners", "lower bound: pegs on holes that nothing can jump over, other than the target"
    )

    # `last` is the hole of the peg moved last, which may go on at no cost; the number of holes at the start.
    state = np.dtype([("pegs", "u8"), ("cost", "u1"), ("bound", "u1"), ("move", "u1"), ("last", "u1")])

    def __post_init__(self) -> None:
        if self.board not in BOARDS:
            raise BadInput(f"peg: there is no board {self.board!r}{nearest(self.board, BOARDS)}")
        for name in ("vacancy", "target"):
            hole = getattr(self, name)
            if not 0 <= hole < self.layout.holes:
                raise BadInput(f"peg: {name} {hole} is not on the board; holes are 0 to {self.layout.holes - 1}")
        _ = self.first_jump

    @cached_property
    def layout(self) -> Board:
        """The board."""
        return BOARDS[self.board]

    @property
    def children(self) -> int:  # type: ignore[override]
        return len(self.layout.jumps)

    @cached_property
    def first_jump(self) -> int:
        """The number of the jump that must come first, -1 if any may."""
        if self.first == "any":
            return -1
        try:
            start, to = (int(word) for word in self.first.split("-"))
        except ValueError:
            raise BadInput(f"peg: first is a jump such as 0-6 (from-to), or any, not {self.first!r}") from None
        for number, (a, _, b) in enumerate(self.layout.jumps):
            if (a, b) == (start, to):
                if to != self.vacancy:
                    raise BadInput(f"peg: first jump {self.first} does not end in the vacancy {self.vacancy}")
                return number
        raise BadInput(f"peg: the board {self.board} has no jump {self.first}")

    @cached_property
    def corners(self) -> list[bool]:
        """By hole: whether the bound counts a peg there. The last entry stands for no hole."""
        over = {jump[1] for jump in self.layout.jumps}
        holes = range(self.layout.holes)
        counts = self.bound == "corners"
        return [counts and hole not in over and hole != self.target for hole in holes] + [False]

    def root(self) -> dict[str, Any]:
        corners = sum(self.corners) - self.corners[self.vacancy]
        pegs = (1 << self.layout.holes) - 1 - (1 << self.vacancy)
        return {"pegs": pegs, "bound": corners, "last": self.layout.holes}

    def tables(self) -> Tables:
        jumps = self.layout.jumps
        return Tables(
            np.array([1 << a | 1 << b for a, b, _ in jumps], np.uint64),
            np.array([1 << a | 1 << b | 1 << c for a, b, c in jumps], np.uint64),
            np.array([a for a, _, _ in jumps], np.uint8),
            np.array([c for _, _, c in jumps], np.uint8),
            np.array(self.corners, np.uint8),
            np.int64(self.first_jump),
            np.uint64(1 << self.target),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        pegs, last, cost = here.pegs, here.last, here.cost
        # The peg moved last may still leave its corner at no cost, so that it counts only once another moves.
        bound = here.bound + tables.corner[last]
        jumps = range(tables.start.size)
        if cost == 0 and tables.first >= 0:
            jumps = range(tables.first, tables.first + 1)
        for jump in jumps:
            if pegs & tables.holes[jump] == tables.here[jump]:
                start = tables.start[jump]
                row = rows[top]
                row.pegs = pegs ^ tables.holes[jump]
                row.move = jump
                row.last = tables.to[jump]
                row.cost = cost + (start != last)
                row.bound = bound - tables.corner[start]
                top += cost + (start != last) + bound - tables.corner[start] <= limit
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.pegs == tables.target

    def limits(self) -> Iterable[int]:
        return range(max(1, self.root()["bound"]), self.layout.holes - 1)

    def steps(self, limit: int) -> int:
        return self.layout.holes - 2

    def show(self, moves: Sequence[int]) -> str:
        runs: list[list[int]] = []
        for move in moves:
            start, _, to = self.layout.jumps[move]
            if runs and runs[-1][-1] == start:
                runs[-1].append(to)
            else:
                runs.append([start, to])
        return "".join(f"[{','.join(map(str, run))}]" for run in runs)
